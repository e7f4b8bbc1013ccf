// How algorithms read and judge the elements of ranges.
#pragma once

#include <dozer/detail/platform_name.hpp>

#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

namespace dozer::inline DOZER_PLATFORM::detail {

/// A pointer where elements stand side by side in memory: one instance then serves many containers.
template <class I>
[[nodiscard]] constexpr auto plain(const I& i) {
  if constexpr (std::contiguous_iterator<I>) {
    return std::to_address(i);
  } else {
    return i;
  }
}
template <class I>
using plain_t = decltype(detail::plain(std::declval<const I&>()));

/// For elements of any type, or for scalars: one for a class calls its code, and makes objects of elements.
template <class T>
inline constexpr bool is_for_scalars = std::is_void_v<T> || std::is_scalar_v<T>;

template <class F>
inline constexpr bool is_std_operation = false;
template <>
inline constexpr bool is_std_operation<std::identity> = true;
template <class T>
inline constexpr bool is_std_operation<std::plus<T>> = is_for_scalars<T>;
template <class T>
inline constexpr bool is_std_operation<std::multiplies<T>> = is_for_scalars<T>;
template <class T>
inline constexpr bool is_std_operation<std::less<T>> = is_for_scalars<T>;
template <class T>
inline constexpr bool is_std_operation<std::greater<T>> = is_for_scalars<T>;
template <class T>
inline constexpr bool is_std_operation<std::equal_to<T>> = is_for_scalars<T>;
template <>
inline constexpr bool is_std_operation<std::ranges::less> = true;
template <>
inline constexpr bool is_std_operation<std::ranges::greater> = true;
template <>
inline constexpr bool is_std_operation<std::ranges::equal_to> = true;

/// True if T is a number, a pointer or an enumerator, and each F is an operation of the standard library that comes
/// with it. What is done with a few thousand of them is done before another thread could help.
template <class T, class... Fs>
inline constexpr bool is_cheap_value = std::is_scalar_v<T> && (is_std_operation<std::remove_cv_t<Fs>> && ...);
/// The same for elements that are read through a plain iterator: others may run code of the user's.
template <class I, class... Fs>
inline constexpr bool is_cheap = std::is_pointer_v<I>&& is_cheap_value<std::iter_value_t<I>, Fs...>;

}  // namespace dozer::inline DOZER_PLATFORM::detail
