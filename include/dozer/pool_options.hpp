// What a pool can be told when it is made.
#pragma once

#include <dozer/deadlock.hpp>
#include <dozer/idle_options.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>

namespace dozer::inline DOZER_PLATFORM {

/// Which processors workers run on. Only those of the affinity mask of the thread that makes the pool; if there are
/// more workers than processors, the next one starts from the beginning.
enum class pinning : std::uint8_t {
  none,     ///< where the system puts them
  compact,  ///< worker i on the i-th: all processors of a core, then the next core; all of a package, then the next
  spread,   ///< one on each package, then on the next core of each; a core's second processor when all cores have one
};

/// All threads that a pool starts, also later, have the signal mask, the scheduling policy and priority, and the
/// affinity (but see `pin`) of the thread that makes the pool.
struct pool_options {
  /// How many workers. 0: DOZER_THREADS, else what affinity and cgroup allow. It is how many bodies run at once as a
  /// rule, and no limit: outside threads may work beside the workers (`extra_guests`).
  unsigned threads = 0;
  /// Worker i is called <name>-<i>.
  std::string name = "dozer";
  /// Of the workers; guests work on their own stacks (docs/stacks.md). 0: the system's default.
  std::size_t stack_size = 0;
  /// Called by each worker's thread with its index, before it comes into the pool and after it has left it. Must not
  /// throw.
  std::function<void(unsigned)> on_thread_start = {}, on_thread_exit = {};
  /// Gets the exceptions of detached jobs, in the worker. Must not throw. May destroy the pool. Default:
  /// std::terminate.
  std::function<void(std::exception_ptr)> on_unhandled = {};
  /// Called when nobody can go on any more, by a thread of its own, holding no lock. If several pools have a part in
  /// it, the handler of one of them is. Must not throw. Must not destroy its pool: that aborts with a message. Default:
  /// prints the report and aborts. Without memory for the whole report it has only what_is_wrong and a summary.
  std::function<deadlock_action(const deadlock_report&)> on_deadlock = {};
  /// Called when no job has started or finished for `stall_after` although jobs are queued, or although the destructor
  /// waits for a job that has begun: as a rule a wait that was not declared. The report says what each worker runs, and
  /// which system call it sits in. By a thread of its own, once for each such time. Must not throw. Must not destroy
  /// its pool: that aborts with a message. Default: prints the report.
  std::function<void(const deadlock_report&)> on_stall = {};
  /// 0: DOZER_STALL, a number of seconds; without it nothing is watched. With DOZER_STALL set, a pool is also watched
  /// while nothing is queued but a job or a thread waits (docs/deadlock.md).
  std::chrono::nanoseconds stall_after{0};
  /// How many threads at most may take the places of workers that wait for the world outside (blocking_scope), or run
  /// what is left when all wait.
  unsigned max_spares = 64;
  /// How many outside threads may work beside the workers at once: when no worker sleeps, and, in the global pool, in
  /// the first block of a loop, which is all of a loop with one iteration. With 0 `threads` is a limit: never more
  /// bodies run at once. An outside thread that finds no worker asleep then hands its closure over and blocks until it
  /// is done, and a wait that is over goes on when another body has ended or waits. A body inside a declared wait does
  /// not count, nor one that only waits for jobs; one that is released from a wait_slot goes on at once. With 0 a body
  /// must not hold a lock that Dozer does not know (std::mutex) across a yield or a wait in which it may sleep, be it a
  /// declared one or one for jobs, also inside isolate: the body that waits for the lock has the place that the holder
  /// needs, for ever.
  unsigned extra_guests = detail::usual_extra_guests;
  /// A wait with less than this left of its stack, or half of it if that is less, runs no jobs of others: it only
  /// waits, and others do the work. Waits that run jobs that wait nest, and nobody can tell how deep.
  std::size_t stack_headroom = std::size_t{128} * 1024;
  /// If the system refuses some threads, do with those it gave.
  bool allow_fewer_threads = false;
  /// How members search, sleep and wake.
  idle_options idle = {};
  /// Spare workers and guests are not pinned. A worker that the system refuses to pin works unpinned
  /// (member_snapshot::pinned_to tells). Pinned workers ignore `idle.avoid_waker`.
  pinning pin = pinning::none;
};

}  // namespace dozer::inline DOZER_PLATFORM
