// stable_sort.
#pragma once

#include <dozer/detail/merge_sort.hpp>
#include <dozer/detail/ordering.hpp>
#include <dozer/detail/range_access.hpp>
#include <dozer/detail/requirements.hpp>
#include <dozer/detail/sort_without_comparisons.hpp>
#include <dozer/loop_options.hpp>
#include <dozer/named.hpp>

#include <cstdint>
#include <functional>
#include <iterator>
#include <utility>

namespace dozer::inline DOZER_PLATFORM {

namespace detail {

template <class I, class Compare, class Proj>
void stable_sort_range(I first, std::uint64_t count, Compare& compare, Proj& proj, const loop_options& options) {
  static_assert(needs_sortable<I, Compare, Proj>());
  if (count >= 2 && !options.stop.stop_requested() && !sort_without_comparisons<Compare>(first, count, proj, options)) {
    detail::merge_sort(detail::as_pointer(first), count, before<Compare, Proj>{compare, proj}, options,
                       detail::name_of(compare));
  }
}

}  // namespace detail

/// Sorts by compare(proj(a), proj(b)); elements that are equal keep their order. O(n log n) comparisons. If one throws,
/// or a stop is requested, the range holds what it did, in another order. Extra memory: a buffer as large as the range,
/// and 32 bytes for each string; std::bad_alloc if there is none, and the range is as it was. With options.grain, so
/// many elements or fewer are sorted by one thread.
template <class I, class S, class Compare = std::ranges::less, class Proj = std::identity>
requires detail::iterator_pair<I, S>
void stable_sort(I first, S last, Compare compare = {}, Proj proj = {}, const loop_options& options = default_options) {
  static_assert(detail::needs_random_access<I, S>());
  detail::stable_sort_range(first, detail::count_of(first, last), compare, proj, options);
}
template <class I, class S, class Compare = std::ranges::less>
requires detail::iterator_pair<I, S>
void stable_sort(I first, S last, Compare compare, const loop_options& options) {
  dozer::stable_sort(std::move(first), std::move(last), std::move(compare), {}, options);
}
template <class I, class S>
requires detail::iterator_pair<I, S>
void stable_sort(I first, S last, const loop_options& options) {
  dozer::stable_sort(std::move(first), std::move(last), {}, {}, options);
}
template <std::ranges::range R, detail::function_argument Compare = std::ranges::less, class Proj = std::identity>
void stable_sort(R&& range, Compare compare = {}, Proj proj = {}, const loop_options& options = default_options) {
  dozer::stable_sort(std::ranges::begin(range), std::ranges::end(range), std::move(compare), std::move(proj), options);
}
template <std::ranges::range R, detail::function_argument Compare = std::ranges::less>
void stable_sort(R&& range, Compare compare, const loop_options& options) {
  dozer::stable_sort(range, std::move(compare), {}, options);
}
template <std::ranges::range R>
void stable_sort(R&& range, const loop_options& options) {
  dozer::stable_sort(range, {}, {}, options);
}

}  // namespace dozer::inline DOZER_PLATFORM
