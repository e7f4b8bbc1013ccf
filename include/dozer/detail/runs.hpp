// Ranges that are sorted already, forwards or backwards; and where a sort runs.
#pragma once

#include <dozer/detail/blocks.hpp>
#include <dozer/detail/pool_core.hpp>
#include <dozer/detail/requirements.hpp>
#include <dozer/loop_options.hpp>
#include <dozer/thread_pool.hpp>

#include <cstdint>
#include <iterator>

namespace dozer::inline DOZER_PLATFORM::detail {

/// f here, or, where it forks and the caller is in no pool, once and for all in the global one.
template <class F>
void in_a_pool(bool forks, const F& f) {
  if (!forks || current_seat() != nullptr) {
    f();
  } else {
    global_pool().install(f);
  }
}

template <class I>
void reverse_in_parallel(I first, std::uint64_t count) {
  for_blocks(count / 2,
             [&](std::uint64_t from, std::uint64_t to) {
               for (; from != to; ++from) {
                 std::ranges::iter_swap(after(first, from), after(first, count - 1 - from));
               }
             },
             {});
}

/// Finds out whether the range is sorted, or each element comes before the one in front of it. Then it is sorted on
/// return. Other ranges cost a few comparisons, unless they have a long run in front. If a stop is requested, the
/// answer means nothing.
template <class I, class Less>
[[nodiscard]] bool sort_if_one_run(I first, std::uint64_t count, const Less& less, const loop_options& options,
                                   const char* name) {
  const auto ends = [&](bool falling) {
    const auto find = [&, falling](std::uint64_t from, std::uint64_t to) {
      Less by = less;
      while (from != to && by(*after(first, from + 1), *after(first, from)) == falling) {
        ++from;
      }
      return from;
    };
    return detail::first_hit(count - 1, find, options, name);
  };
  const std::uint64_t rises = ends(false);
  if (rises == 0 && count > 2 && !options.stop.stop_requested() && ends(true) == count - 1 &&
      !options.stop.stop_requested()) {
    detail::reverse_in_parallel(first, count);
    return true;
  }
  return rises == count - 1;
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
