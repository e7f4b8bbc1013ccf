// What can be sorted by the digits of a key: small elements that are copied as bytes are, in the order of a number in
// them.
#pragma once

#include <dozer/detail/platform.hpp>
#include <dozer/detail/requirements.hpp>

#include <bit>
#include <concepts>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <type_traits>

namespace dozer::inline DOZER_PLATFORM::detail {

template <std::size_t size>
using unsigned_of = std::conditional_t<
    size == 8, std::uint64_t,
    std::conditional_t<size == 4, std::uint32_t, std::conditional_t<size == 2, std::uint16_t, std::uint8_t>>>;

template <class K>
inline constexpr bool has_digits = (std::is_integral_v<K> && sizeof(K) <= 8) ||
                                   (std::is_floating_point_v<K> && std::numeric_limits<K>::is_iec559 &&
                                    (sizeof(K) == 4 || sizeof(K) == 8));

/// An unsigned number for each number, in the same order. Zeros of either sign are equal, as they are for `<`. Made of
/// the bits alone: with -ffast-math the compiler may take a floating-point sum with zero for no sum.
template <class K>
[[nodiscard]] DOZER_HOT auto digits_of(K k) noexcept {
  using bits = unsigned_of<sizeof(K)>;
  constexpr bits sign = static_cast<bits>(bits{1} << (8 * sizeof(K) - 1));
  if constexpr (std::is_floating_point_v<K>) {
    const bits b = std::bit_cast<bits>(k);
    return static_cast<bits>((b & sign) != 0 ? bits{0} - b : b ^ sign);  // sign - (b - sign): -0.0 goes to 0.0
  } else if constexpr (std::is_signed_v<K>) {
    return static_cast<bits>(static_cast<bits>(k) ^ sign);
  } else {
    return static_cast<bits>(k);
  }
}

/// Whether `Compare` orders keys as they are, or the other way round.
template <class Compare, class K>
inline constexpr bool is_upward = std::is_same_v<Compare, std::less<>> || std::is_same_v<Compare, std::less<K>> ||
                                  std::is_same_v<Compare, std::ranges::less>;
template <class Compare, class K>
inline constexpr bool is_downward =
    std::is_same_v<Compare, std::greater<>> || std::is_same_v<Compare, std::greater<K>> ||
    std::is_same_v<Compare, std::ranges::greater>;

/// The digits of an element.
template <bool downward, class Proj>
struct digit_key {
  Proj key;
  template <class T>
  [[nodiscard]] DOZER_HOT auto operator()(const T& element) const noexcept {
    const auto digits = detail::digits_of(std::invoke(key, element));
    return downward ? static_cast<decltype(digits)>(~digits) : digits;
  }
};

/// Elements in the order of a number in them. No code of a user's is called, which may be dear and may throw.
template <class I, class Compare, class Proj>
consteval bool is_cheap_order() {
  if constexpr (std::is_same_v<Proj, std::identity> || std::is_member_object_pointer_v<Proj>) {
    using T = std::iter_value_t<I>;
    using K = std::remove_cvref_t<std::invoke_result_t<Proj&, const T&>>;
    return std::is_trivially_copyable_v<T> && std::is_copy_assignable_v<T> && sizeof(T) <= 4 * sizeof(void*) &&
           has_digits<K> && (is_upward<Compare, K> || is_downward<Compare, K>);
  } else {
    return false;
  }
}
/// So many of them are not worth a look at the pool: about two microseconds.
inline constexpr std::uint64_t few_to_order = 1000;

template <class I, class Compare, class Proj>
consteval bool can_use_digits() {
  return std::contiguous_iterator<I> && is_cheap_order<I, Compare, Proj>();
}

template <class I, class Compare, class Proj>
using digit_key_of =
    digit_key<is_downward<Compare, std::remove_cvref_t<std::invoke_result_t<Proj&, const std::iter_value_t<I>&>>>,
              Proj>;

}  // namespace dozer::inline DOZER_PLATFORM::detail
