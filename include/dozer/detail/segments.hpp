// Partitioning a range in segments, and then swapping what stands on the wrong side of the whole.
#pragma once

#include <dozer/detail/blocks.hpp>
#include <dozer/detail/requirements.hpp>
#include <dozer/detail/sift.hpp>
#include <dozer/loop_options.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

namespace dozer::inline DOZER_PLATFORM::detail {

/// A part of the range: the predicate holds for its elements before `middle`, and for no others.
struct segment {
  std::uint64_t first, middle, last;
};

/// Makes the segment longer, up to there.
template <class I, class F, class Proj>
void extend(segment& s, const I& begin, std::uint64_t until, F& pred, Proj& proj) {
  bool noted[sift_step];
  unsigned char up[sift_step], down[sift_step];  // the places of those that must go there
  while (s.last != until) {
    const std::uint64_t n = std::min(sift_step, until - s.last);
    const I at = after(begin, s.last);
    const I to = after(begin, s.middle);
    const std::uint64_t others = s.last - s.middle;
    const std::uint64_t held = detail::judge<true>(at, n, pred, proj, noted);
    // The new middle is so far inside the step. Those that hold and stand behind it change places with the others
    // before it: with all of those before the step first.
    const std::uint64_t inside = held > others ? held - others : 0;
    const std::uint64_t before = held - inside;
    const std::uint64_t too_low = inside - count_noted(noted, inside);
    list_places<false>(noted, too_low, up);
    list_places<true>(noted + inside, before + too_low, down);
    const I behind = after(at, inside);
    for (std::uint64_t k = 0; k != before; ++k) {
      std::ranges::iter_swap(after(to, k), after(behind, down[k]));
    }
    for (std::uint64_t k = 0; k != too_low; ++k) {
      std::ranges::iter_swap(after(at, up[k]), after(behind, down[before + k]));
    }
    s.middle += held;
    s.last += n;
  }
}

/// Segments that follow each other, made by one thread. One needs no memory.
class segments {
 public:
  explicit segments(std::uint64_t first) noexcept : open_{first, first, first} {}

  /// Adds the elements up to there. A segment is not long: few elements change places if nearly all are of one kind.
  template <class I, class F, class Proj>
  void add(const I& begin, std::uint64_t until, F& pred, Proj& proj) {
    constexpr std::uint64_t longest = 16 * sift_step;
    for (;;) {
      detail::extend(open_, begin, std::min(until, open_.first + longest), pred, proj);
      if (open_.last == until) {
        return;
      }
      close();
    }
  }
  void append_to(std::vector<segment>& all) const;
  /// If there is one only. Otherwise null.
  [[nodiscard]] const segment* only() const noexcept { return closed_.empty() ? &open_ : nullptr; }

 private:
  void close();

  std::vector<segment> closed_;
  segment open_;
};

/// What is left to do when all segments are made: to swap elements before the middle of the whole for which the
/// predicate does not hold with as many behind it for which it does.
class swaps {
 public:
  /// The segments in order. For what stands between them, the predicate does not hold.
  swaps(const std::vector<segment>& all, std::uint64_t count);
  [[nodiscard]] std::uint64_t middle() const noexcept { return middle_; }
  [[nodiscard]] std::uint64_t count() const noexcept { return lower_.back().number; }

  /// The swaps of these numbers: swap(a, b, n) for stretches of n elements.
  template <class Swap>
  void run(std::uint64_t from, std::uint64_t to, const Swap& swap) const {
    const stretch* a = find(lower_, from);
    const stretch* b = find(upper_, from);
    while (from != to) {
      const std::uint64_t n = std::min({to, a[1].number, b[1].number}) - from;
      swap(a->first + (from - a->number), b->first + (from - b->number), n);
      from += n;
      a += from == a[1].number ? 1 : 0;
      b += from == b[1].number ? 1 : 0;
    }
  }

 private:
  /// Elements on the wrong side. `number`: of the first one's swap. The last one of a list has only that.
  struct stretch {
    std::uint64_t first, number;
  };
  static void add(std::vector<stretch>& to, std::uint64_t first, std::uint64_t last);
  static const stretch* find(const std::vector<stretch>& in, std::uint64_t number) noexcept;

  std::uint64_t middle_ = 0;
  std::vector<stretch> lower_{{0, 0}}, upper_{{0, 0}};
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
