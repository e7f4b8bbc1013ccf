// What the first comparison of a sort costs.
#pragma once

#include <dozer/detail/platform.hpp>
#include <dozer/detail/sort_cost.hpp>

#include <algorithm>
#include <cstdint>

namespace dozer::inline DOZER_PLATFORM::detail {

/// A look at the clock may take longer than a comparison. `look`: what one took, unless the thread was interrupted.
[[nodiscard]] inline std::uint64_t without_the_clock(std::uint64_t took, std::uint64_t look) noexcept {
  constexpr std::uint64_t most = ticks_per_us / 16;
  return took == 0 ? 0 : took - std::min({look, took - 1, most});
}

/// There are two elements at least.
template <class I, class Less>
[[nodiscard]] sort_cost first_cost(I first, Less less) {
  const auto time = [&] {
    const std::uint64_t before = ticks();
    const std::uint64_t start = ticks();
    const bool swapped = less(*(first + 1), *first);
    static_cast<void>(swapped);
    return sort_cost(without_the_clock(ticks() - start, start - before), 1);
  };
  const sort_cost cold = time();
  return cold.may_be_cold() ? cold.at_most(time()) : cold;
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
