// The first element that is looked for.
#pragma once

#include <dozer/detail/blocks.hpp>
#include <dozer/detail/kept_closure.hpp>
#include <dozer/detail/requirements.hpp>
#include <dozer/loop_options.hpp>
#include <dozer/named.hpp>

#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

namespace dozer::inline DOZER_PLATFORM {

namespace detail {

/// The number of the first element whose projection the predicate takes for `wanted`, else `count`.
template <bool wanted, class I, class F, class Proj>
[[nodiscard]] std::uint64_t find_number(const I& first, std::uint64_t count, F& pred, Proj& proj,
                                        const loop_options& options) {
  static_assert(needs_projection<Proj, I>());
  static_assert(needs_predicate<F, projected_t<I, Proj>>());
  const auto find = [&](std::uint64_t from, std::uint64_t to) {
    in_block<F> p = pred;
    in_block<Proj> key = proj;
    I at = after(first, from);
    for (; from != to; ++from, ++at) {
      if (static_cast<bool>(std::invoke(p, std::invoke(key, *at))) == wanted) {
        break;
      }
    }
    return from;
  };
  return first_hit(count, find, options, name_of(pred));
}

}  // namespace detail

/// The first element for which pred holds, or last. Elements behind a hit may be looked at, too, but only those whose
/// turn has come before the hit was known. Extra memory: none.
template <class I, class S, class F, class Proj = std::identity>
requires detail::iterator_pair<I, S>
[[nodiscard]] I find_if(I first, S last, F pred, Proj proj = {}, const loop_options& options = {}) {
  static_assert(detail::needs_random_access<I, S>());
  return detail::after(first, detail::find_number<true>(first, detail::count_of(first, last), pred, proj, options));
}
template <class I, class S, class F>
requires detail::iterator_pair<I, S>
[[nodiscard]] I find_if(I first, S last, F pred, const loop_options& options) {
  return dozer::find_if(std::move(first), std::move(last), std::move(pred), {}, options);
}
template <std::ranges::range R, class F, class Proj = std::identity>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> find_if(R&& range, F pred, Proj proj = {},
                                                          const loop_options& options = {}) {
  return dozer::find_if(std::ranges::begin(range), std::ranges::end(range), std::move(pred), std::move(proj), options);
}
template <std::ranges::range R, class F>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> find_if(R&& range, F pred, const loop_options& options) {
  return dozer::find_if(std::ranges::begin(range), std::ranges::end(range), std::move(pred), {}, options);
}

}  // namespace dozer::inline DOZER_PLATFORM
