// partial_sort.
#pragma once

#include <dozer/algorithm/nth_element.hpp>
#include <dozer/algorithm/sort.hpp>
#include <dozer/detail/range_access.hpp>

#include <functional>
#include <iterator>
#include <utility>

namespace dozer::inline DOZER_PLATFORM {

/// Puts to the front, up to `middle`, the elements that would be there if the range were sorted, and sorts them. The
/// others are behind them in any order. If a comparison throws, or a stop is requested, the range holds what it did, in
/// another order. Extra memory: as sort for the front.
template <class I, class S, class Compare = std::ranges::less, class Proj = std::identity>
requires detail::iterator_pair<I, S>
void partial_sort(I first, I middle, S last, Compare compare = {}, Proj proj = {},
                  const loop_options& options = default_options) {
  static_assert(detail::needs_random_access<I, S>());
  const std::uint64_t count = detail::count_of(first, middle), all = detail::count_of(first, last);
  if (count != 0 && count < all) {
    detail::select_range(first, middle - 1, all, compare, proj, options);
  }
  detail::sort_range(first, count, compare, proj, options);
}
template <class I, class S, class Compare = std::ranges::less>
requires detail::iterator_pair<I, S>
void partial_sort(I first, I middle, S last, Compare compare, const loop_options& options) {
  dozer::partial_sort(std::move(first), std::move(middle), std::move(last), std::move(compare), {}, options);
}
template <class I, class S>
requires detail::iterator_pair<I, S>
void partial_sort(I first, I middle, S last, const loop_options& options) {
  dozer::partial_sort(std::move(first), std::move(middle), std::move(last), {}, {}, options);
}
template <std::ranges::range R, detail::function_argument Compare = std::ranges::less, class Proj = std::identity>
void partial_sort(R&& range, std::ranges::iterator_t<R> middle, Compare compare = {}, Proj proj = {},
                  const loop_options& options = default_options) {
  dozer::partial_sort(std::ranges::begin(range), std::move(middle), std::ranges::end(range), std::move(compare),
                      std::move(proj), options);
}
template <std::ranges::range R, detail::function_argument Compare = std::ranges::less>
void partial_sort(R&& range, std::ranges::iterator_t<R> middle, Compare compare, const loop_options& options) {
  dozer::partial_sort(range, std::move(middle), std::move(compare), {}, options);
}
template <std::ranges::range R>
void partial_sort(R&& range, std::ranges::iterator_t<R> middle, const loop_options& options) {
  dozer::partial_sort(range, std::move(middle), {}, {}, options);
}

}  // namespace dozer::inline DOZER_PLATFORM
