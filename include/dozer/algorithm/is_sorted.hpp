// Whether elements are in order.
#pragma once

#include <dozer/detail/blocks.hpp>
#include <dozer/detail/elements.hpp>
#include <dozer/detail/find_cheap.hpp>
#include <dozer/detail/kept_closure.hpp>
#include <dozer/detail/range_access.hpp>
#include <dozer/detail/requirements.hpp>
#include <dozer/loop_options.hpp>
#include <dozer/named.hpp>

#include <cstdint>
#include <functional>
#include <iterator>
#include <utility>

namespace dozer::inline DOZER_PLATFORM {

namespace detail {

/// Whether any element is less than the one before it.
template <class I, class Compare, class Proj>
[[nodiscard]] bool has_descent(const I& first, std::uint64_t count, Compare& comp, Proj& proj,
                               const loop_options& options) {
  if (count < 2) {
    return false;
  }
  constexpr bool cheap = is_cheap<I, Compare, Proj>;
  const auto find = [&](std::uint64_t from, std::uint64_t to) {
    in_block<Compare> less = comp;
    in_block<Proj> key = proj;
    if constexpr (cheap) {
      return detail::find_cheap<std::iter_value_t<I>>(
          from, to, [&, begin = first](std::uint64_t k) { return less(begin[k + 1], begin[k]); });
    } else {
      for (I at = after(first, from); from != to; ++from, ++at) {
        if (static_cast<bool>(std::invoke(less, std::invoke(key, at[1]), std::invoke(key, *at)))) {
          break;
        }
      }
      return from;
    }
  };
  return detail::first_hit<cheap, hit::any, loop_many - 1>(count - 1, find, options, detail::name_of(comp)) !=
         count - 1;
}

}  // namespace detail

/// True if no element is less than the one before it. All threads stop soon after the first such pair. Compares at most
/// count - 1 times. If the search is stopped, it is false only if there was such a pair before. Extra memory: none.
template <class I, class S, class Compare = std::less<>, class Proj = std::identity>
requires detail::iterator_pair<I, S>
[[nodiscard]] bool is_sorted(I first, S last, Compare comp = {}, Proj proj = {},
                             const loop_options& options = default_options) {
  static_assert(detail::needs_random_access<I, S>());
  static_assert(detail::needs_projection<Proj, I>());
  static_assert(detail::needs_order<Compare, detail::projected_t<I, Proj>>());
  return !detail::has_descent(detail::plain(first), detail::count_of(first, last), comp, proj, options);
}
template <class I, class S, class Compare = std::less<>>
requires detail::iterator_pair<I, S>
[[nodiscard]] bool is_sorted(I first, S last, Compare comp, const loop_options& options) {
  return dozer::is_sorted(std::move(first), std::move(last), std::move(comp), {}, options);
}
template <class I, class S>
requires detail::iterator_pair<I, S>
[[nodiscard]] bool is_sorted(I first, S last, const loop_options& options) {
  return dozer::is_sorted(std::move(first), std::move(last), {}, {}, options);
}
template <std::ranges::range R, detail::function_argument Compare = std::less<>, class Proj = std::identity>
[[nodiscard]] bool is_sorted(R&& range, Compare comp = {}, Proj proj = {},
                             const loop_options& options = default_options) {
  return dozer::is_sorted(std::ranges::begin(range), std::ranges::end(range), std::move(comp), std::move(proj),
                          options);
}
template <std::ranges::range R, detail::function_argument Compare = std::less<>>
[[nodiscard]] bool is_sorted(R&& range, Compare comp, const loop_options& options) {
  return dozer::is_sorted(std::ranges::begin(range), std::ranges::end(range), std::move(comp), {}, options);
}
template <std::ranges::range R>
[[nodiscard]] bool is_sorted(R&& range, const loop_options& options) {
  return dozer::is_sorted(std::ranges::begin(range), std::ranges::end(range), {}, {}, options);
}

}  // namespace dozer::inline DOZER_PLATFORM
