// A search among cheap elements that vectorises.
#pragma once

#include <dozer/detail/platform.hpp>

#include <cstdint>
#include <type_traits>

namespace dozer::inline DOZER_PLATFORM::detail {

/// An unsigned number as wide as a T: comparisons of many T vectorise if their results are as wide.
template <class T>
using as_wide =
    std::conditional_t<sizeof(T) == 1, std::uint8_t,
                       std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                          std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

/// The first number from `first` to before `last` for which test(number) holds, or `last`. Tests some elements of type
/// T at a time, without a branch, so that the compiler can vectorise it: only for tests that are cheap and have no
/// effects.
template <class T, class Test>
[[nodiscard]] DOZER_HOT std::uint64_t find_cheap(std::uint64_t first, std::uint64_t last, const Test& test) {
  constexpr std::uint64_t at_a_time = 64;
  for (; last - first >= at_a_time; first += at_a_time) {
    as_wide<T> hits = 0;
    for (std::uint64_t k = 0; k != at_a_time; ++k) {
      hits = static_cast<as_wide<T>>(hits | static_cast<as_wide<T>>(test(first + k)));
    }
    if (hits != 0) {
      break;
    }
  }
  while (first != last && !test(first)) {
    ++first;
  }
  return first;
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
