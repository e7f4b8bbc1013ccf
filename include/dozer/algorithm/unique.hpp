// Removing elements that equal the one before.
#pragma once

#include <dozer/detail/compact.hpp>
#include <dozer/detail/elements.hpp>
#include <dozer/detail/requirements.hpp>
#include <dozer/loop_options.hpp>
#include <dozer/named.hpp>

#include <cstdint>
#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

namespace dozer::inline DOZER_PLATFORM {

namespace detail {

/// The first of equal elements stays.
template <class Equal, class Proj>
struct stay_if_new {
  Equal& equal;
  Proj& proj;

  template <class I>
  std::uint64_t judge(const I& at, std::uint64_t count, bool* noted) {
    noted[0] = true;
    return judge_rest(at, count, noted);
  }
  template <class I>
  std::uint64_t judge(const I& at, std::uint64_t count, const I& previous, bool* noted) {
    noted[0] = !joins(previous, at);
    return judge_rest(at, count, noted);
  }
  template <class I>
  bool joins(const I& previous, const I& at) {
    return static_cast<bool>(std::invoke(equal, std::invoke(proj, *previous), std::invoke(proj, *at)));
  }

 private:
  template <class I>
  std::uint64_t judge_rest(I at, std::uint64_t count, bool* noted) {
    in_block<Equal> e = equal;
    in_block<Proj> key = proj;
    stay_if_new<in_block<Equal>, in_block<Proj>> with_copies{e, key};
    for (std::uint64_t k = 1; k != count; ++k, ++at) {
      noted[k] = !with_copies.joins(at, at + 1);
    }
    return count_noted(noted, count);
  }
};

}  // namespace detail

/// Of elements next to each other that are equal keeps the first one, in order, and returns where those that are kept
/// end. What stands behind is valid but unspecified. `equal` is an equivalence, and is called for n elements n - 1
/// times. If a stop is requested, elements that were not looked at stay. If `equal` throws, all elements are valid but
/// may have been moved from. Extra memory: some words for each 128 KiB of elements.
template <class I, class S, class Equal = std::equal_to<>, class Proj = std::identity>
requires detail::iterator_pair<I, S>
[[nodiscard]] I unique(I first, S last, Equal equal = {}, Proj proj = {}, const loop_options& options = {}) {
  static_assert(detail::needs_random_access<I, S>());
  static_assert(detail::needs_movable_elements<I>());
  static_assert(detail::needs_projection<Proj, I>());
  static_assert(detail::needs_order<Equal, detail::projected_t<I, Proj>>());
  return detail::after(first, detail::compact<detail::is_cheap<detail::plain_t<I>, Equal, Proj>>(
                                  detail::plain(first), detail::count_of(first, last),
                                  detail::stay_if_new<Equal, Proj>{equal, proj}, options, detail::name_of(equal)));
}
template <class I, class S, class Equal>
requires detail::iterator_pair<I, S>
[[nodiscard]] I unique(I first, S last, Equal equal, const loop_options& options) {
  return dozer::unique(std::move(first), std::move(last), std::move(equal), {}, options);
}
template <class I, class S>
requires detail::iterator_pair<I, S>
[[nodiscard]] I unique(I first, S last, const loop_options& options) {
  return dozer::unique(std::move(first), std::move(last), {}, {}, options);
}
template <std::ranges::range R, class Equal = std::equal_to<>, class Proj = std::identity>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> unique(R&& range, Equal equal = {}, Proj proj = {},
                                                         const loop_options& options = {}) {
  return dozer::unique(std::ranges::begin(range), std::ranges::end(range), std::move(equal), std::move(proj), options);
}
template <std::ranges::range R, class Equal>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> unique(R&& range, Equal equal, const loop_options& options) {
  return dozer::unique(std::ranges::begin(range), std::ranges::end(range), std::move(equal), {}, options);
}
template <std::ranges::range R>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> unique(R&& range, const loop_options& options) {
  return dozer::unique(std::ranges::begin(range), std::ranges::end(range), {}, {}, options);
}

}  // namespace dozer::inline DOZER_PLATFORM
