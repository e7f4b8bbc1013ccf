// Moving the elements that stay to the front of their range, in order. A chunk is compacted in its own place at any
// time, and moved down in its turn: only then has all that stood before it been moved out of the way.
#pragma once

#include <dozer/detail/blocks.hpp>
#include <dozer/detail/in_order.hpp>
#include <dozer/detail/requirements.hpp>
#include <dozer/detail/sift.hpp>
#include <dozer/loop_options.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>

namespace dozer::inline DOZER_PLATFORM::detail {

/// The elements that go are not needed any more.
struct no_rejects {
  template <class I>
  void keep(std::uint64_t, const I&, const bool*, std::uint64_t) noexcept {}
  template <class I>
  void put_back(chunk, std::uint64_t, const I&) noexcept {}
  void pass(std::uint64_t, std::uint64_t) noexcept {}
  void amend(std::uint64_t) noexcept {}
};

/// Stay says which elements stay: judge(at, count, previous, noted), where `previous` is the last one before that
/// stays, if any; and joins(previous, at): whether one that stayed since it had no previous one goes after all.
/// Rejects takes those that go.
template <class I, class Stay, class Rejects>
class compact_work {
 public:
  /// How many elements of a chunk stay.
  using found = std::uint64_t;
  static constexpr bool finishes = false;

  compact_work(const I& first, const Stay& stay, Rejects& rejects) : first_(first), stay_(stay), rejects_(rejects) {}
  /// Here end those that stay.
  [[nodiscard]] std::uint64_t end() const noexcept { return end_; }

  void run(chunk c) {
    rejects_.pass(c.first, 0);
    const std::uint64_t before = end_;
    std::uint64_t done = c.first;
    try {
      sift(c, done, end_, 0);
    } catch (...) {
      rejects_.amend(done - c.first - (end_ - before));
      throw;
    }
    rejects_.amend(c.size() - (end_ - before));
  }
  void prepare(chunk c, found& stayed) {
    std::uint64_t done = c.first, end = c.first;
    try {
      sift(c, done, end, c.first);
    } catch (...) {
      rejects_.put_back({c.first, done}, end, first_);
      throw;
    }
    stayed = end - c.first;
  }
  void take_turn(chunk c, found stayed) {
    std::uint64_t from = c.first;
    if (end_ != 0 && stay_.joins(after(first_, end_ - 1), after(first_, from))) {
      ++from, --stayed;
    }
    rejects_.pass(c.first, c.size() - stayed);
    move_to_end(from, stayed);
  }
  void abandon(chunk c, found stayed) noexcept { rejects_.put_back(c, c.first + stayed, first_); }

  /// Elements that nobody has looked at stay.
  void move_to_end(std::uint64_t from, std::uint64_t count) {
    if (from != end_) {
      const I at = after(first_, from);
      std::ranges::move(at, after(at, count), after(first_, end_));
    }
    end_ += count;
  }

 private:
  /// Moves those that stay to `end`. An element before `lowest` is nobody's previous one.
  void sift(chunk c, std::uint64_t& done, std::uint64_t& end, std::uint64_t lowest) {
    bool noted[sift_step];
    const std::uint64_t began = end;
    while (done != c.last) {
      const std::uint64_t n = std::min(sift_step, c.last - done);
      const I at = after(first_, done);
      const I to = after(first_, end);
      const std::uint64_t stayed = end != lowest ? stay_.judge(at, n, to - 1, noted) : stay_.judge(at, n, noted);
      if (stayed != n) {
        rejects_.keep(done - (end - began), at, noted, n - stayed);
        detail::pick<true>(at, noted, stayed, to, move_down);
      } else if (end != done) {
        std::ranges::move(at, after(at, n), to);
      }
      end += stayed;
      done += n;
    }
  }

  I first_;
  const Stay& stay_;
  Rejects& rejects_;
  std::uint64_t end_ = 0;
};

/// The elements for which a predicate returns `wanted` stay.
template <bool wanted, class F, class Proj>
struct stay_if {
  F& pred;
  Proj& proj;

  template <class I>
  std::uint64_t judge(const I& at, std::uint64_t count, bool* noted) const {
    return detail::judge<wanted>(at, count, pred, proj, noted);
  }
  template <class I>
  std::uint64_t judge(const I& at, std::uint64_t count, const I&, bool* noted) const {
    return detail::judge<wanted>(at, count, pred, proj, noted);
  }
  template <class I>
  bool joins(const I&, const I&) const noexcept {
    return false;
  }
};

/// Moves the elements that stay to the front and returns how many there are.
template <bool cheap, class I, class Stay>
std::uint64_t compact(const I& first, std::uint64_t count, const Stay& stay, const loop_options& options,
                      const char* name) {
  no_rejects rejects;
  compact_work<I, Stay, no_rejects> work(first, stay, rejects);
  if (cheap && runs_at_once(count, options) && !options.stop.stop_requested()) {
    work.run({0, count});
  } else {
    const std::uint64_t done = detail::run_in_order(work, count, cached_elements<std::iter_value_t<I>>, options, name);
    work.move_to_end(done, count - done);
  }
  return work.end();
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
