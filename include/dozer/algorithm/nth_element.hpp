// nth_element.
#pragma once

#include <dozer/algorithm/sort.hpp>
#include <dozer/detail/range_access.hpp>

#include <functional>
#include <iterator>
#include <utility>

namespace dozer::inline DOZER_PLATFORM {

namespace detail {

template <class I, class Compare, class Proj>
void select_range(I first, I nth, std::uint64_t count, Compare& compare, Proj& proj, const loop_options& options) {
  static_assert(needs_sortable<I, Compare, Proj>());
  if (count < 2 || count_of(first, nth) >= count || options.stop.stop_requested()) {
    return;
  }
  using less = before<Compare, Proj>;
  const less by{compare, proj};
  const I last = after(first, count);
  if (is_cheap_order<I, Compare, Proj>() && count <= few_to_order) {
    detail::quickselect(first, nth, last, by, detail::bad_pivots_allowed(first, last), false);
    return;
  }
  const sort_cost cost = detail::first_cost(first, by);
  const bool alone = options.grain == 0 ? cost.is_small_sort(count) : count <= options.grain;
  in_a_pool(!alone, [&] {
    parallel_quicksort<I, less>(by, options, detail::name_of(compare))
        .select(first, nth, last, cost, alone ? 1 : current_num_threads());
  });
}

}  // namespace detail

/// Puts to `nth` the element that would be there if the range were sorted, elements that come before it in front of it,
/// and the others behind it. O(n) comparisons on the average, O(n log n) at the most. If one throws, or a stop is
/// requested, the range holds what it did, in another order. Extra memory: none that grows with the range.
template <class I, class S, class Compare = std::ranges::less, class Proj = std::identity>
requires detail::iterator_pair<I, S>
void nth_element(I first, I nth, S last, Compare compare = {}, Proj proj = {},
                 const loop_options& options = default_options) {
  static_assert(detail::needs_random_access<I, S>());
  detail::select_range(first, nth, detail::count_of(first, last), compare, proj, options);
}
template <class I, class S, class Compare = std::ranges::less>
requires detail::iterator_pair<I, S>
void nth_element(I first, I nth, S last, Compare compare, const loop_options& options) {
  dozer::nth_element(std::move(first), std::move(nth), std::move(last), std::move(compare), {}, options);
}
template <class I, class S>
requires detail::iterator_pair<I, S>
void nth_element(I first, I nth, S last, const loop_options& options) {
  dozer::nth_element(std::move(first), std::move(nth), std::move(last), {}, {}, options);
}
template <std::ranges::range R, detail::function_argument Compare = std::ranges::less, class Proj = std::identity>
void nth_element(R&& range, std::ranges::iterator_t<R> nth, Compare compare = {}, Proj proj = {},
                 const loop_options& options = default_options) {
  dozer::nth_element(std::ranges::begin(range), std::move(nth), std::ranges::end(range), std::move(compare),
                     std::move(proj), options);
}
template <std::ranges::range R, detail::function_argument Compare = std::ranges::less>
void nth_element(R&& range, std::ranges::iterator_t<R> nth, Compare compare, const loop_options& options) {
  dozer::nth_element(range, std::move(nth), std::move(compare), {}, options);
}
template <std::ranges::range R>
void nth_element(R&& range, std::ranges::iterator_t<R> nth, const loop_options& options) {
  dozer::nth_element(range, std::move(nth), {}, {}, options);
}

}  // namespace dozer::inline DOZER_PLATFORM
