// Which elements are sorted by their digits or letters.
#pragma once

#include <dozer/detail/digit_key.hpp>
#include <dozer/detail/letter_sort.hpp>
#include <dozer/detail/parallel_radix.hpp>
#include <dozer/loop_options.hpp>

#include <cstdint>
#include <memory>

namespace dozer::inline DOZER_PLATFORM::detail {

/// Stable. False: they have to be compared, because of what they are, or because there are few, or for want of memory.
template <class Compare, class I, class Proj>
[[nodiscard]] bool sort_without_comparisons([[maybe_unused]] I first, [[maybe_unused]] std::uint64_t count,
                                            [[maybe_unused]] Proj& proj, [[maybe_unused]] const loop_options& options) {
  if constexpr (can_use_digits<I, Compare, Proj>()) {
    return sort_by_digits(std::to_address(first), count, digit_key_of<I, Compare, Proj>{proj}, options);
  } else if constexpr (can_use_letters<I, Compare, Proj>()) {
    return sort_by_letters<Compare>(first, count, proj, options);
  } else {
    return false;
  }
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
