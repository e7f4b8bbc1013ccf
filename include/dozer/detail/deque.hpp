// The deque of a seat: Chase and Lev's, which grows; old buffers are kept to the end, since a slow thief may still read
// them. The owner pushes and takes at the head, thieves steal at the top (src/deque/README.md).
#pragma once

#include <dozer/detail/job.hpp>
#include <dozer/detail/platform.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace dozer::inline DOZER_PLATFORM::detail {

/// The state that owner and thieves share. It has no operations: use deque_owner or deque_thief.
class deque {
 public:
  explicit deque(std::size_t capacity = deque_start_capacity);
  ~deque();
  deque(const deque&) = delete;
  deque& operator=(const deque&) = delete;

 private:
  friend class deque_owner;
  friend class deque_thief;

  struct buffer {
    explicit buffer(std::size_t size) : mask(static_cast<std::int64_t>(size) - 1), slots(new atomic<job*>[size]) {}
    [[nodiscard]] atomic<job*>& at(std::int64_t index) const noexcept {
      return slots[static_cast<std::size_t>(index & mask)];
    }

    std::int64_t mask;
    std::unique_ptr<atomic<job*>[]> slots;
    std::unique_ptr<buffer> older;
  };

  alignas(cache_line) atomic<std::int64_t> top_{0};   // thieves advance it; never decreases
  alignas(cache_line) atomic<std::int64_t> head_{0};  // only the owner writes it
  atomic<buffer*> buffer_;                            // only the owner writes it
};

/// Push and take, for the thread that sits in the seat.
class deque_owner {
 public:
  explicit deque_owner(deque& d) noexcept : d_(d) {}

  /// Makes room, so that the next push does not throw.
  void reserve_one() {
    const std::int64_t h = d_.head_.load(relaxed);              // relaxed: only the owner writes
    const std::int64_t t = d_.top_.load(acquire);               // pairs: deque.top (thief)
    if (h - t > d_.buffer_.load(relaxed)->mask) [[unlikely]] {  // relaxed: only the owner writes
      grow(h, t);
    }
  }

  /// Returns true if jobs stood there already.
  bool push(job& j) {
    reserve_one();
    const std::int64_t h = d_.head_.load(relaxed);  // relaxed: only the owner writes
    // relaxed: only the owner writes the buffer; the store to head publishes the slot
    d_.buffer_.load(relaxed)->at(h).store(&j, relaxed);
    d_.head_.store(h + 1, release);    // pairs: deque.head (thief)
    return h > d_.top_.load(relaxed);  // relaxed: a hint for the wake rule
  }

  /// The newest job, or null.
  [[nodiscard]] job* take() noexcept {
    const std::int64_t h = d_.head_.load(relaxed) - 1;  // relaxed: only the owner writes
    // Release also here, and below: a thief that reads this value instead of the push's must still see the older slots
    // (a relaxed store by the same thread would end the push's release sequence).
    d_.head_.store(h, release);                    // pairs: deque.head (thief)
    fence_seq_cst();                               // pairs: deque.dekker (thief)
    const std::int64_t t = d_.top_.load(relaxed);  // relaxed: the fence orders it
    if (t < h) {
      return d_.buffer_.load(relaxed)->at(h).load(relaxed);  // relaxed: the owner wrote both
    }
    job* last = nullptr;
    if (t == h) {
      std::int64_t expected = t;
      if (d_.top_.compare_exchange(expected, t + 1, seq_cst, relaxed)) {  // pairs: deque.top (thief)
        last = d_.buffer_.load(relaxed)->at(h).load(relaxed);             // relaxed: the owner wrote both
      }
    }
    d_.head_.store(h + 1, release);  // pairs: deque.head (thief)
    return last;
  }

  [[nodiscard]] bool empty() const noexcept {
    // relaxed: only the owner adds, and a top that lags behind merely shows a job that is gone
    return d_.top_.load(relaxed) >= d_.head_.load(relaxed);
  }

 private:
  DOZER_COLD void grow(std::int64_t head, std::int64_t top);

  deque& d_;
};

/// Steal and look, for everybody else.
class deque_thief {
 public:
  explicit deque_thief(deque& d) noexcept : d_(d) {}

  struct loot {
    job* stolen;
    bool lost;  // somebody else was faster: there may be more
  };

  /// The oldest job.
  [[nodiscard]] loot steal() noexcept {
    std::int64_t t = d_.top_.load(acquire);         // pairs: deque.top (other thieves, owner)
    fence_seq_cst();                                // pairs: deque.dekker (owner)
    const std::int64_t h = d_.head_.load(acquire);  // pairs: deque.head (owner)
    if (t >= h) {
      return {nullptr, false};
    }
    // The buffer is read after head: one that a push has replaced since still holds the job at t, if t is still ours.
    // pairs: deque.buffer (owner)
    // relaxed: the slot, whose worth the exchange decides
    job* const j = d_.buffer_.load(acquire)->at(t).load(relaxed);
    if (!d_.top_.compare_exchange(t, t + 1, seq_cst, relaxed)) {  // pairs: deque.top (other thieves, owner)
      return {nullptr, true};
    }
    return {j, false};
  }

  /// From top to head. As fresh as the caller's fences make it.
  [[nodiscard]] bool in_sight() const noexcept {
    // relaxed: the fences of the sleep protocol order these
    return d_.top_.load(relaxed) < d_.head_.load(relaxed);
  }

 private:
  deque& d_;
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
