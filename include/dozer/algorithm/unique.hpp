// Removing elements that equal the one before.
#pragma once

#include <dozer/detail/blocks.hpp>
#include <dozer/detail/compact.hpp>
#include <dozer/detail/elements.hpp>
#include <dozer/detail/kept_closure.hpp>
#include <dozer/detail/range_access.hpp>
#include <dozer/detail/requirements.hpp>
#include <dozer/detail/sift.hpp>
#include <dozer/loop_options.hpp>
#include <dozer/named.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>

namespace dozer::inline DOZER_PLATFORM {

namespace detail {

/// The first of equal elements stays.
template <class Equal, class Proj>
struct stay_if_new {
  Equal& equal;
  Proj& proj;

  template <class I>
  std::uint64_t judge(const I& at, std::uint64_t count, bool* noted) const {
    noted[0] = true;
    return judge_rest(at, count, noted);
  }
  template <class I>
  std::uint64_t judge(const I& at, std::uint64_t count, const I& previous, bool* noted) const {
    noted[0] = !joins(previous, at);
    return judge_rest(at, count, noted);
  }
  template <class I>
  bool joins(const I& previous, const I& at) const {
    return static_cast<bool>(std::invoke(equal, std::invoke(proj, *previous), std::invoke(proj, *at)));
  }

 private:
  template <class I>
  std::uint64_t judge_rest(I at, std::uint64_t count, bool* noted) const {
    in_block<Equal> e = equal;
    in_block<Proj> key = proj;
    stay_if_new<in_block<Equal>, in_block<Proj>> with_copies{e, key};
    for (std::uint64_t k = 1; k != count; ++k, ++at) {
      noted[k] = !with_copies.joins(at, at + 1);
    }
    return count_noted(noted, count);
  }
};

/// Compares all first, and then moves: for few elements, whose comparisons may take long.
template <class I, class Equal, class Proj>
std::uint64_t unique_in_two_passes(const I& first, std::uint64_t count, stay_if_new<Equal, Proj> stay,
                                   const loop_options& options, const char* name) {
  const auto noted = std::make_unique_for_overwrite<bool[]>(count);
  std::fill_n(noted.get(), count, true);
  const auto compare = [&](std::uint64_t from, std::uint64_t to) {
    const I previous = after(first, from);
    stay.judge(previous + 1, to - from, previous, noted.get() + from + 1);
  };
  detail::for_blocks<loop_many - 1>(count - 1, compare, options, name);
  const std::uint64_t stayed = count_noted(noted.get(), count);
  if (stayed != count) {
    detail::pick<true>(first, noted.get(), stayed, first, move_down);
  }
  return stayed;
}

/// Returns how many stay.
template <class I, class Equal, class Proj>
std::uint64_t unique_count(const I& first, std::uint64_t count, Equal& equal, Proj& proj, const loop_options& options) {
  constexpr bool cheap = is_cheap<I, Equal, Proj>;
  constexpr std::uint64_t few = 4096,
                          small_grain = 32;  // else a chunk has so many that one comparison in turn is little
  const stay_if_new<Equal, Proj> stay{equal, proj};
  const bool small_chunks = options.grain != 0 ? options.grain < small_grain : !cheap && count <= few;
  return small_chunks && count > 1 ? unique_in_two_passes(first, count, stay, options, detail::name_of(equal))
                                   : detail::compact<cheap>(first, count, stay, options, detail::name_of(equal));
}

}  // namespace detail

/// Of elements next to each other that are equal keeps the first one, in order, and returns where those that are kept
/// end. What stands behind is valid but unspecified. `equal` is an equivalence, and is called for n elements n - 1
/// times. If a stop is requested, elements that were not looked at stay. If `equal` throws, all elements are valid but
/// may have been moved from. Extra memory: some words for each chunk that is begun before its turn
/// (docs/algorithms.md, "Early chunks"); for up to 4096 elements, or a small grain, a byte for each.
template <class I, class S, class Equal = std::equal_to<>, class Proj = std::identity>
requires detail::iterator_pair<I, S>
[[nodiscard]] I unique(I first, S last, Equal equal = {}, Proj proj = {},
                       const loop_options& options = default_options) {
  static_assert(detail::needs_random_access<I, S>());
  static_assert(detail::needs_movable_elements<I>());
  static_assert(detail::needs_projection<Proj, I>());
  static_assert(detail::needs_order<Equal, detail::projected_t<I, Proj>>());
  return detail::after(first,
                       detail::unique_count(detail::plain(first), detail::count_of(first, last), equal, proj, options));
}
template <class I, class S, class Equal = std::equal_to<>>
requires detail::iterator_pair<I, S>
[[nodiscard]] I unique(I first, S last, Equal equal, const loop_options& options) {
  return dozer::unique(std::move(first), std::move(last), std::move(equal), {}, options);
}
template <class I, class S>
requires detail::iterator_pair<I, S>
[[nodiscard]] I unique(I first, S last, const loop_options& options) {
  return dozer::unique(std::move(first), std::move(last), {}, {}, options);
}
template <std::ranges::range R, detail::function_argument Equal = std::equal_to<>, class Proj = std::identity>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> unique(R&& range, Equal equal = {}, Proj proj = {},
                                                         const loop_options& options = default_options) {
  return dozer::unique(std::ranges::begin(range), std::ranges::end(range), std::move(equal), std::move(proj), options);
}
template <std::ranges::range R, detail::function_argument Equal = std::equal_to<>>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> unique(R&& range, Equal equal, const loop_options& options) {
  return dozer::unique(std::ranges::begin(range), std::ranges::end(range), std::move(equal), {}, options);
}
template <std::ranges::range R>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> unique(R&& range, const loop_options& options) {
  return dozer::unique(std::ranges::begin(range), std::ranges::end(range), {}, {}, options);
}

}  // namespace dozer::inline DOZER_PLATFORM
