// What the first comparison of a sort costs.
#pragma once

#include <dozer/detail/platform.hpp>
#include <dozer/detail/sort_cost.hpp>

#include <algorithm>
#include <cstdint>

namespace dozer::inline DOZER_PLATFORM::detail {

/// A look at the clock may take longer than a comparison. `look`: what one took, unless the thread was interrupted.
/// What is left is 2 ns at least, or 0 if the clock did not move: of one comparison nobody can tell more. (A clock with
/// steps of 10 ns now and then moves by a single tick.)
[[nodiscard]] inline std::uint64_t without_the_clock(std::uint64_t took, std::uint64_t look) noexcept {
  constexpr std::uint64_t most_of_a_look = ticks_per_us / 16, least = ticks_per_us / 500;
  const std::uint64_t left = took - std::min({look, took, most_of_a_look});
  return took != 0 ? std::max(left, least) : 0;
}

/// There are two elements at least.
template <class I, class Less>
[[nodiscard]] sort_cost first_cost(I first, Less less) {
  const auto time = [&] {
    const std::uint64_t before = ticks();
    const std::uint64_t start = ticks();
    const bool swapped = less(*(first + 1), *first);
    asm volatile("" : : "r"(swapped));  // else the compiler leaves it out
    return sort_cost(without_the_clock(ticks() - start, start - before), 1);
  };
  const sort_cost cold = time();
  // The first one may have waited for memory, or for a branch. Then it is no example of the others.
  return cold.is_dear() ? cold : cold.at_most(time());
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
