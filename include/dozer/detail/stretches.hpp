// What is on the wrong side when the stretches of a range have been partitioned, each by itself.
#pragma once

#include <dozer/detail/platform.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace dozer::inline DOZER_PLATFORM::detail {

class wrong_stretches {
 public:
  /// `in_front[i]`: how many elements of the i-th stretch belong to the front of the range. All but the last have
  /// `stretch` elements, and there are `count` in all.
  wrong_stretches(const std::vector<std::uint64_t>& in_front, std::uint64_t stretch, std::uint64_t count);

  /// Where the back of the range begins.
  [[nodiscard]] std::uint64_t split() const noexcept { return split_; }
  /// How many of the front stand in the back: as many as the other way round.
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  /// f(a, b, n) for pairs of stretches of n elements that have to change places, from the `from`-th wrong element to
  /// before the `to`-th.
  template <class F>
  void visit(std::uint64_t from, std::uint64_t to, F&& f) const {
    auto a = find(front_, from), b = find(back_, from);
    while (from != to) {
      const std::uint64_t n = std::min({a->until, b->until, to}) - from;
      f(a->position(from), b->position(from), n);
      from += n;
      a += a->until == from ? 1 : 0;
      b += b->until == from ? 1 : 0;
    }
  }

 private:
  /// Wrong elements that stand beside each other.
  struct run {
    std::uint64_t until;  // so many wrong ones there are up to its end
    std::uint64_t end;    // its position
    [[nodiscard]] std::uint64_t position(std::uint64_t number) const noexcept { return end - (until - number); }
  };

  static std::vector<run>::const_iterator find(const std::vector<run>& in, std::uint64_t number);
  static void add(std::vector<run>& to, std::uint64_t first, std::uint64_t last);

  std::uint64_t split_ = 0, count_ = 0;
  std::vector<run> front_, back_;
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
