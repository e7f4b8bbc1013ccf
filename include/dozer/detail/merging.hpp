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

/// Elements that are put where the next one belongs without a branch: a wrong guess takes longer than to choose both.
template <class A, class B>
inline constexpr bool merges_without_branches =
    std::is_same_v<std::iter_value_t<A>, std::iter_value_t<B>>&& std::is_trivially_copyable_v<std::iter_value_t<A>> &&
    sizeof(std::iter_value_t<A>) <= 4 * sizeof(void*) && std::is_pointer_v<A>&& std::is_pointer_v<B>;

/// Merges until `out` is `out_end`. less(b, a) says whether the element of the second range comes first. take(i) gives
/// an element away. Where less throws, `in` and `out` say what has been done.
template <class A, class B, class Out, class Less, class Take>
void merge_until(merge_inputs<A, B>& in, Out& out, Out out_end, Less less, Take take) {
  while (out != out_end && in.a != in.a_end && in.b != in.b_end) {
    // So many steps end neither range.
    auto steps = std::min({count_of(in.a, in.a_end), count_of(in.b, in.b_end), count_of(out, out_end)});
    if constexpr (merges_without_branches<A, B>) {
      A a = in.a;
      B b = in.b;
      Out to = out;
      try {
        for (; steps != 0; --steps) {
          const bool second = less(*b, *a);
          *to = second ? *b : *a;
          a += second ? 0 : 1;
          b += second ? 1 : 0;
          ++to;
        }
      } catch (...) {
        in.a = a;
        in.b = b;
        out = to;
        throw;
      }
      in.a = a;
      in.b = b;
      out = to;
    } else {
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
  }
  for (; out != out_end && in.a != in.a_end; ++in.a, ++out) {
    *out = take(in.a);
  }
  for (; out != out_end; ++in.b, ++out) {
    *out = take(in.b);
  }
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
