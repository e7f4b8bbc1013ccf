// Partitioning a range in segments, and then swapping what stands on the wrong side of the whole.
#pragma once

#include <dozer/detail/blocks.hpp>
#include <dozer/detail/requirements.hpp>
#include <dozer/detail/sift.hpp>
#include <dozer/loop_options.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace dozer::inline DOZER_PLATFORM::detail {

/// A part of the range: the predicate holds for its elements before `middle`, and for no others.
struct segment {
  std::uint64_t first, middle, last;
};

/// Segments that follow each other, made by one thread. One needs no memory.
class segments {
 public:
  explicit segments(std::uint64_t first) noexcept : open_{first, first, first} {}

  /// The one that grows. A large one is closed: in the next one, elements that change places are close to each other.
  [[nodiscard]] segment& open(std::uint64_t largest) {
    if (open_.last - open_.first >= largest) {
      closed_.push_back(open_);
      open_ = {open_.last, open_.last, open_.last};
    }
    return open_;
  }
  void append_to(std::vector<segment>& all) const;

 private:
  std::vector<segment> closed_;
  segment open_;
};

/// Makes the segment longer by the next `count` elements.
template <class I, class F, class Proj>
void extend(segment& s, const I& first, std::uint64_t count, F& pred, Proj& proj) {
  static_assert(sift_step <= 256);
  bool noted[sift_step];
  unsigned char places[sift_step];
  for (std::uint64_t n; count != 0; count -= n) {
    n = std::min(sift_step, count);
    const I at = after(first, s.last);
    const std::uint64_t held = judge<true>(at, n, pred, proj, noted);
    std::uint64_t found = 0;
    for (std::uint64_t k = 0; found != held; ++k) {
      places[found] = static_cast<unsigned char>(k);
      found += noted[k] ? 1 : 0;
    }
    const I to = after(first, s.middle);
    if (s.middle != s.last) {
      for (std::uint64_t k = 0; k != held; ++k) {
        std::ranges::iter_swap(after(to, k), after(at, places[k]));
      }
    } else {
      for (std::uint64_t k = 0; k != held; ++k) {
        if (places[k] != k) {
          std::ranges::iter_swap(after(to, k), after(at, places[k]));
        }
      }
    }
    s.middle += held;
    s.last += n;
  }
}

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
