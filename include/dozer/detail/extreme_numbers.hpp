// The smallest and the largest of numbers that stand in memory. A block yields the value first, which vectorises; where
// the value stands is looked up only if it beats what was found before.
#pragma once

#include <dozer/detail/elements.hpp>
#include <dozer/detail/find_cheap.hpp>
#include <dozer/detail/platform.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <type_traits>

namespace dozer::inline DOZER_PLATFORM::detail {

template <class Compare, class T>
inline constexpr bool is_default_order =
    std::is_same_v<Compare, std::less<>> || std::is_same_v<Compare, std::less<T>> ||
    std::is_same_v<Compare, std::ranges::less>;

/// True for numbers behind a pointer, in their usual order.
template <class I, class Compare, class Proj>
inline constexpr bool are_numbers_in_order =
    std::is_pointer_v<I> && !std::is_volatile_v<std::remove_pointer_t<I>> &&
    std::is_arithmetic_v<std::iter_value_t<I>> && is_default_order<std::remove_cv_t<Compare>, std::iter_value_t<I>> &&
    std::is_same_v<std::remove_cv_t<Proj>, std::identity>;

/// Calls f(from, to) for parts of the stretch that stay in the first cache between two looks at them.
template <class F>
DOZER_HOT void for_cached(std::uint64_t from, std::uint64_t to, const F& f) {
  constexpr std::uint64_t most = 1024;
  while (from != to) {
    const std::uint64_t end = from + std::min(most, to - from);
    f(from, end);
    from = end;
  }
}

/// How many bytes the processor compares at once, as far as the compiler may know; 0: it compares no such numbers.
template <class T>
[[nodiscard]] consteval std::uint64_t compared_at_once() {
#if defined(__AVX512F__)
  constexpr std::uint64_t bytes = 64;
#elif defined(__AVX2__)
  constexpr std::uint64_t bytes = 32;
#elif defined(__SSE4_2__) || !defined(__x86_64__)
  constexpr std::uint64_t bytes = 16;
#else
  constexpr std::uint64_t bytes = std::is_floating_point_v<T> ? 16 : 0;
#endif
  return std::is_same_v<T, bool> || std::is_same_v<T, long double> ? 0 : bytes;
}

/// The largest of `count` numbers, or the smallest. A NaN is neither, wherever it stands.
template <bool largest, class T>
[[nodiscard]] T extreme_value(const T* at, std::uint64_t count) noexcept {
  using limits = std::numeric_limits<T>;
  const auto better = [](T a, T b) { return largest ? (b < a ? a : b) : (a < b ? a : b); };
  T best = largest ? limits::lowest() : limits::max();
  if constexpr (limits::has_infinity && __FINITE_MATH_ONLY__ == 0) {
    best = largest ? -limits::infinity() : limits::infinity();
  }
  // GCC 12 vectorises no loop that looks for the best of each lane.
  if constexpr (constexpr std::uint64_t bytes = compared_at_once<T>(); bytes != 0) {
    constexpr std::uint64_t lanes = bytes / sizeof(T);
    using vector [[gnu::vector_size(bytes)]] = T;
    vector even = best - vector{}, odd = even;
    for (; count >= 2 * lanes; at += 2 * lanes, count -= 2 * lanes) {
      vector x, y;
      std::memcpy(&x, at, bytes);
      std::memcpy(&y, at + lanes, bytes);
      even = largest ? (even < x ? x : even) : (x < even ? x : even);
      odd = largest ? (odd < y ? y : odd) : (y < odd ? y : odd);
    }
    even = largest ? (even < odd ? odd : even) : (odd < even ? odd : even);
    for (std::uint64_t lane = 0; lane != lanes; ++lane) {
      best = better(even[lane], best);
    }
  }
  T other = best;
  for (; count >= 2; at += 2, count -= 2) {
    best = better(at[0], best);
    other = better(at[1], other);
  }
  best = count != 0 ? better(*at, best) : best;
  return better(other, best);
}

/// For a fold: the number of the smallest element, or of the largest. Of equal ones the first.
template <bool largest, class T>
struct extreme_number {
  const T* first;

  [[nodiscard]] std::uint64_t begin(std::uint64_t from, std::uint64_t to) const noexcept {
    std::uint64_t best = from;
    add(best, from + 1, to);
    return best;
  }
  void add(std::uint64_t& best, std::uint64_t from, std::uint64_t to) const noexcept {
    for_cached(from, to, [this, &best](std::uint64_t begin, std::uint64_t end) {
      const T value = extreme_value<largest>(first + begin, end - begin);
      if (largest ? first[best] < value : value < first[best]) {
        const std::uint64_t found =
            find_cheap<T>(begin, end, [numbers = first, value](std::uint64_t k) { return numbers[k] == value; });
        best = found != end ? found : best;  // an infinity is not found where the compiler knows none
      }
    });
  }
  [[nodiscard]] std::uint64_t merge(std::uint64_t a, std::uint64_t b) const noexcept {
    add(a, b, b + 1);
    return a;
  }
};

/// For a fold: the number of the largest element. Of equal ones the last.
template <class T>
struct last_largest {
  const T* first;

  void add(std::uint64_t& best, std::uint64_t from, std::uint64_t to) const noexcept {
    for_cached(from, to, [this, &best](std::uint64_t begin, std::uint64_t end) {
      const T value = extreme_value<true>(first + begin, end - begin);
      if (!(value < first[best])) {
        const std::uint64_t behind = find_cheap_backwards<T>(
            begin, end, [numbers = first, value](std::uint64_t k) { return numbers[k] == value; });
        best = behind != begin ? behind - 1 : best;  // a NaN is not found
      }
    });
  }
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
