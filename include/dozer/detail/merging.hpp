// Merges of two sorted ranges, and where to cut them so that the parts can be merged by themselves. Stable: of equal
// elements those of the first range come first.
#pragma once

#include <dozer/detail/platform.hpp>
#include <dozer/detail/requirements.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <type_traits>

namespace dozer::inline DOZER_PLATFORM::detail {

/// How far two ranges have been merged.
template <class A, class B>
struct merge_inputs {
  A a, a_end;
  B b, b_end;

  [[nodiscard]] std::uint64_t left() const { return count_of(a, a_end) + count_of(b, b_end); }
};

/// Merges until `out` is `out_end`. less(b, a) says whether the element of the second range comes first. take(i) gives
/// an element away. Where less throws, `in` and `out` say what has been done.
template <class A, class B, class Out, class Less, class Take>
void merge_until(merge_inputs<A, B>& in, Out& out, Out out_end, Less less, Take take) {
  while (out != out_end && in.a != in.a_end && in.b != in.b_end) {
    // So many steps end neither range.
    auto steps = std::min({count_of(in.a, in.a_end), count_of(in.b, in.b_end), count_of(out, out_end)});
    for (; steps != 0; --steps) {
      if (less(*in.b, *in.a)) {
        *out = take(in.b);
        ++in.b;
      } else {
        *out = take(in.a);
        ++in.a;
      }
      ++out;
    }
  }
  for (; out != out_end && in.a != in.a_end; ++in.a, ++out) {
    *out = take(in.a);
  }
  for (; out != out_end; ++in.b, ++out) {
    *out = take(in.b);
  }
}

/// Elements that are cheap to copy, and stay where they are when they are merged.
template <class From, class To>
inline constexpr bool can_merge_from_both_ends =
    std::is_pointer_v<From>&& std::is_pointer_v<To>&& std::is_trivially_copyable_v<std::iter_value_t<From>>&&
        std::is_copy_assignable_v<std::iter_value_t<From>>&&
            std::is_same_v<std::iter_value_t<From>, std::iter_value_t<To>> &&
    sizeof(std::iter_value_t<From>) <= 4 * sizeof(void*);

/// a if `first`, else b; GCC would make a branch of a conditional expression.
template <class T>
[[nodiscard]] DOZER_HOT T* one_of(bool first, T* a, T* b) noexcept {
  const std::uintptr_t mask = std::uintptr_t{0} - static_cast<std::uintptr_t>(first);
  const auto x = reinterpret_cast<std::uintptr_t>(a), y = reinterpret_cast<std::uintptr_t>(b);
  return reinterpret_cast<T*>(y ^ ((x ^ y) & mask));
}

/// Merges from the front and from the back at the same time, without branches that depend on the elements: two chains
/// of comparisons that do not wait for each other. False: less is no order, and what was written is worth nothing.
template <class T, class Less>
[[nodiscard]] bool merge_from_both_ends(merge_inputs<T*, T*> in, T* to, Less less) {
  T* back = to + in.left();
  constexpr std::uint64_t few = 8;
  for (;;) {
    // So many steps from either end run out of neither range.
    std::uint64_t steps = std::min(count_of(in.a, in.a_end), count_of(in.b, in.b_end));
    if (steps < few) {
      break;
    }
    for (; steps != 0; --steps) {
      const bool second = less(*in.b, *in.a);
      *to++ = *one_of(second, in.b, in.a);
      in.b += static_cast<std::ptrdiff_t>(second);
      in.a += static_cast<std::ptrdiff_t>(!second);
      const bool first = less(*(in.b_end - 1), *(in.a_end - 1));
      *--back = *(one_of(first, in.a_end, in.b_end) - 1);
      in.a_end -= static_cast<std::ptrdiff_t>(first);
      in.b_end -= static_cast<std::ptrdiff_t>(!first);
    }
    if (in.a > in.a_end || in.b > in.b_end) {
      return false;
    }
  }
  detail::merge_until(in, to, back, less, [](const T* i) { return *i; });
  return true;
}

/// Of the first `number` elements of the merged ranges: how many come from the first one.
template <class A, class B, class Less>
[[nodiscard]] std::uint64_t cut_of(const merge_inputs<A, B>& in, std::uint64_t number, Less less) {
  const std::uint64_t in_b = count_of(in.b, in.b_end);
  std::uint64_t low = number > in_b ? number - in_b : 0;
  std::uint64_t high = std::min(number, count_of(in.a, in.a_end));
  while (low < high) {
    const std::uint64_t from_a = low + (high - low) / 2;
    // The last one of b that would be taken, against the first one of a that would not.
    if (less(*after(in.b, number - from_a - 1), *after(in.a, from_a))) {
      high = from_a;
    } else {
      low = from_a + 1;
    }
  }
  return low;
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
