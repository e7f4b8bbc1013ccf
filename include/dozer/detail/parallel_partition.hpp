// Partition in place on several threads: each partitions stretches of the range, and then what is on the wrong side is
// exchanged.
#pragma once

#include <dozer/detail/blocks.hpp>
#include <dozer/detail/partition_blocks.hpp>
#include <dozer/detail/requirements.hpp>
#include <dozer/detail/stretches.hpp>
#include <dozer/loop_options.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

namespace dozer::inline DOZER_PLATFORM::detail {

/// In stretches of so many elements. All elements are in the range whenever the predicate is called. If a stop is
/// requested, the result says nothing.
template <class I, class Pred>
[[nodiscard]] partitioned<I> partition_in_parallel(I first, I last, const Pred& pred, std::uint64_t stretch,
                                                   const loop_options& options, const char* name) {
  const std::uint64_t count = count_of(first, last);
  const std::uint64_t stretches = (count + stretch - 1) / stretch;
  std::vector<std::uint64_t> in_front(stretches);  // of each, for how many the predicate holds
  const auto each = [&](std::uint64_t from, std::uint64_t to) {
    for (; from != to; ++from) {
      const I begin = after(first, from * stretch);
      const I end = after(first, std::min(count, (from + 1) * stretch));
      in_front[from] = count_of(begin, detail::partition_blocks(begin, end, pred).split);
    }
  };
  for_blocks(stretches, each, {.grain = options.grain != 0 ? 1u : 0u, .stop = options.stop}, name);
  if (options.stop.stop_requested()) {
    return {first, false};
  }
  const wrong_stretches wrong(in_front, stretch, count);
  for_blocks(
      wrong.count(),
      [&](std::uint64_t from, std::uint64_t to) {
        wrong.visit(from, to, [&](std::uint64_t a, std::uint64_t b, std::uint64_t n) {
          std::swap_ranges(after(first, a), after(first, a + n), after(first, b));
        });
      },
      {}, name);
  return {after(first, wrong.split()), wrong.count() == 0};
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
