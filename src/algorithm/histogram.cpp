// What of a histogram does not depend on the elements.
#include <dozer/detail/counts.hpp>

#include <algorithm>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>

namespace dozer::inline DOZER_PLATFORM::detail {

void throw_no_such_bin(std::uint64_t bin, bool negative, std::uint64_t bins) {
  throw std::out_of_range("dozer::histogram: bin_of returned " +
                          (negative ? std::to_string(static_cast<std::int64_t>(bin)) : std::to_string(bin)) +
                          ", but there are " + std::to_string(bins) + " bins");
}

std::unique_ptr<count_set> count_sets::lend(const count_set* usual) {
  {
    const std::lock_guard hold(lock_);
    std::unique_ptr<count_set>* at = &free_;
    while (*at && at->get() != usual) {
      at = &(*at)->next;
    }
    if (std::unique_ptr<count_set>& found = *at ? *at : free_) {
      std::unique_ptr<count_set> set = std::move(found);
      found = std::move(set->next);
      return set;
    }
  }
  return std::make_unique<count_set>(count_set{bin_counts(bins_), nullptr});
}

void count_sets::give_back(std::unique_ptr<count_set> set) noexcept {
  const std::lock_guard hold(lock_);
  set->next = std::move(free_);
  free_ = std::move(set);
}

bin_counts count_sets::sum() {
  if (!free_) {
    return bin_counts(bins_);
  }
  bin_counts all = std::move(free_->values);
  for (const count_set* more = free_->next.get(); more != nullptr; more = more->next.get()) {
    std::transform(all.begin(), all.end(), more->values.begin(), all.begin(), std::plus<>());
  }
  return all;
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
