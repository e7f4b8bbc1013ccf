// A function of each element, or of each two of two ranges, written to a third one.
#pragma once

#include <dozer/detail/blocks.hpp>
#include <dozer/detail/elements.hpp>
#include <dozer/detail/kept_closure.hpp>
#include <dozer/detail/range_access.hpp>
#include <dozer/detail/requirements.hpp>
#include <dozer/loop_options.hpp>
#include <dozer/named.hpp>

#include <cstdint>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

namespace dozer::inline DOZER_PLATFORM {

/// Writes f(element) for each element to the same place in the range that begins at out, and returns the end of that.
/// out may be first. f is called once for each element, in any order and possibly in parallel; the calls share one f,
/// or copies of it if it is small. If the loop is stopped, or a call throws, some places are not written. Extra memory:
/// none.
template <class I, class S, class Out, detail::function_argument F, class Proj = std::identity>
requires detail::iterator_pair_not_arrays<I, S> && std::input_or_output_iterator<Out> Out
transform(I first, S&& last, Out out, F f, Proj proj = {}, const loop_options& options = default_options) {
  static_assert(detail::needs_random_access<I, std::remove_cvref_t<S>>());
  static_assert(detail::needs_projection<Proj, I>());
  static_assert(detail::needs_function<F, detail::projected_t<I, Proj>>());
  static_assert(detail::needs_output<Out, std::invoke_result_t<F&, detail::projected_t<I, Proj>>>());
  const std::uint64_t count = detail::count_of(first, last);
  const auto begin = detail::plain(first);
  const auto begin_out = detail::plain(out);
  const auto each = [&](std::uint64_t from, std::uint64_t to) {
    detail::in_block<F> call = f;
    detail::in_block<Proj> key = proj;
    auto at = detail::after(begin, from);
    auto at_out = detail::after(begin_out, from);
    for (; from != to; ++from, ++at, ++at_out) {
      *at_out = std::invoke(call, std::invoke(key, *at));
    }
  };
  detail::for_spans<false>(count, each, options, detail::name_of(f));
  return detail::after(out, count);
}
template <class I, class S, class Out, detail::function_argument F>
requires detail::iterator_pair_not_arrays<I, S> && std::input_or_output_iterator<Out> Out
transform(I first, S&& last, Out out, F f, const loop_options& options) {
  return dozer::transform(std::move(first), std::forward<S>(last), std::move(out), std::move(f), {}, options);
}
template <std::ranges::range R, class Out, detail::function_argument F, class Proj = std::identity>
requires std::input_or_output_iterator<Out> Out transform(R&& range, Out out, F f, Proj proj = {},
                                                          const loop_options& options = default_options) {
  return dozer::transform(std::ranges::begin(range), std::ranges::end(range), std::move(out), std::move(f),
                          std::move(proj), options);
}
template <std::ranges::range R, class Out, detail::function_argument F>
requires std::input_or_output_iterator<Out> Out transform(R&& range, Out out, F f, const loop_options& options) {
  return dozer::transform(std::ranges::begin(range), std::ranges::end(range), std::move(out), std::move(f), {},
                          options);
}

/// The same with f(a, b) for the elements of two ranges. The second one must be as long as the first one; of two given
/// as ranges the shorter one counts.
template <class I1, class S1, class I2, class Out, class F, class Proj1 = std::identity, class Proj2 = std::identity>
requires detail::iterator_pair<I1, S1> && std::input_or_output_iterator<Out> Out
transform(I1 first1, S1 last1, I2 first2, Out out, F f, Proj1 proj1 = {}, Proj2 proj2 = {},
          const loop_options& options = default_options) {
  static_assert(detail::needs_random_access<I1, S1>());
  static_assert(detail::needs_random_access<I2, I2>());
  static_assert(detail::needs_projection<Proj1, I1>());
  static_assert(detail::needs_projection<Proj2, I2>());
  using key1 = detail::projected_t<I1, Proj1>;
  using key2 = detail::projected_t<I2, Proj2>;
  static_assert(detail::needs_function_of_two<F, key1, key2>());
  static_assert(detail::needs_output<Out, std::invoke_result_t<F&, key1, key2>>());
  const std::uint64_t count = detail::count_of(first1, last1);
  const auto begin1 = detail::plain(first1);
  const auto begin2 = detail::plain(first2);
  const auto begin_out = detail::plain(out);
  const auto each = [&](std::uint64_t from, std::uint64_t to) {
    detail::in_block<F> call = f;
    detail::in_block<Proj1> p1 = proj1;
    detail::in_block<Proj2> p2 = proj2;
    auto at1 = detail::after(begin1, from);
    auto at2 = detail::after(begin2, from);
    auto at_out = detail::after(begin_out, from);
    for (; from != to; ++from, ++at1, ++at2, ++at_out) {
      *at_out = std::invoke(call, std::invoke(p1, *at1), std::invoke(p2, *at2));
    }
  };
  detail::for_spans<false>(count, each, options, detail::name_of(f));
  return detail::after(out, count);
}
template <class I1, class S1, class I2, class Out, class F>
requires detail::iterator_pair<I1, S1> && std::input_or_output_iterator<Out> Out
transform(I1 first1, S1 last1, I2 first2, Out out, F f, const loop_options& options) {
  return dozer::transform(std::move(first1), std::move(last1), std::move(first2), std::move(out), std::move(f), {}, {},
                          options);
}
template <class I1, class S1, class I2, class Out, class F, class Proj1 = std::identity>
requires detail::iterator_pair<I1, S1> && std::input_or_output_iterator<Out> Out
transform(I1 first1, S1 last1, I2 first2, Out out, F f, Proj1 proj1, const loop_options& options) {
  return dozer::transform(std::move(first1), std::move(last1), std::move(first2), std::move(out), std::move(f),
                          std::move(proj1), {}, options);
}
template <std::ranges::range R1, std::ranges::range R2, class Out, class F, class Proj1 = std::identity,
          class Proj2 = std::identity>
requires std::input_or_output_iterator<Out> Out transform(R1&& range1, R2&& range2, Out out, F f, Proj1 proj1 = {},
                                                          Proj2 proj2 = {},
                                                          const loop_options& options = default_options) {
  const auto first1 = std::ranges::begin(range1);
  const auto first2 = std::ranges::begin(range2);
  const auto last1 = detail::end_of_both(first1, std::ranges::end(range1), first2, std::ranges::end(range2));
  return dozer::transform(first1, last1, first2, std::move(out), std::move(f), std::move(proj1), std::move(proj2),
                          options);
}
template <std::ranges::range R1, std::ranges::range R2, class Out, class F>
requires std::input_or_output_iterator<Out> Out transform(R1&& range1, R2&& range2, Out out, F f,
                                                          const loop_options& options) {
  return dozer::transform(range1, range2, std::move(out), std::move(f), {}, {}, options);
}
template <std::ranges::range R1, std::ranges::range R2, class Out, class F, class Proj1 = std::identity>
requires std::input_or_output_iterator<Out> Out transform(R1&& range1, R2&& range2, Out out, F f, Proj1 proj1,
                                                          const loop_options& options) {
  return dozer::transform(range1, range2, std::move(out), std::move(f), std::move(proj1), {}, options);
}

}  // namespace dozer::inline DOZER_PLATFORM
