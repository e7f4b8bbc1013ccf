// The wait for a job that a member is in now: for the reporter, who may interrupt it.
#pragma once

#include <dozer/detail/platform.hpp>

#include <cstdint>

namespace dozer::inline DOZER_PLATFORM::detail {

/// Each wait has a number, so that whoever interrupts one never meets the next.
class innermost_wait {
 public:
  // ---- the member ----

  /// Returns what `end` wants.
  [[nodiscard]] std::uint64_t begin(bool may_be_interrupted) noexcept {
    const std::uint64_t outer = word_.load(relaxed);  // relaxed: the reporter's mark, if it is there
    renumber(may_be_interrupted ? interruptible : 0);
    return outer;
  }
  void end(std::uint64_t outer) noexcept { renumber(outer & (interruptible | marked)); }
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

  void renumber(std::uint64_t flags) noexcept {
    number_ += one;
    word_.store(number_ | flags, relaxed);  // relaxed: nothing comes with it. A mark that is lost here is set again: it
                                            // is a deadlock still
  }

  atomic<std::uint64_t> word_{0};
  std::uint64_t number_ = 0;  // the member's
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
