// sort.
#pragma once

#include <dozer/detail/first_cost.hpp>
#include <dozer/detail/ordering.hpp>
#include <dozer/detail/parallel_quicksort.hpp>
#include <dozer/detail/range_access.hpp>
#include <dozer/detail/requirements.hpp>
#include <dozer/detail/runs.hpp>
#include <dozer/detail/sort_without_comparisons.hpp>
#include <dozer/loop_options.hpp>
#include <dozer/named.hpp>
#include <dozer/thread_pool.hpp>

#include <cstdint>
#include <functional>
#include <iterator>
#include <utility>

namespace dozer::inline DOZER_PLATFORM {

namespace detail {

template <class I, class Compare, class Proj>
void sort_by_comparisons(I first, std::uint64_t count, Compare& compare, Proj& proj, const loop_options& options) {
  using less = before<Compare, Proj>;
  const less by{compare, proj};
  const I last = after(first, count);
  const unsigned bad_allowed = detail::bad_pivots_allowed(first, last);
  const sort_cost cost = detail::first_cost(first, by);
  if (options.grain == 0 && cost.is_small_sort(count)) {
    detail::quicksort(first, last, by, bad_allowed, false);
    return;
  }
  in_a_pool(true, [&] {
    if (!detail::sort_if_one_run(first, count, by, options, detail::name_of(compare))) {
      parallel_quicksort<I, less>(by, options, detail::name_of(compare))
          .sort(first, last, bad_allowed, false, cost, current_num_threads());
    }
  });
}

template <class I, class Compare, class Proj>
void sort_range(I first, std::uint64_t count, Compare& compare, Proj& proj, const loop_options& options) {
  static_assert(needs_sortable<I, Compare, Proj>());
  if (count >= 2 && !options.stop.stop_requested() && !sort_without_comparisons<Compare>(first, count, proj, options)) {
    sort_by_comparisons(first, count, compare, proj, options);
  }
}

}  // namespace detail

/// Sorts by compare(proj(a), proj(b)); elements that are equal end up in any order. O(n log n) comparisons. If one
/// throws, or a stop is requested, the range holds what it did, in another order. Extra memory: none that grows with
/// the range; but small elements in a contiguous range that are ordered by a number (the element or a member of it, by
/// std::less or std::greater), are sorted by its digits, in a buffer as large as the range; and those that are ordered
/// by a string, in one that has 32 bytes more for each. Without memory for that they are compared. With options.grain,
/// so many elements or fewer are sorted by one thread.
template <class I, class S, class Compare = std::ranges::less, class Proj = std::identity>
requires detail::iterator_pair<I, S>
void sort(I first, S last, Compare compare = {}, Proj proj = {}, const loop_options& options = default_options) {
  static_assert(detail::needs_random_access<I, S>());
  detail::sort_range(first, detail::count_of(first, last), compare, proj, options);
}
template <class I, class S, class Compare = std::ranges::less>
requires detail::iterator_pair<I, S>
void sort(I first, S last, Compare compare, const loop_options& options) {
  dozer::sort(std::move(first), std::move(last), std::move(compare), {}, options);
}
template <class I, class S>
requires detail::iterator_pair<I, S>
void sort(I first, S last, const loop_options& options) {
  dozer::sort(std::move(first), std::move(last), {}, {}, options);
}
template <std::ranges::range R, detail::function_argument Compare = std::ranges::less, class Proj = std::identity>
void sort(R&& range, Compare compare = {}, Proj proj = {}, const loop_options& options = default_options) {
  dozer::sort(std::ranges::begin(range), std::ranges::end(range), std::move(compare), std::move(proj), options);
}
template <std::ranges::range R, detail::function_argument Compare = std::ranges::less>
void sort(R&& range, Compare compare, const loop_options& options) {
  dozer::sort(std::ranges::begin(range), std::ranges::end(range), std::move(compare), {}, options);
}
template <std::ranges::range R>
void sort(R&& range, const loop_options& options) {
  dozer::sort(std::ranges::begin(range), std::ranges::end(range), {}, {}, options);
}

}  // namespace dozer::inline DOZER_PLATFORM
