// How algorithms read and judge the elements of ranges.
#pragma once

#include <dozer/detail/kept_closure.hpp>
#include <dozer/detail/platform.hpp>
#include <dozer/detail/requirements.hpp>

#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <tuple>
#include <type_traits>

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
using plain_t = decltype(plain(std::declval<const I&>()));

template <class F>
inline constexpr bool is_std_operation = false;
template <>
inline constexpr bool is_std_operation<std::identity> = true;
template <class T>
inline constexpr bool is_std_operation<std::plus<T>> = true;
template <class T>
inline constexpr bool is_std_operation<std::multiplies<T>> = true;
template <class T>
inline constexpr bool is_std_operation<std::less<T>> = true;
template <class T>
inline constexpr bool is_std_operation<std::greater<T>> = true;
template <class T>
inline constexpr bool is_std_operation<std::equal_to<T>> = true;
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

/// The function of each element of a range, or of each two of two ranges.
template <class F, class... Is>
class elements {
  static constexpr bool are_stored = (std::is_reference_v<std::iter_reference_t<Is>> && ...);
  using made = std::invoke_result_t<F&, std::iter_reference_t<Is>...>;

 public:
  /// A function that returns a part of its argument returns a copy if the argument is not stored anywhere.
  using value = std::conditional_t<are_stored, made, std::remove_cvref_t<made>>;

  elements(F& f, const Is&... firsts) : f_(f), firsts_(firsts...) {}

  /// For the time of a block, with a copy of a small closure.
  class block_view {
   public:
    block_view(F& f, const Is&... firsts) : f_(f), firsts_(firsts...) {}
    [[nodiscard]] DOZER_HOT value operator[](std::uint64_t k) {
      return std::apply(
          [&](auto&... at) -> value {
            return std::invoke(f_, at[static_cast<std::iter_difference_t<std::remove_cvref_t<decltype(at)>>>(k)]...);
          },
          firsts_);
    }

   private:
    in_block<F> f_;
    std::tuple<Is...> firsts_;
  };
  [[nodiscard]] DOZER_HOT block_view from(std::uint64_t n) const {
    return std::apply([&](const auto&... at) { return block_view(f_, after(at, n)...); }, firsts_);
  }

 private:
  F& f_;
  std::tuple<Is...> firsts_;
};

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
