// Whether a predicate holds for any, all or none of the elements.
#pragma once

#include <dozer/detail/find_number.hpp>
#include <dozer/detail/range_access.hpp>
#include <dozer/detail/requirements.hpp>
#include <dozer/loop_options.hpp>

#include <cstdint>
#include <functional>
#include <utility>

namespace dozer::inline DOZER_PLATFORM {

/// True if pred holds for an element. All threads stop soon after the first hit. If the search is stopped, it is true
/// only if there was a hit before. Extra memory: none.
template <class I, class S, class F, class Proj = std::identity>
requires detail::iterator_pair<I, S>
[[nodiscard]] bool any_of(I first, S last, F pred, Proj proj = {}, const loop_options& options = default_options) {
  static_assert(detail::needs_random_access<I, S>());
  const std::uint64_t count = detail::count_of(first, last);
  return detail::find_number<true, detail::hit::any>(first, count, pred, proj, options) != count;
}
template <class I, class S, class F>
requires detail::iterator_pair<I, S>
[[nodiscard]] bool any_of(I first, S last, F pred, const loop_options& options) {
  return dozer::any_of(std::move(first), std::move(last), std::move(pred), {}, options);
}
template <std::ranges::range R, detail::function_argument F, class Proj = std::identity>
[[nodiscard]] bool any_of(R&& range, F pred, Proj proj = {}, const loop_options& options = default_options) {
  return dozer::any_of(std::ranges::begin(range), std::ranges::end(range), std::move(pred), std::move(proj), options);
}
template <std::ranges::range R, detail::function_argument F>
[[nodiscard]] bool any_of(R&& range, F pred, const loop_options& options) {
  return dozer::any_of(std::ranges::begin(range), std::ranges::end(range), std::move(pred), {}, options);
}

/// True if pred holds for every element. All threads stop soon after the first one for which it does not. If the search
/// is stopped, it is false only if there was such an element before. Extra memory: none.
template <class I, class S, class F, class Proj = std::identity>
requires detail::iterator_pair<I, S>
[[nodiscard]] bool all_of(I first, S last, F pred, Proj proj = {}, const loop_options& options = default_options) {
  static_assert(detail::needs_random_access<I, S>());
  const std::uint64_t count = detail::count_of(first, last);
  return detail::find_number<false, detail::hit::any>(first, count, pred, proj, options) == count;
}
template <class I, class S, class F>
requires detail::iterator_pair<I, S>
[[nodiscard]] bool all_of(I first, S last, F pred, const loop_options& options) {
  return dozer::all_of(std::move(first), std::move(last), std::move(pred), {}, options);
}
template <std::ranges::range R, detail::function_argument F, class Proj = std::identity>
[[nodiscard]] bool all_of(R&& range, F pred, Proj proj = {}, const loop_options& options = default_options) {
  return dozer::all_of(std::ranges::begin(range), std::ranges::end(range), std::move(pred), std::move(proj), options);
}
template <std::ranges::range R, detail::function_argument F>
[[nodiscard]] bool all_of(R&& range, F pred, const loop_options& options) {
  return dozer::all_of(std::ranges::begin(range), std::ranges::end(range), std::move(pred), {}, options);
}

/// True if pred holds for no element; otherwise like all_of.
template <class I, class S, class F, class Proj = std::identity>
requires detail::iterator_pair<I, S>
[[nodiscard]] bool none_of(I first, S last, F pred, Proj proj = {}, const loop_options& options = default_options) {
  static_assert(detail::needs_random_access<I, S>());
  const std::uint64_t count = detail::count_of(first, last);
  return detail::find_number<true, detail::hit::any>(first, count, pred, proj, options) == count;
}
template <class I, class S, class F>
requires detail::iterator_pair<I, S>
[[nodiscard]] bool none_of(I first, S last, F pred, const loop_options& options) {
  return dozer::none_of(std::move(first), std::move(last), std::move(pred), {}, options);
}
template <std::ranges::range R, detail::function_argument F, class Proj = std::identity>
[[nodiscard]] bool none_of(R&& range, F pred, Proj proj = {}, const loop_options& options = default_options) {
  return dozer::none_of(std::ranges::begin(range), std::ranges::end(range), std::move(pred), std::move(proj), options);
}
template <std::ranges::range R, detail::function_argument F>
[[nodiscard]] bool none_of(R&& range, F pred, const loop_options& options) {
  return dozer::none_of(std::ranges::begin(range), std::ranges::end(range), std::move(pred), {}, options);
}

}  // namespace dozer::inline DOZER_PLATFORM
