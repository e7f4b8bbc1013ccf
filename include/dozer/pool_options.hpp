// What a pool can be told when it is made.
#pragma once

#include <dozer/deadlock.hpp>
#include <dozer/idle_options.hpp>

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <string>

namespace dozer::inline DOZER_PLATFORM {

struct pool_options {
  /// How many workers, which is how many run at once. 0: DOZER_THREADS, else what affinity and cgroup allow.
  unsigned threads = 0;
  /// Worker i is called <name>-<i>.
  std::string name = "dozer";
  /// Of the workers. 0: the system's default.
  std::size_t stack_size = 0;
  /// Called by each worker's thread with its index, before it comes into the pool and after it has left it. Must not
  /// throw.
  std::function<void(unsigned)> on_thread_start = {}, on_thread_exit = {};
  /// Gets the exceptions of detached jobs, in the worker. Must not throw. May destroy the pool. Default:
  /// std::terminate.
  std::function<void(std::exception_ptr)> on_unhandled = {};
  /// Called when nobody can go on any more, by a thread of its own, holding no lock. If several pools have a part in
  /// it, the handler of one of them is. Must not throw. Must not destroy its pool: that aborts with a message. Default:
  /// prints the report and aborts.
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
  /// A wait with less than this left of its stack, or half of it if that is less, runs no jobs of others: it only
  /// waits, and others do the work. Waits that run jobs that wait nest, and nobody can tell how deep.
  std::size_t stack_headroom = std::size_t{128} * 1024;
  /// If the system refuses some threads, do with those it gave.
  bool allow_fewer_threads = false;
  /// How members search, sleep and wake.
  idle_options idle = {};
};

}  // namespace dozer::inline DOZER_PLATFORM
