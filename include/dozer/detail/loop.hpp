// A parallel loop: one range, halved by forks. How small a piece is run at one go is learned while it runs, so that a
// piece takes a few microseconds: long enough to make the fork cheap, short enough that nobody hungry waits for it
// (src/pool/README.md).
#pragma once

#include <dozer/detail/join_job.hpp>
#include <dozer/detail/platform.hpp>

#include <algorithm>
#include <cstdint>
#include <variant>

namespace dozer::inline DOZER_PLATFORM::detail {

/// How many iterations make a piece, for one thread in one part of the loop. Costs may differ from part to part.
class piece_size {
 public:
  [[nodiscard]] std::uint64_t now() const noexcept { return size_; }
  /// Of an iteration, in ticks, on the average so far.
  [[nodiscard]] double cost() const noexcept { return static_cast<double>(took_) / static_cast<double>(ran_); }

  void ran(std::uint64_t iterations, std::uint64_t took) noexcept {
    took_ += took;
    ran_ += iterations;
    const double fits = static_cast<double>(aim) * static_cast<double>(iterations) /
                        static_cast<double>(std::max<std::uint64_t>(took, 1));
    const double most = static_cast<double>(most_growth) * static_cast<double>(size_);
    size_ = std::max<std::uint64_t>(static_cast<std::uint64_t>(std::min(fits, most)), 1);
  }

 private:
  static constexpr std::uint64_t aim = 5 * ticks_per_us;
  static constexpr std::uint64_t most_growth = 8;

  std::uint64_t size_ = 1;
  std::uint64_t took_ = 0;
  std::uint64_t ran_ = 0;
};

/// The iterations from first to before last.
template <class Body>
struct piece {
  std::uint64_t first, last;
  Body* body;
  piece_size* size;

  void run() const {
    const std::uint64_t count = last - first;
    if (count > size->now()) {
      halve();
      return;
    }
    const std::uint64_t start = ticks();
    for (std::uint64_t i = first; i != last; ++i) {
      (*body)(i);
    }
    size->ran(count, ticks() - start);
  }
  void halve() const;
};

/// How a loop joins its pieces: whoever has stolen one learns anew.
struct loop_call {
  template <class Body>
  static std::monostate call(piece<Body> p, bool migrated) {
    piece_size here;
    if (migrated) {
      p.size = &here;
    }
    p.run();
    return {};
  }
};

template <class Body>
void piece<Body>::halve() const {
  const std::uint64_t middle = first + (last - first) / 2;
  join_two<loop_call, piece, piece>(piece{first, middle, body, size}, piece{middle, last, body, size});
}

/// A loop that takes less is over before anybody could be of help, or could even have come.
inline constexpr double alone_for = 2.0 * ticks_per_us;

/// What is known of loops with one type of body.
class loop_history {
 public:
  /// Of so many iterations: all the last ones would have been over at once.
  [[nodiscard]] bool promises_a_short_one(std::uint64_t count) const noexcept {
    return short_ones_.get() >= enough && cost_.get() * static_cast<double>(count) < alone_for;
  }
  /// A loop of so many iterations has run; `cost` of each, in ticks.
  void ran(std::uint64_t count, double cost) noexcept {
    cost_.set(cost);
    const bool was_short = cost * static_cast<double>(count) < alone_for;
    const std::uint32_t before = short_ones_.get();
    if (!was_short ? before != 0 : before < enough) {
      short_ones_.set(was_short ? before + 1 : 0);
    }
  }

 private:
  static constexpr std::uint32_t enough = 16;

  reported<double> cost_{0};
  reported<std::uint32_t> short_ones_{0};  // in a row
};
template <class Body>
inline constinit loop_history history_of{};

/// Runs iterations, more and more at a time, until all together have taken longer than they should. Returns how many.
template <class Body>
std::uint64_t run_alone(std::uint64_t count, Body& body) {
  const std::uint64_t start = ticks();
  std::uint64_t took = 0;
  std::uint64_t done = 0;
  for (std::uint64_t next = 1; done < count && static_cast<double>(took) < alone_for; next *= 2) {
    for (const std::uint64_t until = done + std::min(next, count - done); done != until; ++done) {
      body(done);
    }
    took = ticks() - start;
  }
  history_of<Body>.ran(count, static_cast<double>(took) / static_cast<double>(done));
  return done;
}

/// body(i) for each i below `count`, which is not 0.
template <class Body>
void run_loop(std::uint64_t count, Body body) {
  in_a_pool([&] {
    const std::uint64_t done = history_of<Body>.promises_a_short_one(count) ? run_alone(count, body) : 0;
    if (done < count) {
      piece_size size;
      piece<Body>{done, count, &body, &size}.run();
      history_of<Body>.ran(count, size.cost());
    }
  });
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
