// Standing in line for something that is no job: what the primitives of sync.hpp are made of (src/deadlock/README.md,
// "Waiters").
#pragma once

#include <dozer/detail/platform.hpp>
#include <dozer/detail/short_lock.hpp>
#include <dozer/detail/situation.hpp>
#include <dozer/wait_kind.hpp>

#include <cstddef>
#include <cstdint>

namespace dozer::inline DOZER_PLATFORM::detail {

class seat;
class wait_line;

/// One thread in one line. On its stack.
class waiter {
 public:
  /// `what` it waits for, for reports.
  explicit waiter(const doing_now& what) noexcept;
  waiter(const waiter&) = delete;
  waiter& operator=(const waiter&) = delete;

  enum class ending : std::uint8_t { released, timed_out, interrupted, both };  // both: interrupted, then released

  /// After it has been put into the line. Blocks until somebody has taken it out and released it; until the clock
  /// passes the deadline; or until the reporter interrupts it, as the handler of a deadlock wants. Afterwards it is in
  /// no line.
  [[nodiscard]] ending block(wait_line& in, wait_kind who_can_end_it, std::uint64_t deadline = no_deadline) noexcept;

  [[nodiscard]] const doing_now& what() const noexcept { return what_; }
  /// Of what it waits for, before it blocks; by the caller with the line's lock.
  void held_by(std::uint64_t holder) noexcept { holder_ = holder; }

  /// By whoever has taken them out of the line: the first of a chain, or null. They may be gone when this returns.
  static void release_all(waiter* chain) noexcept;

  /// By the reporter, in two steps, so that nobody moves before all are claimed. The first returns null if there is
  /// nothing to interrupt. If that is because another thread releases it, `moves` becomes true.
  [[nodiscard]] static waiter* claim_in(seat& where, bool& moves) noexcept;
  /// May be gone when this returns.
  void interrupt() noexcept;

  waiter* next_claimed = nullptr;  // the reporter's, between the two: a chain

 private:
  friend class wait_line;
  static constexpr std::uint32_t standing = 0, blocked = 1, counted = 2, claimed = 3, released = 4, interrupted = 5,
                                 released_as_well = 6;

  [[nodiscard]] ending park_until_over(wait_line& in, std::uint64_t deadline) noexcept;
  void release_one() noexcept;
  [[nodiscard]] bool claim() noexcept;
  void show_holder(wait_line& in) noexcept;
  void no_longer_to_be_interrupted() noexcept;
  void reporter_is_through() noexcept;

  atomic<std::uint32_t> state_{standing};
  atomic<std::uint32_t> reporter_through_{0};
  seat* const who_;  // null: a thread in no pool
  const doing_now what_;
  std::uint64_t holder_ = 0;  // under the line's lock, as are the following
  bool shows_holder_ = false;
  waiter* next_ = nullptr;
  waiter* previous_ = nullptr;
  bool in_line_ = false;
};

/// First come, first served. Whoever calls these holds the lock.
class wait_line {
 public:
  short_lock lock;

  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
  [[nodiscard]] bool outsider_is_first() const noexcept { return first_ != nullptr && first_->who_ == nullptr; }
  void append(waiter& w) noexcept;
  /// For one who was taken out and did not get what it wanted.
  void prepend(waiter& w) noexcept;
  /// The first so many, as a chain; `times` is how many there were not. Null: none.
  [[nodiscard]] waiter* take_first(std::size_t& times) noexcept;
  [[nodiscard]] waiter* take_first() noexcept;
  /// All of them, behind those that were taken out before.
  [[nodiscard]] waiter* take_all(waiter* before = nullptr) noexcept;
  /// False: somebody has taken it out.
  bool remove(waiter& w) noexcept;
  /// All that wait here wait for this one now.
  void note_holder(std::uint64_t holder) noexcept;

 private:
  waiter* first_ = nullptr;
  waiter* last_ = nullptr;
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
