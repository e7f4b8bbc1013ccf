// The parker: the word a member sleeps on, and who may change it when (src/sleep/README.md).
#pragma once

#include <dozer/detail/platform.hpp>

#include <cstdint>
#include <string>

namespace dozer::inline DOZER_PLATFORM::detail {

/// A value of the parker word: a phase and marks.
class parked {
 public:
  enum phase : std::uint32_t { awake = 0, drowsy = 1, asleep = 2, claimed = 3 };
  static constexpr std::uint32_t lent = 4;    // a guest sits in the seat; the worker waits until it is gone
  static constexpr std::uint32_t bound = 8;   // the worker sleeps in the middle of a job: its seat is not for lending
  static constexpr std::uint32_t spare = 32;  // a spare worker without a job: its seat is not for lending
  static constexpr std::uint32_t timed = 16;  // the sleep has a deadline: the sleeper counts as able all the time

  static constexpr std::uint32_t apart = 64;  // the sleeper is in no counter and in no set

  constexpr explicit parked(std::uint32_t bits) noexcept : bits_(bits) {}
  constexpr parked(phase p, std::uint32_t marks) noexcept : bits_(p | marks) {}

  [[nodiscard]] constexpr std::uint32_t bits() const noexcept { return bits_; }
  [[nodiscard]] constexpr phase at() const noexcept { return static_cast<phase>(bits_ & 3); }
  [[nodiscard]] constexpr std::uint32_t marks() const noexcept { return bits_ & ~std::uint32_t{3}; }
  [[nodiscard]] constexpr bool is_lent() const noexcept { return (bits_ & lent) != 0; }
  [[nodiscard]] constexpr bool is_in_a_job() const noexcept { return (bits_ & (lent | bound)) != 0; }
  [[nodiscard]] constexpr bool is_apart() const noexcept { return (bits_ & apart) != 0; }
  [[nodiscard]] constexpr bool is_timed() const noexcept { return (bits_ & timed) != 0; }

  friend constexpr bool operator==(parked, parked) noexcept = default;

 private:
  std::uint32_t bits_;
};

[[nodiscard]] std::string to_string(parked value);

/// awake -> drowsy (sleeper) -> asleep (sleeper, CAS) -> claimed (a waker, CAS) -> awake (that waker).
/// drowsy -> awake: a waker cancels the sleep (CAS), or the sleeper changes its mind.
class parker {
 public:
  [[nodiscard]] parked load() const noexcept {
    return parked(word_.load(acquire));  // pairs: parker.state (sleeper, waker)
  }

  // ---- the sleeper: whoever sits in the seat ----

  void get_drowsy(std::uint32_t marks) noexcept {
    // A plain store: from awake nobody else moves the word.
    word_.store(parked(parked::drowsy, marks).bits(), release);  // pairs: parker.state (waker)
  }
  void stay_awake(std::uint32_t marks) noexcept {
    // An exchange, since a waker may cancel at the same time.
    word_.exchange(parked(parked::awake, marks & parked::lent).bits(), acq_rel);  // pairs: parker.state (waker)
  }
  /// False: a waker has cancelled the sleep.
  [[nodiscard]] bool fall_asleep(std::uint32_t marks) noexcept {
    std::uint32_t seen = parked(parked::drowsy, marks).bits();
    // pairs: parker.state (waker)
    return word_.compare_exchange(seen, parked(parked::asleep, marks).bits(), acq_rel, acquire);
  }
  /// A guest's last step: the seat is its worker's again, asleep. False: a waker has cancelled that.
  [[nodiscard]] bool give_back_asleep() noexcept {
    std::uint32_t seen = parked(parked::drowsy, parked::lent).bits();
    // pairs: parker.state (waker, the seat's worker)
    return word_.compare_exchange(seen, parked(parked::asleep, 0).bits(), acq_rel, acquire);
  }
  /// Returns once the sleeper's own thread may go on, or when the clock passes `deadline`: then false.
  [[nodiscard]] DOZER_WAKE_PATH bool wait(std::uint32_t marks, std::uint64_t deadline) const noexcept;

  // ---- the waker ----

  /// drowsy -> awake: no counter changes, no system call. False: look again.
  [[nodiscard]] bool cancel(parked seen) noexcept {
    std::uint32_t bits = seen.bits();
    const std::uint32_t marks = bits & parked::lent;
    // pairs: parker.state (sleeper)
    return word_.compare_exchange(bits, parked(parked::awake, marks).bits(), acq_rel, acquire);
  }
  /// asleep -> claimed. Whoever wins does the sleeper's bookkeeping and then releases it. False: look again.
  [[nodiscard]] bool claim(parked seen) noexcept {
    std::uint32_t bits = seen.bits();
    // pairs: parker.state (sleeper)
    return word_.compare_exchange(bits, parked(parked::claimed, seen.marks()).bits(), acq_rel, acquire);
  }
  /// claimed -> awake, and wakes whom the claimed value named: the guest if it was lent, else the worker.
  DOZER_WAKE_PATH void wake_claimed(parked won) noexcept;
  /// The same for a sleeper that claimed itself because its time was up.
  void rise(std::uint32_t marks) noexcept {
    word_.store(parked(parked::awake, marks & parked::lent).bits(), release);  // pairs: parker.state (waker)
  }
  /// asleep, and no mark, -> claimed and lent: a guest takes the seat of a worker that sleeps outside any job. Lent
  /// from this step on, so that nobody counts on the worker in between.
  [[nodiscard]] bool borrow() noexcept {
    std::uint32_t bits = parked(parked::asleep, 0).bits();
    // pairs: parker.state (sleeper)
    return word_.compare_exchange(bits, parked(parked::claimed, parked::lent).bits(), acq_rel, acquire);
  }
  /// claimed -> awake with a guest in the seat; the worker sleeps on.
  void sit_down() noexcept {
    word_.store(parked(parked::awake, parked::lent).bits(), release);  // pairs: parker.state (waker)
  }
  /// The guest is gone and the worker has something to do.
  void give_back_awake() noexcept;

 private:
  static channel channel_of(std::uint32_t marks) noexcept {
    return (marks & parked::lent) != 0 ? channel::second : channel::first;
  }

  atomic<std::uint32_t> word_{parked::awake};
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
