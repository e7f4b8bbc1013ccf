// Latches: set once, by anyone; waited for by one owner (src/latch/README.md).
#pragma once

#include <dozer/detail/platform.hpp>
#include <dozer/stats.hpp>

#include <cstddef>
#include <cstdint>
#include <source_location>

namespace dozer::inline DOZER_PLATFORM::detail {

class seat;
class pool_core;

/// The four states, and nothing of who waits. unset -> sleepy -> sleeping, back to unset, and from each of them to set.
class core_latch {
 public:
  [[nodiscard]] bool probe() const noexcept {
    return state_.load(acquire) == is_set;  // pairs: latch.set (setter)
  }

  // ---- the owner ----

  /// False: the latch is set, do not go to sleep.
  [[nodiscard]] bool get_sleepy() noexcept {
    std::uint32_t seen = unset;
    return state_.compare_exchange(seen, sleepy, relaxed, relaxed);  // relaxed: a setter has nobody to wake yet
  }
  /// Only once the owner's parker is drowsy and registered: from here on the setter wakes it. False: the latch is set.
  [[nodiscard]] bool fall_asleep() noexcept {
    std::uint32_t seen = sleepy;
    return state_.compare_exchange(seen, sleeping, release, relaxed);  // pairs: latch.wake (setter)
  }
  /// On every way out of sleep.
  void wake_up() noexcept {
    std::uint32_t seen = state_.load(relaxed);  // relaxed: only the owner moves it, but for the setter's last step
    if (seen == sleepy || seen == sleeping) {
      // relaxed: lost to a setter, and then probe() says so
      static_cast<void>(state_.compare_exchange(seen, unset, relaxed, relaxed));
    }
  }

  // ---- the setter ----

  /// True: the owner sleeps on this latch and must be woken. The latch may be gone when this returns (I7).
  [[nodiscard]] bool set() noexcept {
    // pairs: latch.set (probe)
    // pairs: latch.wake (fall_asleep)
    return state_.exchange(is_set, acq_rel) == sleeping;
  }

 private:
  static constexpr std::uint32_t unset = 0, sleepy = 1, sleeping = 2, is_set = 3;
  atomic<std::uint32_t> state_{unset};
};

/// Set when as many have counted down as the owner waits for. It says how many that are only when it begins to wait.
class late_counting_latch : public core_latch {
 public:
  /// True: the owner sleeps on this latch and must be woken. The latch may be gone when this returns (I7).
  [[nodiscard]] bool count_down() noexcept {
    // Before the owner has said a number, there is 0 or less. So only the last one sees 1.
    // pairs: latch.late (owner, the others who count down)
    return left_.fetch_sub(1, acq_rel) == 1 && set();
  }
  /// The owner waits for so many. False: all of them have counted down, and nobody will set the latch.
  [[nodiscard]] bool expect(std::uint32_t count) noexcept {
    return left_.fetch_add(count, acquire) + count != 0;  // pairs: latch.late (those who count down)
  }

 private:
  atomic<std::uint32_t> left_{0};  // modulo 2^32
};

/// Wakes `owner`, if it sleeps. `by` is the seat of the calling thread, or null.
DOZER_COLD void wake_latch_owner(seat& owner, seat* by) noexcept;

/// For one member, set by a thread of the same pool.
class one_shot_latch {
 public:
  explicit one_shot_latch(seat& owner) noexcept : owner_(&owner) {}

  [[nodiscard]] core_latch& core() noexcept { return core_; }
  [[nodiscard]] seat& owner() const noexcept { return *owner_; }

  void set(seat& by) noexcept {
    seat& owner = *owner_;  // read before the exchange: after it the latch may be gone (I7)
    if (core_.set()) {
      wake_latch_owner(owner, &by);
    }
  }

 private:
  core_latch core_;
  seat* owner_;
};

/// For a thread that is no member of any pool: it blocks, and the census counts it as waiting for a pool.
class blocking_latch {
 public:
  /// False: the clock has passed `deadline`.
  bool wait(std::uint64_t deadline = no_deadline) noexcept;
  void set() noexcept;

 private:
  static constexpr std::uint32_t unset = 0, awaited = 1, awaited_for_a_time = 2, is_set = 3;

  bool wait_for_ever() noexcept;
  bool wait_for_a_time(std::uint64_t deadline) noexcept;

  atomic<std::uint32_t> word_{unset};
};

/// For a member that waits at home for another pool. The setter may belong to any pool or to none, and the owner may go
/// on, and its pool end, between the set and the wake: so the latch keeps the owner's pool in memory, and the setter
/// lets go of it last.
class cross_pool_latch {
 public:
  explicit cross_pool_latch(seat& owner) noexcept;
  cross_pool_latch(const cross_pool_latch&) = delete;
  cross_pool_latch& operator=(const cross_pool_latch&) = delete;

  [[nodiscard]] core_latch& core() noexcept { return core_; }
  void set(seat* by) noexcept;

 private:
  core_latch core_;
  seat* owner_;
};

/// For the calling thread, whatever it is: a member helps its pool while it waits, another thread blocks.
/// It must be set exactly once, or withdrawn.
class caller_latch {
 public:
  caller_latch() noexcept;
  caller_latch(const caller_latch&) = delete;
  caller_latch& operator=(const caller_latch&) = delete;
  ~caller_latch() {}

  /// False: the clock has passed `deadline`.
  bool wait(wait_reason why, const void* what, std::uint64_t deadline = no_deadline,
            const std::source_location& where = {}) noexcept;
  void set(seat* by) noexcept;
  /// In place of being set: nobody will.
  void withdraw() noexcept;

 private:
  seat* owner_;  // null: not a member
  union {
    cross_pool_latch at_home_;
    blocking_latch outside_;
  };
};

/// Sets another latch when a count comes down to zero. It starts at one, which the owner takes off when it begins to
/// wait.
template <class Latch>
class counting_latch {
 public:
  template <class... Args>
  explicit counting_latch(std::size_t count, Args&... args) noexcept : count_(count), latch_(args...) {}

  [[nodiscard]] Latch& latch() noexcept { return latch_; }
  /// False: it has come down to zero, or this is no latch any more and holds what was written over it.
  [[nodiscard]] bool is_plausible() const noexcept {
    const std::size_t now = count_.load(relaxed);   // relaxed: whoever asks holds a count itself
    return now != 0 && now < std::size_t{1} << 40;  // more jobs than memory has room for; addresses lie above
  }

  void add() noexcept {
    count_.fetch_add(1, relaxed);  // relaxed: whoever adds holds a count itself
  }
  template <class By>
  void count_down(By&& by) noexcept {
    // pairs: latch.count (the others who count down; the last one's set passes it on to the owner)
    if (count_.fetch_sub(1, acq_rel) == 1) {
      latch_.set(by);
    }
  }

 private:
  atomic<std::size_t> count_;
  Latch latch_;
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
