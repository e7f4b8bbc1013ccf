// The smallest and the largest element.
#pragma once

#include <dozer/detail/extremes.hpp>
#include <dozer/detail/range_access.hpp>
#include <dozer/detail/requirements.hpp>
#include <dozer/loop_options.hpp>

#include <functional>
#include <utility>

namespace dozer::inline DOZER_PLATFORM {

/// The first of the smallest elements, or last if there is no element. Compares count - 1 times. If the loop is
/// stopped: the smallest one of those that were looked at, or last. Extra memory: a number for each thread.
template <class I, class S, class Compare = std::less<>, class Proj = std::identity>
requires detail::iterator_pair<I, S>
[[nodiscard]] I min_element(I first, S last, Compare comp = {}, Proj proj = {},
                            const loop_options& options = default_options) {
  static_assert(detail::needs_random_access<I, S>());
  static_assert(detail::needs_projection<Proj, I>());
  static_assert(detail::needs_order<Compare, detail::projected_t<I, Proj>>());
  return detail::after(first, detail::find_extreme<false>(first, detail::count_of(first, last), comp, proj, options));
}
template <class I, class S, class Compare = std::less<>>
requires detail::iterator_pair<I, S>
[[nodiscard]] I min_element(I first, S last, Compare comp, const loop_options& options) {
  return dozer::min_element(std::move(first), std::move(last), std::move(comp), {}, options);
}
template <class I, class S>
requires detail::iterator_pair<I, S>
[[nodiscard]] I min_element(I first, S last, const loop_options& options) {
  return dozer::min_element(std::move(first), std::move(last), {}, {}, options);
}
template <std::ranges::range R, detail::function_argument Compare = std::less<>, class Proj = std::identity>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> min_element(R&& range, Compare comp = {}, Proj proj = {},
                                                              const loop_options& options = default_options) {
  return dozer::min_element(std::ranges::begin(range), std::ranges::end(range), std::move(comp), std::move(proj),
                            options);
}
template <std::ranges::range R, detail::function_argument Compare = std::less<>>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> min_element(R&& range, Compare comp, const loop_options& options) {
  return dozer::min_element(std::ranges::begin(range), std::ranges::end(range), std::move(comp), {}, options);
}
template <std::ranges::range R>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> min_element(R&& range, const loop_options& options) {
  return dozer::min_element(std::ranges::begin(range), std::ranges::end(range), {}, {}, options);
}

/// The first of the largest elements; otherwise like min_element.
template <class I, class S, class Compare = std::less<>, class Proj = std::identity>
requires detail::iterator_pair<I, S>
[[nodiscard]] I max_element(I first, S last, Compare comp = {}, Proj proj = {},
                            const loop_options& options = default_options) {
  static_assert(detail::needs_random_access<I, S>());
  static_assert(detail::needs_projection<Proj, I>());
  static_assert(detail::needs_order<Compare, detail::projected_t<I, Proj>>());
  return detail::after(first, detail::find_extreme<true>(first, detail::count_of(first, last), comp, proj, options));
}
template <class I, class S, class Compare = std::less<>>
requires detail::iterator_pair<I, S>
[[nodiscard]] I max_element(I first, S last, Compare comp, const loop_options& options) {
  return dozer::max_element(std::move(first), std::move(last), std::move(comp), {}, options);
}
template <class I, class S>
requires detail::iterator_pair<I, S>
[[nodiscard]] I max_element(I first, S last, const loop_options& options) {
  return dozer::max_element(std::move(first), std::move(last), {}, {}, options);
}
template <std::ranges::range R, detail::function_argument Compare = std::less<>, class Proj = std::identity>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> max_element(R&& range, Compare comp = {}, Proj proj = {},
                                                              const loop_options& options = default_options) {
  return dozer::max_element(std::ranges::begin(range), std::ranges::end(range), std::move(comp), std::move(proj),
                            options);
}
template <std::ranges::range R, detail::function_argument Compare = std::less<>>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> max_element(R&& range, Compare comp, const loop_options& options) {
  return dozer::max_element(std::ranges::begin(range), std::ranges::end(range), std::move(comp), {}, options);
}
template <std::ranges::range R>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> max_element(R&& range, const loop_options& options) {
  return dozer::max_element(std::ranges::begin(range), std::ranges::end(range), {}, {}, options);
}

/// The first of the smallest elements and the last of the largest ones; otherwise like min_element. Compares at most
/// 3 (count - 1) / 2 times.
template <class I, class S, class Compare = std::less<>, class Proj = std::identity>
requires detail::iterator_pair<I, S>
[[nodiscard]] std::pair<I, I> minmax_element(I first, S last, Compare comp = {}, Proj proj = {},
                                             const loop_options& options = default_options) {
  static_assert(detail::needs_random_access<I, S>());
  static_assert(detail::needs_projection<Proj, I>());
  static_assert(detail::needs_order<Compare, detail::projected_t<I, Proj>>());
  const auto [least, most] = detail::find_extremes(first, detail::count_of(first, last), comp, proj, options);
  return {detail::after(first, least), detail::after(first, most)};
}
template <class I, class S, class Compare = std::less<>>
requires detail::iterator_pair<I, S>
[[nodiscard]] std::pair<I, I> minmax_element(I first, S last, Compare comp, const loop_options& options) {
  return dozer::minmax_element(std::move(first), std::move(last), std::move(comp), {}, options);
}
template <class I, class S>
requires detail::iterator_pair<I, S>
[[nodiscard]] std::pair<I, I> minmax_element(I first, S last, const loop_options& options) {
  return dozer::minmax_element(std::move(first), std::move(last), {}, {}, options);
}
template <std::ranges::range R, detail::function_argument Compare = std::less<>, class Proj = std::identity>
[[nodiscard]] std::pair<std::ranges::borrowed_iterator_t<R>, std::ranges::borrowed_iterator_t<R>> minmax_element(
    R&& range, Compare comp = {}, Proj proj = {}, const loop_options& options = default_options) {
  return dozer::minmax_element(std::ranges::begin(range), std::ranges::end(range), std::move(comp), std::move(proj),
                               options);
}
template <std::ranges::range R, detail::function_argument Compare = std::less<>>
[[nodiscard]] std::pair<std::ranges::borrowed_iterator_t<R>, std::ranges::borrowed_iterator_t<R>> minmax_element(
    R&& range, Compare comp, const loop_options& options) {
  return dozer::minmax_element(std::ranges::begin(range), std::ranges::end(range), std::move(comp), {}, options);
}
template <std::ranges::range R>
[[nodiscard]] std::pair<std::ranges::borrowed_iterator_t<R>, std::ranges::borrowed_iterator_t<R>> minmax_element(
    R&& range, const loop_options& options) {
  return dozer::minmax_element(std::ranges::begin(range), std::ranges::end(range), {}, {}, options);
}

}  // namespace dozer::inline DOZER_PLATFORM
