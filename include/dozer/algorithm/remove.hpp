// Removing elements from a range: those that stay move to its front.
#pragma once

#include <dozer/detail/compact.hpp>
#include <dozer/detail/elements.hpp>
#include <dozer/detail/range_access.hpp>
#include <dozer/detail/requirements.hpp>
#include <dozer/loop_options.hpp>
#include <dozer/named.hpp>

#include <functional>
#include <iterator>
#include <utility>

namespace dozer::inline DOZER_PLATFORM {

/// Moves the elements for which pred does not hold to the front, in their order, and returns where they end. What
/// stands behind is valid but unspecified. Calls pred once for each element. If a stop is requested, elements that were
/// not looked at stay. If pred throws, all elements are valid but may have been moved from. Extra memory: some words
/// for each chunk that is begun before its turn (docs/algorithms.md, "Early chunks").
template <class I, class S, class F, class Proj = std::identity>
requires detail::iterator_pair<I, S>
[[nodiscard]] I remove_if(I first, S last, F pred, Proj proj = {}, const loop_options& options = default_options) {
  static_assert(detail::needs_random_access<I, S>());
  static_assert(detail::needs_movable_elements<I>());
  static_assert(detail::needs_projection<Proj, I>());
  static_assert(detail::needs_predicate<F, detail::projected_t<I, Proj>>());
  return detail::after(
      first, detail::compact<false>(detail::plain(first), detail::count_of(first, last),
                                    detail::stay_if<false, F, Proj>{pred, proj}, options, detail::name_of(pred)));
}
template <class I, class S, class F>
requires detail::iterator_pair<I, S>
[[nodiscard]] I remove_if(I first, S last, F pred, const loop_options& options) {
  return dozer::remove_if(std::move(first), std::move(last), std::move(pred), {}, options);
}
template <std::ranges::range R, detail::function_argument F, class Proj = std::identity>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> remove_if(R&& range, F pred, Proj proj = {},
                                                            const loop_options& options = default_options) {
  return dozer::remove_if(std::ranges::begin(range), std::ranges::end(range), std::move(pred), std::move(proj),
                          options);
}
template <std::ranges::range R, detail::function_argument F>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> remove_if(R&& range, F pred, const loop_options& options) {
  return dozer::remove_if(std::ranges::begin(range), std::ranges::end(range), std::move(pred), {}, options);
}

}  // namespace dozer::inline DOZER_PLATFORM
