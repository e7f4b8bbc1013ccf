// What of a histogram does not depend on the elements.
#include <dozer/detail/blocks.hpp>
#include <dozer/detail/counts.hpp>
#include <dozer/thread_pool.hpp>

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <string>

namespace dozer::inline DOZER_PLATFORM::detail {

void throw_no_such_bin(std::uint64_t bin, bool negative, std::uint64_t bins) {
  throw std::out_of_range("dozer::histogram: bin_of returned " +
                          (negative ? std::to_string(static_cast<std::int64_t>(bin)) : std::to_string(bin)) +
                          ", but there are " + std::to_string(bins) + " bins");
}

std::unique_ptr<count_set> count_sets::lend() {
  {
    const std::lock_guard hold(lock_);
    if (free_) {
      std::unique_ptr<count_set> set = std::move(free_);
      free_ = std::move(set->next);
      return set;
    }
  }
  return std::make_unique<count_set>(count_set{counts(bins_), nullptr});
}

void count_sets::give_back(std::unique_ptr<count_set> set) noexcept {
  const std::lock_guard hold(lock_);
  set->next = std::move(free_);
  free_ = std::move(set);
}

counts count_sets::sum() {
  if (!free_) {
    return counts(bins_);
  }
  counts all = std::move(free_->values);
  for (const count_set* more = free_->next.get(); more != nullptr; more = more->next.get()) {
    std::transform(all.begin(), all.end(), more->values.begin(), all.begin(), std::plus<>());
  }
  return all;
}

void count_numbers(const std::uint64_t* numbers, std::uint64_t count, counts& into) {
  constexpr std::uint64_t few = 1 << 15;  // counted before a look at all of them by another thread pays
  const std::uint64_t ranges = count <= few ? 1 : current_num_threads();
  const std::uint64_t bins = into.size();
  for_blocks(ranges,
             [&](std::uint64_t from, std::uint64_t to) {
               const std::uint64_t lowest = bins / ranges * from;
               const std::uint64_t size = (to == ranges ? bins : bins / ranges * to) - lowest;
               std::uint64_t* const mine = into.data() + lowest;
               for (std::uint64_t k = 0; k != count; ++k) {
                 if (const std::uint64_t n = numbers[k] - lowest; n < size) {
                   ++mine[n];
                 }
               }
             },
             {.grain = 1});
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
