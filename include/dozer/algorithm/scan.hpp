// Scans: each result is the sum of the elements up to a place, for any operation that is associative.
#pragma once

#include <dozer/detail/range_access.hpp>
#include <dozer/detail/requirements.hpp>
#include <dozer/detail/scan.hpp>
#include <dozer/loop_options.hpp>

#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

namespace dozer::inline DOZER_PLATFORM {

/// Writes op(...op(op(x0, x1), x2)..., xi) for each element xi, with init in front if there is one. op must be
/// associative; it need not be commutative. out may be the first element itself. Returns where the results end. If a
/// stop is requested, that is where it stopped: the results up to there are complete, and nothing is written behind it.
/// op is called at most twice for each element, and once if one thread does it all. Extra memory: up to four
/// values for each chunk that is begun before its turn (docs/algorithms.md, "Early chunks").
template <class I, class S, class Out, class Op, class T>
requires detail::iterators_and_output<I, S, Out> Out inclusive_scan(I first, S last, Out out, Op op, T init,
                                                                    const loop_options& options = default_options) {
  std::identity un;
  return detail::scan<detail::scan_kind::inclusive, T>(first, last, out, op, un, options, std::move(init));
}
template <std::ranges::range R, class Out, detail::function_argument Op, class T>
Out inclusive_scan(R&& range, Out out, Op op, T init, const loop_options& options = default_options) {
  return dozer::inclusive_scan(std::ranges::begin(range), std::ranges::end(range), std::move(out), std::move(op),
                               std::move(init), options);
}
template <class I, class S, class Out, class Op>
requires detail::iterators_and_output<I, S, Out> Out inclusive_scan(I first, S last, Out out, Op op,
                                                                    const loop_options& options = default_options) {
  std::identity un;
  return detail::scan<detail::scan_kind::inclusive, std::iter_value_t<I>>(first, last, out, op, un, options);
}
template <std::ranges::range R, class Out, detail::function_argument Op>
Out inclusive_scan(R&& range, Out out, Op op, const loop_options& options = default_options) {
  return dozer::inclusive_scan(std::ranges::begin(range), std::ranges::end(range), std::move(out), std::move(op),
                               options);
}
template <class I, class S, class Out>
requires detail::iterators_and_output<I, S, Out> Out inclusive_scan(I first, S last, Out out,
                                                                    const loop_options& options = default_options) {
  std::plus<> op;
  std::identity un;
  return detail::scan<detail::scan_kind::inclusive, std::iter_value_t<I>>(first, last, out, op, un, options);
}
template <std::ranges::range R, class Out>
Out inclusive_scan(R&& range, Out out, const loop_options& options = default_options) {
  return dozer::inclusive_scan(std::ranges::begin(range), std::ranges::end(range), std::move(out), options);
}

/// The same without xi itself: the first result is init.
template <class I, class S, class Out, class T, class Op>
requires detail::iterators_and_output<I, S, Out> Out exclusive_scan(I first, S last, Out out, T init, Op op,
                                                                    const loop_options& options = default_options) {
  std::identity un;
  return detail::scan<detail::scan_kind::exclusive, T>(first, last, out, op, un, options, std::move(init));
}
template <std::ranges::range R, class Out, class T, class Op>
requires(!detail::iterators_and_output<std::decay_t<R>, Out, T>) Out
    exclusive_scan(R&& range, Out out, T init, Op op, const loop_options& options = default_options) {
  return dozer::exclusive_scan(std::ranges::begin(range), std::ranges::end(range), std::move(out), std::move(init),
                               std::move(op), options);
}
template <class I, class S, class Out, class T>
requires detail::iterators_and_output<I, S, Out> Out exclusive_scan(I first, S last, Out out, T init,
                                                                    const loop_options& options = default_options) {
  std::plus<> op;
  std::identity un;
  return detail::scan<detail::scan_kind::exclusive, T>(first, last, out, op, un, options, std::move(init));
}
template <std::ranges::range R, class Out, class T>
requires(!detail::iterators_and_output<std::decay_t<R>, Out, T>) Out
    exclusive_scan(R&& range, Out out, T init, const loop_options& options = default_options) {
  return dozer::exclusive_scan(std::ranges::begin(range), std::ranges::end(range), std::move(out), std::move(init),
                               options);
}

/// inclusive_scan of f(x) for each element x. f is called as often as op, at most twice for each element.
template <class I, class S, class Out, class Op, class F, class T>
requires detail::iterators_and_output<I, S, Out> Out
transform_inclusive_scan(I first, S last, Out out, Op op, F f, T init, const loop_options& options = default_options) {
  return detail::scan<detail::scan_kind::inclusive, T>(first, last, out, op, f, options, std::move(init));
}
template <std::ranges::range R, class Out, detail::function_argument Op, class F, class T>
Out transform_inclusive_scan(R&& range, Out out, Op op, F f, T init, const loop_options& options = default_options) {
  return dozer::transform_inclusive_scan(std::ranges::begin(range), std::ranges::end(range), std::move(out),
                                         std::move(op), std::move(f), std::move(init), options);
}
template <class I, class S, class Out, class Op, class F>
requires detail::iterators_and_output<I, S, Out> Out
transform_inclusive_scan(I first, S last, Out out, Op op, F f, const loop_options& options = default_options) {
  static_assert(detail::needs_function<F, std::iter_reference_t<I>>());
  using value = std::decay_t<std::invoke_result_t<F&, std::iter_reference_t<I>>>;
  return detail::scan<detail::scan_kind::inclusive, value>(first, last, out, op, f, options);
}
template <std::ranges::range R, class Out, detail::function_argument Op, class F>
Out transform_inclusive_scan(R&& range, Out out, Op op, F f, const loop_options& options = default_options) {
  return dozer::transform_inclusive_scan(std::ranges::begin(range), std::ranges::end(range), std::move(out),
                                         std::move(op), std::move(f), options);
}

/// exclusive_scan of f(x) for each element x.
template <class I, class S, class Out, class T, class Op, class F>
requires detail::iterators_and_output<I, S, Out> Out
transform_exclusive_scan(I first, S last, Out out, T init, Op op, F f, const loop_options& options = default_options) {
  return detail::scan<detail::scan_kind::exclusive, T>(first, last, out, op, f, options, std::move(init));
}
template <std::ranges::range R, class Out, class T, class Op, class F>
Out transform_exclusive_scan(R&& range, Out out, T init, Op op, F f, const loop_options& options = default_options) {
  return dozer::transform_exclusive_scan(std::ranges::begin(range), std::ranges::end(range), std::move(out),
                                         std::move(init), std::move(op), std::move(f), options);
}

}  // namespace dozer::inline DOZER_PLATFORM
