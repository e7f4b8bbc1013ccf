// The first element that is looked for.
#pragma once

#include <dozer/detail/find_number.hpp>
#include <dozer/detail/range_access.hpp>
#include <dozer/detail/requirements.hpp>
#include <dozer/loop_options.hpp>

#include <functional>
#include <iterator>
#include <utility>

namespace dozer::inline DOZER_PLATFORM {

/// The first element for which pred holds, or last. Elements behind a hit may be looked at, too, but only those whose
/// turn has come before the hit was known. If the search is stopped, what it returns is a hit, perhaps not the first
/// one, or last. Extra memory: none.
template <class I, class S, class F, class Proj = std::identity>
requires detail::iterator_pair<I, S>
[[nodiscard]] I find_if(I first, S last, F pred, Proj proj = {}, const loop_options& options = default_options) {
  static_assert(detail::needs_random_access<I, S>());
  return detail::after(first, detail::find_number<true>(first, detail::count_of(first, last), pred, proj, options));
}
template <class I, class S, class F>
requires detail::iterator_pair<I, S>
[[nodiscard]] I find_if(I first, S last, F pred, const loop_options& options) {
  return dozer::find_if(std::move(first), std::move(last), std::move(pred), {}, options);
}
template <std::ranges::range R, detail::function_argument F, class Proj = std::identity>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> find_if(R&& range, F pred, Proj proj = {},
                                                          const loop_options& options = default_options) {
  return dozer::find_if(std::ranges::begin(range), std::ranges::end(range), std::move(pred), std::move(proj), options);
}
template <std::ranges::range R, detail::function_argument F>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> find_if(R&& range, F pred, const loop_options& options) {
  return dozer::find_if(std::ranges::begin(range), std::ranges::end(range), std::move(pred), {}, options);
}

/// The first element for which pred does not hold, or last; otherwise like find_if.
template <class I, class S, class F, class Proj = std::identity>
requires detail::iterator_pair<I, S>
[[nodiscard]] I find_if_not(I first, S last, F pred, Proj proj = {}, const loop_options& options = default_options) {
  static_assert(detail::needs_random_access<I, S>());
  return detail::after(first, detail::find_number<false>(first, detail::count_of(first, last), pred, proj, options));
}
template <class I, class S, class F>
requires detail::iterator_pair<I, S>
[[nodiscard]] I find_if_not(I first, S last, F pred, const loop_options& options) {
  return dozer::find_if_not(std::move(first), std::move(last), std::move(pred), {}, options);
}
template <std::ranges::range R, detail::function_argument F, class Proj = std::identity>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> find_if_not(R&& range, F pred, Proj proj = {},
                                                              const loop_options& options = default_options) {
  return dozer::find_if_not(std::ranges::begin(range), std::ranges::end(range), std::move(pred), std::move(proj),
                            options);
}
template <std::ranges::range R, detail::function_argument F>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> find_if_not(R&& range, F pred, const loop_options& options) {
  return dozer::find_if_not(std::ranges::begin(range), std::ranges::end(range), std::move(pred), {}, options);
}

/// The first element that equals value, or last; otherwise like find_if.
template <class I, class S, class T, class Proj = std::identity>
requires detail::iterator_pair<I, S>
[[nodiscard]] I find(I first, S last, const T& value, Proj proj = {}, const loop_options& options = default_options) {
  static_assert(detail::needs_random_access<I, S>());
  return detail::after(first, detail::find_equal(first, detail::count_of(first, last), value, proj, options));
}
template <class I, class S, class T>
requires detail::iterator_pair<I, S>
[[nodiscard]] I find(I first, S last, const T& value, const loop_options& options) {
  return dozer::find(std::move(first), std::move(last), value, {}, options);
}
template <std::ranges::range R, detail::value_argument<R> T, class Proj = std::identity>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> find(R&& range, const T& value, Proj proj = {},
                                                       const loop_options& options = default_options) {
  return dozer::find(std::ranges::begin(range), std::ranges::end(range), value, std::move(proj), options);
}
template <std::ranges::range R, detail::value_argument<R> T>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> find(R&& range, const T& value, const loop_options& options) {
  return dozer::find(std::ranges::begin(range), std::ranges::end(range), value, {}, options);
}

}  // namespace dozer::inline DOZER_PLATFORM
