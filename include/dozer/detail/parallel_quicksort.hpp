// Quicksort on several threads. What it forks depends on what comparisons cost, and that is measured as it goes on.
#pragma once

#include <dozer/detail/blocks.hpp>
#include <dozer/detail/ordering.hpp>
#include <dozer/detail/parallel_partition.hpp>
#include <dozer/detail/quicksort.hpp>
#include <dozer/detail/sort_cost.hpp>
#include <dozer/join.hpp>
#include <dozer/loop_options.hpp>

#include <cstdint>
#include <iterator>

namespace dozer::inline DOZER_PLATFORM::detail {

template <class I, class Less>
class parallel_quicksort {
 public:
  parallel_quicksort(Less less, const loop_options& options, const char* name)
      : less_(less), options_(options), name_(name) {}

  /// `width`: how many threads may be without work while this range is partitioned.
  void sort(I first, I last, unsigned bad_allowed, bool inner, sort_cost cost, unsigned width) {
    for (;;) {
      const auto count = count_of(first, last);
      if (count <= 3 || is_small(count, cost)) {
        detail::quicksort(first, last, less_, bad_allowed, inner);
        return;
      }
      if (stopped()) {
        return;
      }
      const split_range<I> s = split(first, last, inner, cost, width);
      if (stopped()) {
        return;
      }
      if (s.is_bad()) {
        if (bad_allowed-- == 0) {
          detail::heap_sort(first, last, less_);
          return;
        }
        detail::stir(first, s.left_end);
        detail::stir(s.right_begin, last);
      } else if (s.as_it_was && cost.is_cheap() && detail::sort_if_nearly_sorted(first, s.left_end, less_) &&
                 detail::sort_if_nearly_sorted(s.right_begin, last, less_)) {
        return;
      }
      width = (width + 1) / 2;
      if (s.left_end - first > 1 && last - s.right_begin > 1) {
        join([&, bad_allowed, inner, cost, width] { sort(first, s.left_end, bad_allowed, inner, cost, width); },
             [&, bad_allowed, cost, width] { sort(s.right_begin, last, bad_allowed, true, cost, width); });
        return;
      }
      if (s.left_end - first > 1) {
        last = s.left_end;
      } else {
        first = s.right_begin;
        inner = true;
      }
    }
  }

  /// As quickselect.
  void select(I first, I nth, I last, sort_cost cost, unsigned width) {
    unsigned bad_allowed = detail::bad_pivots_allowed(first, last);
    bool inner = false;
    while (!stopped()) {
      const auto count = count_of(first, last);
      if (count <= 3 || is_small(count, cost)) {
        detail::quickselect(first, nth, last, less_, bad_allowed, inner);
        return;
      }
      const split_range<I> s = split(first, last, inner, cost, width);
      if (stopped()) {
        return;
      }
      if (s.is_bad() && bad_allowed-- == 0) {
        detail::heap_sort(first, last, less_);
        return;
      }
      if (!s.narrow_to(nth, first, last, inner)) {
        return;
      }
    }
  }

 private:
  [[nodiscard]] bool stopped() const noexcept { return options_.stop.stop_requested(); }
  [[nodiscard]] bool is_small(std::uint64_t count, sort_cost cost) const noexcept {
    return options_.grain != 0 ? count <= options_.grain : cost.is_small_sort(count);
  }

  /// And learns what comparisons cost.
  [[nodiscard]] split_range<I> split(I first, I last, bool inner, sort_cost& cost, unsigned width) {
    const auto count = count_of(first, last);
    std::uint64_t start = ticks();
    const unsigned compared = detail::choose_pivot(first, last, less_);
    cost = cost.at_most(sort_cost(ticks() - start, compared));
    if (const std::uint64_t stretch = options_.grain != 0 ? options_.grain : cost.stretch(count, width);
        stretch < count) {
      return detail::split_at_pivot(first, last, inner, less_, [&](I from, I to, const auto& pred) {
        return detail::partition_in_parallel(from, to, pred, stretch, options_, name_);
      });
    }
    start = ticks();
    const auto s = detail::split_at_pivot(first, last, inner, less_, partition_alone());
    cost = sort_cost(ticks() - start, count);
    return s;
  }

  Less less_;
  const loop_options& options_;
  const char* name_;
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
