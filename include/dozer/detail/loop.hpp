// A parallel loop: one range, halved by forks. How small a piece is run at one go is learned while it runs, so that a
// piece takes a few microseconds: long enough to make the fork cheap, short enough that nobody hungry waits for it
// (src/pool/README.md).
#pragma once

#include <dozer/detail/platform.hpp>
#include <dozer/join.hpp>

#include <algorithm>
#include <cstdint>

namespace dozer::inline DOZER_PLATFORM::detail {

/// How many iterations make a piece, for one thread in one part of the loop. Costs may differ from part to part.
class piece_size {
 public:
  [[nodiscard]] std::uint64_t now() const noexcept { return size_; }

  void ran(std::uint64_t iterations) noexcept {
    since_ += iterations;
    if (2 * since_ >= size_) {
      learn();
    }
  }

 private:
  static constexpr std::uint64_t aim_ns = 5000;
  static constexpr std::uint64_t most_growth = 8;

  void learn() noexcept {
    const std::uint64_t clock = now_ns();
    const std::uint64_t took = std::max<std::uint64_t>(clock - last_, 1);
    // In floating point: neither factor has a bound.
    const double fits = static_cast<double>(since_) * static_cast<double>(aim_ns) / static_cast<double>(took);
    size_ = fits < static_cast<double>(most_growth * size_)
                ? std::max<std::uint64_t>(static_cast<std::uint64_t>(fits), 1)
                : most_growth * size_;
    last_ = clock;
    since_ = 0;
  }

  std::uint64_t size_ = 1;
  std::uint64_t since_ = 0;  // iterations since the last look at the clock
  std::uint64_t last_ = now_ns();
};

template <class Body>
void run_piece(std::uint64_t first, std::uint64_t last, Body& body, piece_size& size) {
  const std::uint64_t count = last - first;
  if (count <= size.now()) {
    for (std::uint64_t i = first; i != last; ++i) {
      body(i);
    }
    size.ran(count);
    return;
  }
  const std::uint64_t middle = first + count / 2;
  join_context([first, middle, &body, &size](fork_context) { run_piece(first, middle, body, size); },
               [middle, last, &body, &size](fork_context where) {
                 if (where.migrated()) {
                   piece_size here;
                   run_piece(middle, last, body, here);
                 } else {
                   run_piece(middle, last, body, size);
                 }
               });
}

/// body(i) for each i below `count`, which is not 0.
template <class Body>
void run_loop(std::uint64_t count, Body body) {
  in_a_pool([&] {
    piece_size size;
    run_piece(0, count, body, size);
  });
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
