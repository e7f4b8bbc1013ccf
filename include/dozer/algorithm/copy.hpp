// Elements copied from one range to another.
#pragma once

#include <dozer/detail/blocks.hpp>
#include <dozer/detail/elements.hpp>
#include <dozer/detail/range_access.hpp>
#include <dozer/detail/requirements.hpp>
#include <dozer/loop_options.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>

namespace dozer::inline DOZER_PLATFORM {

/// Copies each element to the same place in the range that begins at out, and returns the end of that. The ranges must
/// not overlap. If the loop is stopped, or a copy throws, some elements are not copied. Extra memory: none.
template <class I, class S, class Out>
requires detail::iterators_and_output<I, S, Out> Out copy(I first, S last, Out out,
                                                          const loop_options& options = default_options) {
  static_assert(detail::needs_random_access<I, S>());
  static_assert(detail::needs_output<Out, std::iter_reference_t<I>>());
  constexpr bool cheap = detail::is_cheap<detail::plain_t<I>> && detail::is_cheap<detail::plain_t<Out>>;
  const std::uint64_t count = detail::count_of(first, last);
  const auto each = [from = detail::plain(first), to = detail::plain(out)](std::uint64_t begin, std::uint64_t end) {
    std::copy(detail::after(from, begin), detail::after(from, end), detail::after(to, begin));
  };
  detail::for_spans<cheap>(count, each, options);
  return detail::after(out, count);
}
template <std::ranges::range R, class Out>
Out copy(R&& range, Out out, const loop_options& options = default_options) {
  return dozer::copy(std::ranges::begin(range), std::ranges::end(range), std::move(out), options);
}

}  // namespace dozer::inline DOZER_PLATFORM
