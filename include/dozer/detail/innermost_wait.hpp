// The wait for a job that a member is in now: for the reporter, who may interrupt it.
#pragma once

#include <dozer/detail/platform.hpp>

#include <cstdint>

namespace dozer::inline DOZER_PLATFORM::detail {

/// A wait that may be interrupted has a number, so that whoever interrupts it never meets the next.
class innermost_wait {
 public:
  // ---- the member ----

  /// Returns what `end` wants.
  [[nodiscard]] std::uint64_t begin(bool may_be_interrupted) noexcept {
    if (!may_be_interrupted && !can_be_interrupted_) {
      return 0;  // nothing to tell: the usual case
    }
    const std::uint64_t outer = word_.load(relaxed);  // relaxed: nothing comes with it but the reporter's mark
    renumber(may_be_interrupted ? interruptible : 0);
    return outer;
  }
  void end(std::uint64_t outer) noexcept {
    if (outer != 0 || can_be_interrupted_) {
      renumber(outer & (interruptible | marked));
    }
  }
  [[nodiscard]] bool is_interrupted() const noexcept {
    return (word_.load(relaxed) & marked) != 0;  // relaxed: nothing comes with it
  }

  // ---- the reporter ----

  /// False: it may not be interrupted, or is over by now.
  [[nodiscard]] bool interrupt() noexcept {
    std::uint64_t seen = word_.load(relaxed);  // relaxed: the exchange checks it
    return (seen & interruptible) != 0 &&
           word_.compare_exchange(seen, seen | marked, relaxed, relaxed);  // relaxed: the wake-up publishes it
  }

 private:
  static constexpr std::uint64_t marked = 1, interruptible = 2, one = 4;

  /// A mark that is lost here is set again: then it is a deadlock still.
  void renumber(std::uint64_t flags) noexcept {
    number_ += one;
    can_be_interrupted_ = (flags & interruptible) != 0;
    word_.store(number_ | flags, relaxed);  // relaxed: nothing comes with it
  }

  atomic<std::uint64_t> word_{0};
  std::uint64_t number_ = 0;  // the member's, as is the next
  bool can_be_interrupted_ = false;
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
