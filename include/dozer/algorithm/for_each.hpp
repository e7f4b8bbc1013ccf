// A call for each element.
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
#include <utility>

namespace dozer::inline DOZER_PLATFORM {

/// f(element) for each element, in any order and possibly in parallel. The calls share one f, or copies of it if it is
/// small. Once an element throws, or a stop is requested, no more calls begin. Extra memory: none.
template <class I, class S, class F, class Proj = std::identity>
requires detail::iterator_pair<I, S>
void for_each(I first, S last, F f, Proj proj = {}, const loop_options& options = default_options) {
  static_assert(detail::needs_random_access<I, S>());
  static_assert(detail::needs_separate_elements<I>());
  static_assert(detail::needs_projection<Proj, I>());
  static_assert(detail::needs_function<F, detail::projected_t<I, Proj>>());
  const auto begin = detail::plain(first);
  const auto each = [&](std::uint64_t from, std::uint64_t to) {
    detail::in_block<F> call = f;
    detail::in_block<Proj> key = proj;
    for (auto at = detail::after(begin, from); from != to; ++from, ++at) {
      static_cast<void>(std::invoke(call, std::invoke(key, *at)));
    }
  };
  detail::for_spans<false>(detail::count_of(first, last), each, options, detail::name_of(f));
}
template <class I, class S, class F>
requires detail::iterator_pair<I, S>
void for_each(I first, S last, F f, const loop_options& options) {
  dozer::for_each(std::move(first), std::move(last), std::move(f), {}, options);
}
template <std::ranges::range R, detail::function_argument F, class Proj = std::identity>
void for_each(R&& range, F f, Proj proj = {}, const loop_options& options = default_options) {
  dozer::for_each(std::ranges::begin(range), std::ranges::end(range), std::move(f), std::move(proj), options);
}
template <std::ranges::range R, detail::function_argument F>
void for_each(R&& range, F f, const loop_options& options) {
  dozer::for_each(std::ranges::begin(range), std::ranges::end(range), std::move(f), {}, options);
}

}  // namespace dozer::inline DOZER_PLATFORM
