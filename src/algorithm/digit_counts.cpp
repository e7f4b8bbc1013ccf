// What of a parallel radix sort does not depend on its elements.
#include <dozer/detail/digit_counts.hpp>

namespace dozer::inline DOZER_PLATFORM::detail {

digit_counts::digit_counts(std::size_t count, std::size_t stretch)
    : count_(count), stretch_(stretch), rows_((count + stretch - 1) / stretch) {}

void digit_counts::add_up() noexcept {
  std::size_t sum = 0;
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    for (auto& row : rows_) {
      const std::size_t here = row[bucket];
      row[bucket] = sum;
      sum += here;
    }
  }
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
