// Calls for the reporter, of which none is lost, also where the system gives no thread to answer them.
#pragma once

#include <dozer/detail/platform.hpp>

#include <cstdint>

namespace dozer::inline DOZER_PLATFORM::detail {

/// At most one thread is on duty. Each call is answered by an answer that begins after it.
class summons {
 public:
  constexpr summons() noexcept = default;

  /// True: no thread was on duty, and the duty is the caller's now. It passes it to a thread that it starts, or answers
  /// itself.
  [[nodiscard]] bool call() noexcept {
    calls_.fetch_add(1, release);             // pairs: summons.calls (answer)
    if (!on_duty_.exchange(true, acq_rel)) {  // pairs: summons.duty (leave, call)
      return true;
    }
    unpark_one(&calls_, channel::first);
    return false;
  }

  /// By a thread that stays on duty.
  template <class F>
  [[noreturn]] void answer_for_ever(F&& answer) noexcept {
    for (;;) {
      const std::uint32_t answered = answer_once(answer);
      park(calls_, answered, channel::first);  // returns at once if a call has come since
    }
  }

  /// By a caller that could start no thread: returns once all calls are answered or another caller has the duty. The
  /// next caller tries again to start one.
  template <class F>
  void answer_and_leave(F&& answer) noexcept {
    std::uint32_t answered = 0;
    do {
      answered = answer_once(answer);
      on_duty_.exchange(false, acq_rel);  // pairs: summons.duty (call)
      // A caller may have come since, and have left it to us. An exchange, not a store: so we see that caller's call.
    } while (calls_.load(acquire) != answered &&  // pairs: summons.calls (call)
             !on_duty_.exchange(true, acq_rel));  // pairs: summons.duty (call)
  }

 private:
  /// Returns how many calls were answered, all in all.
  template <class F>
  [[nodiscard]] std::uint32_t answer_once(F&& answer) noexcept {
    const std::uint32_t seen = calls_.load(acquire);  // pairs: summons.calls (call)
    answer();
    return seen;
  }

  atomic<std::uint32_t> calls_{0};
  atomic<bool> on_duty_{false};
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
