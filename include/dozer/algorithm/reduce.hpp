// Sums and other reductions to one value.
#pragma once

#include <dozer/detail/elements.hpp>
#include <dozer/detail/fold.hpp>
#include <dozer/detail/mapped.hpp>
#include <dozer/detail/range_access.hpp>
#include <dozer/detail/reduction.hpp>
#include <dozer/detail/requirements.hpp>
#include <dozer/loop_options.hpp>
#include <dozer/named.hpp>

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

namespace dozer::inline DOZER_PLATFORM {

namespace detail {

/// What an operation is called with while it reduces elements to a T.
template <class T, class Op, class Element>
consteval bool needs_reduction() {
  static_assert(needs_operation<Op, T, T>());
  static_assert(needs_operation<Op, T, Element>());
  if constexpr (!std::is_constructible_v<T, Element>) {
    static_assert(std::is_invocable_r_v<T, Op&, Element, Element>,
                  "dozer: an element must convert to the type of the result, or the operation must be callable with "
                  "two elements");
  }
  return true;
}

template <bool cheap, class T, class Op, class F, class... Is>
[[nodiscard]] T reduce_elements(std::uint64_t count, T&& init, Op& op, const mapped<F, Is...>& all,
                                const loop_options& options, const char* name) {
  using kind = reduction<T, Op, mapped<F, Is...>>;
  if (count < kind::least_unit) {
    if (count != 0 && !options.stop.stop_requested()) {
      return static_cast<T>(op(std::move(init), all.from(0)[0]));
    }
    return std::move(init);
  }
  const kind how(op, all, count);
  if constexpr (cheap) {
    if (runs_at_once(count, options)) {  // as a fold would do it, but without an optional
      return options.stop.stop_requested() ? std::move(init) : how.merge(std::move(init), how.begin(0, how.units()));
    }
  }
  std::optional<T> sum = detail::fold<T, cheap>(how.units(), how, options, name);
  return sum ? how.merge(std::move(init), std::move(*sum)) : std::move(init);
}

}  // namespace detail

/// init and all elements, combined by op (by default added) in the order of the range. op must be associative; it need
/// not be commutative. Sums of numbers are added in any order. How elements are grouped differs from call to call:
/// reduce_deterministic always groups them the same way. If the loop is stopped, some elements are left out. Extra
/// memory: a value for each thread.
template <class I, class S, class T, class Op>
requires detail::iterator_pair<I, S>
[[nodiscard]] T reduce(I first, S last, T init, Op op, const loop_options& options = default_options) {
  static_assert(detail::needs_random_access<I, S>());
  static_assert(detail::needs_reduction<T, Op, std::iter_reference_t<I>>());
  constexpr bool cheap = detail::is_cheap<detail::plain_t<I>, Op> && std::is_arithmetic_v<T>;
  std::identity same;
  return detail::reduce_elements<cheap>(detail::count_of(first, last), std::move(init), op,
                                        detail::mapped(same, detail::plain(first)), options, detail::name_of(op));
}
template <class I, class S, class T>
requires detail::iterator_pair<I, S>
[[nodiscard]] T reduce(I first, S last, T init, const loop_options& options = default_options) {
  return dozer::reduce(std::move(first), std::move(last), std::move(init), std::plus<>(), options);
}
template <class I, class S>
requires detail::iterator_pair<I, S>
[[nodiscard]] std::iter_value_t<I> reduce(I first, S last, const loop_options& options = default_options) {
  return dozer::reduce(std::move(first), std::move(last), std::iter_value_t<I>(), std::plus<>(), options);
}
template <std::ranges::range R, detail::value_argument<R> T, class Op>
[[nodiscard]] T reduce(R&& range, T init, Op op, const loop_options& options = default_options) {
  return dozer::reduce(std::ranges::begin(range), std::ranges::end(range), std::move(init), std::move(op), options);
}
template <std::ranges::range R, detail::value_argument<R> T>
[[nodiscard]] T reduce(R&& range, T init, const loop_options& options = default_options) {
  return dozer::reduce(std::ranges::begin(range), std::ranges::end(range), std::move(init), std::plus<>(), options);
}
template <std::ranges::range R>
[[nodiscard]] std::ranges::range_value_t<R> reduce(R&& range, const loop_options& options = default_options) {
  return dozer::reduce(std::ranges::begin(range), std::ranges::end(range), std::ranges::range_value_t<R>(),
                       std::plus<>(), options);
}

/// The same for transform(element) in place of each element. transform is called once for each.
template <class I, class S, class T, class Op, class F>
requires detail::iterator_pair_not_arrays<I, S>
[[nodiscard]] T transform_reduce(I first, S&& last, T init, Op op, F transform,
                                 const loop_options& options = default_options) {
  static_assert(detail::needs_random_access<I, std::remove_cvref_t<S>>());
  static_assert(detail::needs_function<F, std::iter_reference_t<I>>());
  using all = detail::mapped<F, detail::plain_t<I>>;
  static_assert(detail::needs_reduction<T, Op, typename all::value>());
  return detail::reduce_elements<false>(detail::count_of(first, last), std::move(init), op,
                                        all(transform, detail::plain(first)), options, detail::name_of(transform));
}
template <std::ranges::range R, class T, detail::function_argument Op, class F>
[[nodiscard]] T transform_reduce(R&& range, T init, Op op, F transform, const loop_options& options = default_options) {
  return dozer::transform_reduce(std::ranges::begin(range), std::ranges::end(range), std::move(init), std::move(op),
                                 std::move(transform), options);
}

/// The same for transform(a, b), by default a * b, of the elements of two ranges. The second one must be as long as the
/// first one; of two given as ranges the shorter one counts.
template <class I1, class S1, class I2, class T, class Op, class F>
requires detail::iterator_pair<I1, S1> && std::input_or_output_iterator<I2>
[[nodiscard]] T transform_reduce(I1 first1, S1 last1, I2 first2, T init, Op op, F transform,
                                 const loop_options& options = default_options) {
  static_assert(detail::needs_random_access<I1, S1>());
  static_assert(detail::needs_random_access<I2, I2>());
  static_assert(detail::needs_function_of_two<F, std::iter_reference_t<I1>, std::iter_reference_t<I2>>());
  using all = detail::mapped<F, detail::plain_t<I1>, detail::plain_t<I2>>;
  static_assert(detail::needs_reduction<T, Op, typename all::value>());
  constexpr bool cheap =
      detail::is_cheap<detail::plain_t<I1>, Op, F> && detail::is_cheap<detail::plain_t<I2>> && std::is_arithmetic_v<T>;
  return detail::reduce_elements<cheap>(detail::count_of(first1, last1), std::move(init), op,
                                        all(transform, detail::plain(first1), detail::plain(first2)), options,
                                        detail::name_of(transform));
}
template <class I1, class S1, class I2, class T>
requires detail::iterator_pair<I1, S1> && std::input_or_output_iterator<I2>
[[nodiscard]] T transform_reduce(I1 first1, S1 last1, I2 first2, T init,
                                 const loop_options& options = default_options) {
  return dozer::transform_reduce(std::move(first1), std::move(last1), std::move(first2), std::move(init), std::plus<>(),
                                 std::multiplies<>(), options);
}
template <std::ranges::range R1, std::ranges::range R2, class T, class Op, class F>
[[nodiscard]] T transform_reduce(R1&& range1, R2&& range2, T init, Op op, F transform,
                                 const loop_options& options = default_options) {
  const auto first1 = std::ranges::begin(range1);
  const auto last1 =
      detail::end_of_both(first1, std::ranges::end(range1), std::ranges::begin(range2), std::ranges::end(range2));
  return dozer::transform_reduce(first1, last1, std::ranges::begin(range2), std::move(init), std::move(op),
                                 std::move(transform), options);
}
template <std::ranges::range R1, std::ranges::range R2, class T>
[[nodiscard]] T transform_reduce(R1&& range1, R2&& range2, T init, const loop_options& options = default_options) {
  return dozer::transform_reduce(range1, range2, std::move(init), std::plus<>(), std::multiplies<>(), options);
}

}  // namespace dozer::inline DOZER_PLATFORM
