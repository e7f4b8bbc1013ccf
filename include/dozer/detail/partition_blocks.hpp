// Partition without branches that depend on the elements (BlockQuicksort, Edelkamp and Weiß 2016).
#pragma once

#include <dozer/detail/platform.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace dozer::inline DOZER_PLATFORM::detail {

template <class I>
struct partitioned {
  I split;         // where the elements begin for which the predicate does not hold
  bool as_it_was;  // nothing was moved
};

/// Where in a block of up to `size` elements those stand that are on the wrong side, counted from its base.
class wrong_ones {
 public:
  static constexpr std::size_t size = 64;

  /// Looks at `count` elements. next() is an offset and whether it is wrong.
  template <class Wrong>
  DOZER_HOT void look_at(std::size_t count, Wrong&& wrong) {
    begin_ = end_ = 0;
    for (std::size_t i = 0; i < count; ++i) {
      offsets_[end_] = static_cast<unsigned char>(i);
      end_ += wrong() ? 1u : 0u;
    }
  }
  [[nodiscard]] std::size_t left() const noexcept { return end_ - begin_; }
  [[nodiscard]] std::ptrdiff_t operator[](std::size_t i) const noexcept { return offsets_[begin_ + i]; }
  [[nodiscard]] std::ptrdiff_t take_last() noexcept { return offsets_[--end_]; }
  void drop(std::size_t count) noexcept { begin_ += count; }

 private:
  std::size_t begin_ = 0, end_ = 0;
  unsigned char offsets_[size];
};

/// Exchanges the first `count` wrong ones of both sides, in a cycle: a move for each, and one more.
template <class I>
DOZER_HOT void exchange_wrong_ones(I left, const wrong_ones& in_left, I right, const wrong_ones& in_right,
                                   std::size_t count) {
  using d = std::iter_difference_t<I>;
  if (count == 0) {
    return;
  }
  I l = left + static_cast<d>(in_left[0]);
  I r = right - static_cast<d>(in_right[0]);
  std::iter_value_t<I> out = std::ranges::iter_move(l);
  *l = std::ranges::iter_move(r);
  for (std::size_t i = 1; i < count; ++i) {
    l = left + static_cast<d>(in_left[i]);
    *r = std::ranges::iter_move(l);
    r = right - static_cast<d>(in_right[i]);
    *l = std::ranges::iter_move(r);
  }
  *r = std::move(out);
}

/// Moves the elements for which the predicate holds to the front. All elements are in the range whenever it is called.
template <class I, class Pred>
[[nodiscard]] partitioned<I> partition_blocks(I first, I last, Pred pred) {
  using d = std::iter_difference_t<I>;
  while (first != last && pred(*first)) {
    ++first;
  }
  while (first != last && !pred(*(last - 1))) {
    --last;
  }
  if (first == last) {
    return {first, true};
  }
  wrong_ones in_left, in_right;
  I left = first, right = last - 1;  // bases of the blocks; the right one goes backwards
  while (first != last) {
    const auto unknown = static_cast<std::size_t>(last - first);
    const bool both = in_left.left() == 0 && in_right.left() == 0;
    if (in_left.left() == 0) {
      left = first;
      const std::size_t count = std::min(both ? unknown - unknown / 2 : unknown, wrong_ones::size);
      in_left.look_at(count, [&] { return !pred(*first++); });
    }
    if (in_right.left() == 0) {
      right = last - 1;
      const std::size_t count = std::min(static_cast<std::size_t>(last - first), wrong_ones::size);
      in_right.look_at(count, [&] { return pred(*--last); });
    }
    const std::size_t count = std::min(in_left.left(), in_right.left());
    detail::exchange_wrong_ones(left, in_left, right, in_right, count);
    in_left.drop(count);
    in_right.drop(count);
  }
  while (in_left.left() != 0) {
    std::ranges::iter_swap(left + static_cast<d>(in_left.take_last()), --last);
    first = last;
  }
  while (in_right.left() != 0) {
    std::ranges::iter_swap(right - static_cast<d>(in_right.take_last()), first++);
  }
  return {first, false};
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
