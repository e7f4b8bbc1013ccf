// Partitioning a range: the elements for which a predicate holds go to its front.
#pragma once

#include <dozer/detail/blocks.hpp>
#include <dozer/detail/compact.hpp>
#include <dozer/detail/elements.hpp>
#include <dozer/detail/range_access.hpp>
#include <dozer/detail/rejects.hpp>
#include <dozer/detail/requirements.hpp>
#include <dozer/detail/segments.hpp>
#include <dozer/detail/sift_few.hpp>
#include <dozer/join.hpp>
#include <dozer/loop_options.hpp>
#include <dozer/named.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

namespace dozer::inline DOZER_PLATFORM {

namespace detail {

template <class I, class S, class F, class Proj>
consteval bool needs_partition() {
  static_assert(needs_random_access<I, S>());
  static_assert(needs_movable_elements<I>());
  static_assert(needs_projection<Proj, I>());
  static_assert(needs_predicate<F, projected_t<I, Proj>>());
  return true;
}

/// Returns for how many elements the predicate holds.
template <class I, class F, class Proj>
std::uint64_t partition_count(const I& first, std::uint64_t count, F& pred, Proj& proj, const loop_options& options) {
  if constexpr (may_copy_freely<I, I>) {
    if (are_few_to_sift(count, options)) {
      return detail::separate_few(first, count, few_judged(first, count, pred, proj, options).noted());
    }
  }
  const auto add = [&](segments& to, std::uint64_t, std::uint64_t until) { to.add(first, until, pred, proj); };
  const auto begin = [&](std::uint64_t from, std::uint64_t until) {
    segments made(from);
    add(made, from, until);
    return made;
  };
  gathered<segments> parts;
  gather(count, begin, add, parts, options, detail::name_of(pred));
  if (const segments* const whole = parts.only(); whole != nullptr && whole->only() != nullptr) {
    return whole->only()->middle;
  }
  std::vector<segment> all;
  parts.take_in_order([&](const segments& part) { part.append_to(all); });
  const swaps left(all, count);
  for_blocks(left.count(),
             [&](std::uint64_t from, std::uint64_t to) {
               left.run(from, to, [&](std::uint64_t a, std::uint64_t b, std::uint64_t n) {
                 const I at = after(first, a);
                 std::swap_ranges(at, after(at, n), after(first, b));
               });
             },
             {});
  return left.middle();
}

/// Without memory, for elements whose moves may throw: none is ever outside the range.
template <class I, class F, class Proj>
std::uint64_t stable_partition_in_place(const I& first, std::uint64_t count, F& pred, Proj& proj,
                                        const loop_options& options) {
  if (count <= 1) {
    return count == 1 && !options.stop.stop_requested() &&
                   static_cast<bool>(std::invoke(pred, std::invoke(proj, *first)))
               ? 1
               : 0;
  }
  const std::uint64_t half = count / 2;
  const I middle = after(first, half);
  const auto [a, b] = dozer::join([&] { return stable_partition_in_place(first, half, pred, proj, options); },
                                  [&] { return stable_partition_in_place(middle, count - half, pred, proj, options); });
  std::rotate(after(first, a), middle, after(middle, b));
  return a + b;
}

template <class I, class F, class Proj>
std::uint64_t stable_partition_count(const I& first, std::uint64_t count, F& pred, Proj& proj,
                                     const loop_options& options) {
  using value = std::iter_value_t<I>;
  if constexpr (may_copy_freely<I, I>) {
    if (are_few_to_sift(count, options)) {
      return detail::separate_few(first, count, few_judged(first, count, pred, proj, options).noted());
    }
  }
  if constexpr (std::is_nothrow_move_constructible_v<value> && std::is_nothrow_move_assignable_v<value>) {
    using stay = stay_if<true, F, Proj>;
    stay held{pred, proj};
    rejects<value> others(count);
    compact_work<I, stay, rejects<value>> work(first, held, others);
    try {
      detail::run_in_order(work, count, cached_elements<value>, options, detail::name_of(pred));
    } catch (...) {
      others.put_all_back(first, work.end());
      throw;
    }
    others.put_all_back(first, work.end());
    return work.end();
  } else {
    return stable_partition_in_place(first, count, pred, proj, options);
  }
}

}  // namespace detail

/// Moves the elements for which pred holds before the others, in any order, and returns where they end. Calls pred once
/// for each element. If a stop is requested, elements that were not looked at count as others. If pred throws, the
/// range holds the same elements in some order. Extra memory: some ten words for each 4096
/// elements, and for each part that another thread has stolen.
template <class I, class S, class F, class Proj = std::identity>
requires detail::iterator_pair<I, S> I partition(I first, S last, F pred, Proj proj = {},
                                                 const loop_options& options = default_options) {
  static_assert(detail::needs_partition<I, S, F, Proj>());
  const std::uint64_t count = detail::count_of(first, last);
  return detail::after(first,
                       count != 0 ? detail::partition_count(detail::plain(first), count, pred, proj, options) : 0);
}
template <class I, class S, class F>
requires detail::iterator_pair<I, S> I partition(I first, S last, F pred, const loop_options& options) {
  return dozer::partition(std::move(first), std::move(last), std::move(pred), {}, options);
}
template <std::ranges::range R, detail::function_argument F, class Proj = std::identity>
std::ranges::borrowed_iterator_t<R> partition(R&& range, F pred, Proj proj = {},
                                              const loop_options& options = default_options) {
  return dozer::partition(std::ranges::begin(range), std::ranges::end(range), std::move(pred), std::move(proj),
                          options);
}
template <std::ranges::range R, detail::function_argument F>
std::ranges::borrowed_iterator_t<R> partition(R&& range, F pred, const loop_options& options) {
  return dozer::partition(std::ranges::begin(range), std::ranges::end(range), std::move(pred), {}, options);
}

/// The same, with the elements of either kind in their order. Extra memory: room for all elements; none if their moves
/// may throw, and then there are O(n log n) moves.
template <class I, class S, class F, class Proj = std::identity>
requires detail::iterator_pair<I, S> I stable_partition(I first, S last, F pred, Proj proj = {},
                                                        const loop_options& options = default_options) {
  static_assert(detail::needs_partition<I, S, F, Proj>());
  const std::uint64_t count = detail::count_of(first, last);
  return detail::after(first, detail::stable_partition_count(detail::plain(first), count, pred, proj, options));
}
template <class I, class S, class F>
requires detail::iterator_pair<I, S> I stable_partition(I first, S last, F pred, const loop_options& options) {
  return dozer::stable_partition(std::move(first), std::move(last), std::move(pred), {}, options);
}
template <std::ranges::range R, detail::function_argument F, class Proj = std::identity>
std::ranges::borrowed_iterator_t<R> stable_partition(R&& range, F pred, Proj proj = {},
                                                     const loop_options& options = default_options) {
  return dozer::stable_partition(std::ranges::begin(range), std::ranges::end(range), std::move(pred), std::move(proj),
                                 options);
}
template <std::ranges::range R, detail::function_argument F>
std::ranges::borrowed_iterator_t<R> stable_partition(R&& range, F pred, const loop_options& options) {
  return dozer::stable_partition(std::ranges::begin(range), std::ranges::end(range), std::move(pred), {}, options);
}

}  // namespace dozer::inline DOZER_PLATFORM
