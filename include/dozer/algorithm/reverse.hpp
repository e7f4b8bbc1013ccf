// Elements in reverse order.
#pragma once

#include <dozer/detail/blocks.hpp>
#include <dozer/detail/elements.hpp>
#include <dozer/detail/range_access.hpp>
#include <dozer/detail/requirements.hpp>
#include <dozer/loop_options.hpp>

#include <cstdint>
#include <iterator>
#include <type_traits>

namespace dozer::inline DOZER_PLATFORM {

/// Reverses the order of the elements. If the loop is stopped, some elements stay where they are. Extra memory: none.
template <class I, class S>
requires detail::iterator_pair<I, S>
void reverse(I first, S last, const loop_options& options = default_options) {
  static_assert(detail::needs_random_access<I, S>());
  static_assert(detail::needs_movable_elements<I>());
  const std::uint64_t count = detail::count_of(first, last);
  const auto each = [front = detail::plain(first), back = detail::plain(detail::after(first, count))](
                        std::uint64_t from, std::uint64_t to) {
    auto up = detail::after(front, from);
    auto down = back - static_cast<std::iter_difference_t<I>>(from);
    for (; from != to; ++from, ++up) {
      std::ranges::iter_swap(up, --down);
    }
  };
  detail::for_spans<detail::is_cheap<detail::plain_t<I>>>(count / 2, each, options);
}
template <std::ranges::range R>
void reverse(R&& range, const loop_options& options = default_options) {
  dozer::reverse(std::ranges::begin(range), std::ranges::end(range), options);
}

}  // namespace dozer::inline DOZER_PLATFORM
