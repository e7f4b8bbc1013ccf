// How many elements are as wanted.
#pragma once

#include <dozer/detail/elements.hpp>
#include <dozer/detail/fold.hpp>
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

namespace detail {

template <class I, class F, class Proj>
struct counting {
  const I& first;
  F& pred;
  Proj& proj;

  [[nodiscard]] std::uint64_t begin(std::uint64_t from, std::uint64_t to) const {
    in_block<F> p = pred;
    in_block<Proj> key = proj;
    std::uint64_t hits = 0;
    const I end = after(first, to);
    for (I at = after(first, from); at != end; ++at) {
      hits += static_cast<bool>(std::invoke(p, std::invoke(key, *at))) ? 1 : 0;
    }
    return hits;
  }
  void add(std::uint64_t& hits, std::uint64_t from, std::uint64_t to) const { hits += begin(from, to); }
  [[nodiscard]] std::uint64_t merge(std::uint64_t a, std::uint64_t b) const noexcept { return a + b; }
};

template <bool cheap, class I, class F, class Proj>
[[nodiscard]] std::iter_difference_t<I> count_hits(const I& first, std::uint64_t count, F& pred, Proj& proj,
                                                   const loop_options& options) {
  const counting<I, F, Proj> how{first, pred, proj};
  return count == 0 ? 0
                    : static_cast<std::iter_difference_t<I>>(
                          detail::fold<std::uint64_t, cheap>(count, how, options, detail::name_of(pred)).value_or(0));
}

}  // namespace detail

/// How many elements there are for which pred holds. pred is called once for each. If the loop is stopped: how many of
/// those that were looked at. Extra memory: a number for each thread.
template <class I, class S, class F, class Proj = std::identity>
requires detail::iterator_pair<I, S>
[[nodiscard]] std::iter_difference_t<I> count_if(I first, S last, F pred, Proj proj = {},
                                                 const loop_options& options = default_options) {
  static_assert(detail::needs_random_access<I, S>());
  static_assert(detail::needs_projection<Proj, I>());
  static_assert(detail::needs_predicate<F, detail::projected_t<I, Proj>>());
  return detail::count_hits<false>(detail::plain(first), detail::count_of(first, last), pred, proj, options);
}
template <class I, class S, class F>
requires detail::iterator_pair<I, S>
[[nodiscard]] std::iter_difference_t<I> count_if(I first, S last, F pred, const loop_options& options) {
  return dozer::count_if(std::move(first), std::move(last), std::move(pred), {}, options);
}
template <std::ranges::range R, detail::function_argument F, class Proj = std::identity>
[[nodiscard]] std::ranges::range_difference_t<R> count_if(R&& range, F pred, Proj proj = {},
                                                          const loop_options& options = default_options) {
  return dozer::count_if(std::ranges::begin(range), std::ranges::end(range), std::move(pred), std::move(proj), options);
}
template <std::ranges::range R, detail::function_argument F>
[[nodiscard]] std::ranges::range_difference_t<R> count_if(R&& range, F pred, const loop_options& options) {
  return dozer::count_if(std::ranges::begin(range), std::ranges::end(range), std::move(pred), {}, options);
}

/// How many elements equal value; otherwise like count_if.
template <class I, class S, class T, class Proj = std::identity>
requires detail::iterator_pair<I, S>
[[nodiscard]] std::iter_difference_t<I> count(I first, S last, const T& value, Proj proj = {},
                                              const loop_options& options = default_options) {
  static_assert(detail::needs_random_access<I, S>());
  static_assert(detail::needs_projection<Proj, I>());
  static_assert(detail::needs_equality<std::equal_to<>, detail::projected_t<I, Proj>, const T&>());
  constexpr bool cheap = detail::is_cheap<detail::plain_t<I>, Proj> && std::is_scalar_v<T>;
  using wanted = std::conditional_t<cheap, const T, const T&>;
  auto equals = [wanted = std::tuple<wanted>(value)](const auto& element) {
    return static_cast<bool>(element == std::get<0>(wanted));
  };
  return detail::count_hits<cheap>(detail::plain(first), detail::count_of(first, last), equals, proj, options);
}
template <class I, class S, class T>
requires detail::iterator_pair<I, S>
[[nodiscard]] std::iter_difference_t<I> count(I first, S last, const T& value, const loop_options& options) {
  return dozer::count(std::move(first), std::move(last), value, {}, options);
}
template <std::ranges::range R, detail::value_argument<R> T, class Proj = std::identity>
[[nodiscard]] std::ranges::range_difference_t<R> count(R&& range, const T& value, Proj proj = {},
                                                       const loop_options& options = default_options) {
  return dozer::count(std::ranges::begin(range), std::ranges::end(range), value, std::move(proj), options);
}
template <std::ranges::range R, detail::value_argument<R> T>
[[nodiscard]] std::ranges::range_difference_t<R> count(R&& range, const T& value, const loop_options& options) {
  return dozer::count(std::ranges::begin(range), std::ranges::end(range), value, {}, options);
}

}  // namespace dozer::inline DOZER_PLATFORM
