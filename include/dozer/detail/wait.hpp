// Helping while waiting: the loop in which a member looks for jobs until its latch is set.
#pragma once

#include <dozer/detail/latch.hpp>
#include <dozer/detail/seat.hpp>
#include <dozer/stats.hpp>

#include <cstdint>
#include <source_location>

namespace dozer::inline DOZER_PLATFORM::detail {

/// Runs jobs, or sleeps, until the latch is set (true) or the clock passes `deadline` (false). `what` is for reports:
/// the awaited_as of the job, if it is one; and so is `where`, if it is known.
DOZER_WAKE_PATH bool wait_until(seat& me, core_latch& latch, wait_reason why, const void* what,
                                std::uint64_t deadline = no_deadline, const std::source_location& where = {}) noexcept;

/// Runs jobs, or sleeps for want of them, until the latch is set.
void live_until(seat& me, core_latch& over) noexcept;

/// Runs jobs until none is left, or somebody else will.
void run_until_others_run(seat& me) noexcept;

/// A worker's whole life: asleep at first, then runs jobs or sleeps until its termination.
void live(seat& me) noexcept;

/// Runs a job that came from a queue.
DOZER_WAKE_PATH void run_job(seat& me, entry e) noexcept;
/// The same in the middle of another body, which goes on behind it.
void run_in_between(seat& me, entry e) noexcept;

/// One look everywhere: own deque, own mailbox, the other deques, the injector; also at what others keep private. In an
/// isolation only for what was forked in it.
[[nodiscard]] entry find_any_job(seat& me) noexcept;
/// The own queues only.
[[nodiscard]] entry find_own_job(seat& me) noexcept;

/// Whether too little is left of the caller's stack to run another job on it.
[[nodiscard]] bool stack_is_short(const seat& me) noexcept;

}  // namespace dozer::inline DOZER_PLATFORM::detail
