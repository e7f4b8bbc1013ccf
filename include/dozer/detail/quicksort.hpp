// Quicksort on one thread: pivots from samples, partitions without branches, what is sorted already found early, and
// heap sort where pivots are bad again and again (pattern-defeating quicksort, Peters 2021).
#pragma once

#include <dozer/detail/ordering.hpp>
#include <dozer/detail/partition_blocks.hpp>

#include <bit>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>

namespace dozer::inline DOZER_PLATFORM::detail {

/// So many elements or fewer are sorted by insertion.
inline constexpr std::uint64_t insertion_most = 24;

/// An element to compare others with: a copy if that is cheap and cannot fail, so that the compiler knows that no move
/// changes it; else the element itself, which stays where it is.
template <class I>
using pivot_of = std::conditional_t<std::is_trivially_copyable_v<std::iter_value_t<I>> &&
                                        std::is_copy_constructible_v<std::iter_value_t<I>> &&
                                        sizeof(std::iter_value_t<I>) <= 4 * sizeof(void*),
                                    const std::iter_value_t<I>, std::iter_reference_t<I>>;

template <class I, class Less>
void sort_three(I a, I b, I c, Less& less) {
  if (less(*b, *a)) {
    std::ranges::iter_swap(a, b);
  }
  if (less(*c, *b)) {
    std::ranges::iter_swap(b, c);
    if (less(*b, *a)) {
      std::ranges::iter_swap(a, b);
    }
  }
}

/// Puts a median of three, or of three such medians from all over the range, to the front. Returns how many comparisons
/// that took at least.
template <class I, class Less>
unsigned choose_pivot(I first, I last, Less& less) {
  const std::uint64_t count = count_of(first, last);
  constexpr std::uint64_t large = 128;
  if (count <= large) {
    detail::sort_three(after(first, count / 2), first, last - 1, less);
    return 2;
  }
  const std::uint64_t apart = count / 9;
  for (std::uint64_t from = apart / 2; from < 3 * apart; from += apart) {
    detail::sort_three(after(first, from), after(first, from + 3 * apart), after(first, from + 6 * apart), less);
  }
  const std::uint64_t chosen = apart / 2 + 4 * apart;
  detail::sort_three(after(first, chosen - apart), after(first, chosen), after(first, chosen + apart), less);
  std::ranges::iter_swap(first, after(first, chosen));
  return 8;
}

/// What a pivot makes of a range: two ranges that are left to sort, and between them what is in its place.
template <class I>
struct split_range {
  I first, left_end, right_begin, last;
  bool as_it_was;  // nothing but the pivot was moved

  [[nodiscard]] bool is_bad() const {
    const std::uint64_t eighth = count_of(first, last) / 8;
    return count_of(right_begin, last) > 7 * eighth || count_of(first, left_end) > 7 * eighth;
  }
  /// Makes a range of the side that `nth` is on. False: it is in its place.
  [[nodiscard]] bool narrow_to(I nth, I& from, I& to, bool& inner) const {
    if (nth < left_end) {
      to = left_end;
      return true;
    }
    from = right_begin;
    inner = true;
    return nth >= right_begin;
  }
};

/// How often pivots may be bad before it is heap sort's turn.
template <class I>
[[nodiscard]] unsigned bad_pivots_allowed(I first, I last) {
  return static_cast<unsigned>(std::bit_width(count_of(first, last)));
}

/// The pivot is *first. `inner`: *(first - 1) is in its place, and no element of the range comes before it.
/// partition(first, last, pred) as partition_blocks.
template <class I, class Less, class Partition>
[[nodiscard]] split_range<I> split_at_pivot(I first, I last, bool inner, Less& less, const Partition& partition) {
  pivot_of<I> pivot = *first;
  if (inner && !less(*(first - 1), pivot)) {
    // Then it is one of the least, and those that are equal to it are in their place when they are in front.
    const auto all = partition(first + 1, last, [less, &pivot](auto&& x) mutable { return !less(pivot, x); });
    return {first, first, all.split, last, false};
  }
  const auto all = partition(first + 1, last, [less, &pivot](auto&& x) mutable { return less(x, pivot); });
  const I middle = all.split - 1;
  std::ranges::iter_swap(first, middle);
  return {first, middle, all.split, last, all.as_it_was};
}

/// After a bad pivot: other elements come to where samples are taken.
template <class I>
void stir(I first, I last) {
  if (const std::uint64_t count = count_of(first, last); count > insertion_most) {
    const std::uint64_t quarter = count / 4;
    std::ranges::iter_swap(first, after(first, quarter));
    std::ranges::iter_swap(after(first, count / 2), after(first, count / 2 + quarter / 2));
    std::ranges::iter_swap(last - 1, after(first, count - quarter));
  }
}

struct partition_alone {
  template <class I, class Pred>
  partitioned<I> operator()(I first, I last, Pred pred) const {
    return detail::partition_blocks(first, last, pred);
  }
};

template <class I, class Less>
void quicksort(I first, I last, Less less, unsigned bad_allowed, bool inner) {
  while (count_of(first, last) > insertion_most) {
    detail::choose_pivot(first, last, less);
    const split_range<I> s = detail::split_at_pivot(first, last, inner, less, partition_alone());
    if (s.is_bad()) {
      if (bad_allowed-- == 0) {
        detail::heap_sort(first, last, less);
        return;
      }
      detail::stir(first, s.left_end);
      detail::stir(s.right_begin, last);
    } else if (s.as_it_was && detail::sort_if_nearly_sorted(first, s.left_end, less) &&
               detail::sort_if_nearly_sorted(s.right_begin, last, less)) {
      return;
    }
    detail::quicksort(first, s.left_end, less, bad_allowed, inner);
    first = s.right_begin;
    inner = true;
  }
  detail::insertion_sort(first, last, less);
}

/// Puts to `nth` what would be there if the range were sorted, and the others to the right side of it.
template <class I, class Less>
void quickselect(I first, I nth, I last, Less less, unsigned bad_allowed, bool inner) {
  while (count_of(first, last) > insertion_most) {
    detail::choose_pivot(first, last, less);
    const split_range<I> s = detail::split_at_pivot(first, last, inner, less, partition_alone());
    if (s.is_bad() && bad_allowed-- == 0) {
      detail::heap_sort(first, last, less);
      return;
    }
    if (!s.narrow_to(nth, first, last, inner)) {
      return;
    }
  }
  detail::insertion_sort(first, last, less);
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
