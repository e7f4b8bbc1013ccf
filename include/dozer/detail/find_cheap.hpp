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

inline constexpr std::uint64_t tested_at_a_time = 64;

/// Whether test(number) holds for one of the next numbers, so many as are tested at a time. Without a branch, so that
/// the compiler can vectorise it: only for tests of elements of type T that are cheap and have no effects.
template <class T, class Test>
[[nodiscard]] DOZER_HOT bool holds_for_one(std::uint64_t first, const Test& test) {
  as_wide<T> hits = 0;
  for (std::uint64_t k = 0; k != tested_at_a_time; ++k) {
    hits = static_cast<as_wide<T>>(hits | static_cast<as_wide<T>>(test(first + k)));
  }
  return hits != 0;
}

/// The first number from `first` to before `last` for which test(number) holds, or `last`.
template <class T, class Test>
[[nodiscard]] DOZER_HOT std::uint64_t find_cheap(std::uint64_t first, std::uint64_t last, const Test& test) {
  while (last - first >= tested_at_a_time && !holds_for_one<T>(first, test)) {
    first += tested_at_a_time;
  }
  while (first != last && !test(first)) {
    ++first;
  }
  return first;
}

/// The number behind the last one for which test(number) holds, or `first`.
template <class T, class Test>
[[nodiscard]] DOZER_HOT std::uint64_t find_cheap_backwards(std::uint64_t first, std::uint64_t last, const Test& test) {
  while (last - first >= tested_at_a_time && !holds_for_one<T>(last - tested_at_a_time, test)) {
    last -= tested_at_a_time;
  }
  while (first != last && !test(last - 1)) {
    --last;
  }
  return last;
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
