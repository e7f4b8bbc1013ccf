// A stable sort by comparisons.
#pragma once

#include <dozer/detail/first_cost.hpp>
#include <dozer/detail/ordering.hpp>
#include <dozer/detail/parallel_merge_sort.hpp>
#include <dozer/detail/requirements.hpp>
#include <dozer/detail/runs.hpp>
#include <dozer/loop_options.hpp>

#include <cstdint>
#include <iterator>
#include <memory>

namespace dozer::inline DOZER_PLATFORM::detail {

/// Elements that stand one after the other are reached by pointers, for which merges are quicker.
template <class I>
[[nodiscard]] auto as_pointer(I first) {
  if constexpr (std::contiguous_iterator<I>) {
    return std::to_address(first);
  } else {
    return first;
  }
}

template <class I, class Less>
void merge_sort(I first, std::uint64_t count, Less less, const loop_options& options, const char* name) {
  const sort_cost cost = detail::first_cost(first, less);
  const bool alone = options.grain == 0 ? cost.is_small_sort(count) : count <= options.grain;
  if (alone && count <= insertion_most) {
    detail::insertion_sort(first, after(first, count), less);
    return;
  }
  in_a_pool(!alone, [&] {
    if (!alone && (detail::sort_if_one_run(first, count, less, options, name) || options.stop.stop_requested())) {
      return;
    }
    const moved_out<I> buffer(first, count, alone);
    const parallel_merge_sort<Less> sorter(less, options, cost);
    if constexpr (moved_out<I>::is_only_room) {
      sorter.sort(first, buffer.get(), count, false);
    } else {
      sorter.sort(buffer.get(), first, count, true);
    }
  });
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
