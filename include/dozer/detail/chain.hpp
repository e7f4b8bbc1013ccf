// Chunks of a range that are begun in order, worked on at the same time, and passed in order: what comes before a chunk
// decides where its results go. No thread waits for another one (src/algorithm/README.md).
#pragma once

#include <dozer/detail/platform.hpp>
#include <dozer/detail/short_lock.hpp>

#include <algorithm>
#include <cstdint>

namespace dozer::inline DOZER_PLATFORM::detail {

/// A chunk: the numbers from first to before last.
struct chunk {
  std::uint64_t first, last;
  [[nodiscard]] std::uint64_t size() const noexcept { return last - first; }
};

/// A chunk that a thread has begun before its turn.
struct chain_link : chunk {
  explicit chain_link(chunk c) noexcept : chunk(c) {}
  chain_link* before = nullptr;
  chain_link* after = nullptr;
};

/// The turn goes from chunk to chunk. The thread that has it may touch what is passed on. A chunk that is ready before
/// its turn is left here, and its thread goes on. The thread that passes the turn to it takes it over.
class chain {
 public:
  struct taken : chunk {
    bool has_turn;
  };
  /// The next numbers, at most `size` of those below `count`.
  [[nodiscard]] taken take(std::uint64_t size, std::uint64_t count) noexcept;
  /// The chunk is ready. True: it has the turn. False: it stays here.
  [[nodiscard]] bool arrive(chain_link& ready) noexcept;
  /// By the thread that has the turn, for its chunk that ends there. Returns the next chunk if that has arrived, and
  /// the caller has its turn, too.
  [[nodiscard]] chain_link* pass(std::uint64_t until) noexcept;

  /// The same two while no other thread has begun: the next chunk has the turn, and nobody waits for it.
  [[nodiscard]] chunk take_alone(std::uint64_t size, std::uint64_t count) noexcept {
    const std::uint64_t first = next_;
    next_ += std::min(size, count - first);
    return {first, next_};
  }
  void pass_alone(std::uint64_t until) noexcept { passed_ = until; }

  /// When all threads have ended: up to here the turn has come.
  [[nodiscard]] std::uint64_t passed() const noexcept { return passed_; }
  /// Then: chunks that were left here, since one before them has failed.
  [[nodiscard]] chain_link* take_left() noexcept { return waiting_ != nullptr ? pop() : nullptr; }

 private:
  chain_link* pop() noexcept;

  short_lock lock_;
  std::uint64_t next_ = 0;         // not begun
  std::uint64_t passed_ = 0;       // the chunk that begins here has the turn
  chain_link* waiting_ = nullptr;  // in order
  chain_link* last_waiting_ = nullptr;
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
