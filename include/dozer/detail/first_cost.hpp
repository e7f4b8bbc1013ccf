// What the first comparison of a sort costs.
#pragma once

#include <dozer/detail/platform.hpp>
#include <dozer/detail/sort_cost.hpp>

#include <cstdint>

namespace dozer::inline DOZER_PLATFORM::detail {

/// There are two elements at least.
template <class I, class Less>
[[nodiscard]] sort_cost first_cost(I first, Less less) {
  const auto time = [&] {
    const std::uint64_t start = ticks();
    const bool swapped = less(*(first + 1), *first);
    static_cast<void>(swapped);
    return sort_cost(ticks() - start, 1);
  };
  const sort_cost cold = time();
  return cold.may_be_cold() ? time() : cold;
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
