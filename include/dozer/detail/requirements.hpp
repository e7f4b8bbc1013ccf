// What algorithms ask of their arguments, beyond what loops do.
#pragma once

#include <dozer/detail/loop_requirements.hpp>
#include <dozer/detail/platform_name.hpp>
#include <dozer/detail/range_access.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>
#include <iterator>
#include <type_traits>

namespace dozer::inline DOZER_PLATFORM::detail {

/// As iterator_pair, where a third iterator says where results go.
template <class I, class S, class Out>
concept iterators_and_output = iterator_pair<I, S> && std::input_or_output_iterator<Out>;

// An array is a range, and where an argument is taken by value also a pointer to its first element. So both overloads
// take f(array, array + n, ...), and the one with a range has to refuse it; and two arrays are two ranges.

/// Tells a function from an iterator: sort(range, compare) from sort(first, last).
template <class F>
concept function_argument = !std::input_or_output_iterator<F>;

/// Tells a value from the end of an array: find(range, value, proj) from find(first, last, value).
template <class T, class R>
concept value_argument = !iterator_pair<std::decay_t<R>, T>;

/// As iterator_pair, for `S&& last`: transform(first, last, out, f) is not transform(array, array, out, f).
template <class I, class S>
concept iterator_pair_not_arrays = iterator_pair<I, std::remove_cvref_t<S>>;

/// What a projection makes of an element.
template <class I, class Proj>
using projected_t = std::invoke_result_t<Proj&, std::iter_reference_t<I>>;

/// For where results go.
template <class Out, class T>
consteval bool needs_output() {
  static_assert(std::random_access_iterator<Out>,
                "dozer: a parallel algorithm needs random access to where it writes; make the container large enough "
                "first, in place of std::back_inserter");
  static_assert(needs_separate_elements<Out>());
  static_assert(std::indirectly_writable<Out, T>,
                "dozer: the elements that are written to must be assignable from what is written");
  return true;
}

/// For elements that are made or assigned in place.
template <class I, class T>
consteval bool needs_assignable_elements() {
  static_assert(needs_separate_elements<I>());
  static_assert(std::indirectly_writable<I, T>,
                "dozer: the elements that are written to must be assignable from what is written");
  return true;
}

/// For algorithms that move the elements of their range.
template <class I>
consteval bool needs_movable_elements() {
  static_assert(needs_separate_elements<I>());
  static_assert(std::permutable<I>,
                "dozer: the elements must be writable and movable: a range of const elements, or "
                "one that makes its elements when they are read, cannot be reordered");
  return true;
}

template <class Proj, class I>
consteval bool needs_projection() {
  static_assert(std::is_invocable_v<Proj&, std::iter_reference_t<I>>,
                "dozer: the projection must be callable with an element of the range");
  return true;
}

template <class F, class... Args>
consteval bool needs_predicate() {
  static_assert(std::is_invocable_v<F&, Args...>,
                "dozer: the predicate must be callable with an element of the range (after the projection)");
  static_assert(std::is_invocable_r_v<bool, F&, Args...>, "dozer: the predicate must return what converts to bool");
  return true;
}

template <class Compare, class T, class U = T>
consteval bool needs_order() {
  static_assert(std::is_invocable_r_v<bool, Compare&, T, U> && std::is_invocable_r_v<bool, Compare&, U, T>,
                "dozer: the comparison must be callable with two elements (after the projection) and return bool");
  return true;
}

template <class F, class... Args>
consteval bool needs_function_of_two() {
  static_assert(std::is_invocable_v<F&, Args...>,
                "dozer: the function must be callable with an element of each range (after the projections)");
  return true;
}

/// For values that are looked for, and predicates over two ranges.
template <class F, class T, class U>
consteval bool needs_equality() {
  static_assert(std::is_invocable_r_v<bool, F&, T, U>,
                "dozer: the two kinds of elements (after the projections) must be comparable with ==, or with the "
                "predicate, which must return what converts to bool");
  return true;
}

template <class F>
consteval bool needs_generator() {
  static_assert(std::is_invocable_v<F&>, "dozer: the generator must be callable without arguments");
  return true;
}

/// An operation that makes one T of two values.
template <class Op, class T, class U = T>
consteval bool needs_operation() {
  static_assert(
      std::is_invocable_v<Op&, T, U>,
      "dozer: the operation must be callable with two values: of the result, of the elements, or one of each");
  static_assert(std::is_convertible_v<std::invoke_result_t<Op&, T, U>, std::remove_cvref_t<T>>,
                "dozer: what the operation returns must convert to the type of the result");
  return true;
}

/// For algorithms that begin a result with an element.
template <class From, class T>
consteval bool needs_conversion() {
  static_assert(std::is_constructible_v<T, From>,
                "dozer: the elements (after the transformation) must convert to the type of the result");
  return true;
}

// Objects, not functions: a call then looks for no function of that name in the namespaces of its arguments.

/// How many elements; none if last stands before first.
inline constexpr auto count_of = []<class I, class S>(const I& first, const S& last) -> std::uint64_t {
  const auto n = last - first;
  return n > 0 ? static_cast<std::uint64_t>(n) : 0;
};

/// The iterator `n` after another.
inline constexpr auto after = []<class I>(const I& first, std::uint64_t n) -> I {
  return first + static_cast<std::iter_difference_t<I>>(n);
};

/// Where the first of two ranges ends if it may not be longer than the second one.
template <class I1, class S1, class I2, class S2>
[[nodiscard]] constexpr I1 end_of_both(const I1& first1, const S1& last1, const I2& first2, const S2& last2) {
  static_assert(needs_random_access<I1, S1>());
  static_assert(needs_random_access<I2, S2>());
  return after(first1, std::min(count_of(first1, last1), count_of(first2, last2)));
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
