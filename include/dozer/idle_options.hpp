// How members behave when there is nothing to do: the tunables of the sleep module.
#pragma once

#include <dozer/detail/platform.hpp>

#include <chrono>
#include <cstdint>

namespace dozer::inline DOZER_PLATFORM {

/// Whom to wake when the last searcher finds something, and how many when jobs are posted.
enum class wake_policy : std::uint8_t {
  frugal,  ///< on leaving the search, one if more work is in sight; on a post, as many as jobs exceed searchers
  one,     ///< on leaving the search, one in any case (as in Go)
  two,     ///< on leaving the search, up to two in any case, whoever still searches (as in Rayon)
  blocks,  ///< always enough to bring the number awake to a power of two
  all,     ///< everybody
};

/// How long a member looks for work before it gets sleepy.
enum class search_policy : std::uint8_t {
  budget,         ///< for `search_for`, but not at all where a wake-up led to nothing: the next one will not do better
  always_budget,  ///< for `search_for`
  spins,          ///< 32 rounds with 32 pauses of the processor between them
  yields,         ///< 32 rounds, in each of which it yields its core (as in Rayon)
};

/// How the rare side of the protocols makes the common side's accesses visible.
enum class fence_policy : std::uint8_t {
  automatic,  ///< membarrier if the kernel offers it, else full
  full,       ///< full fences on both sides: each fork pays one
};

struct idle_options {
  search_policy search = search_policy::budget;
  /// About what a sleep and a wake cost, so that the waste is at most twice that of somebody who knows the future. 5 us
  /// start jobs as soon as 10 or 30 do, and burn less (docs/benchmarks.md, "Policies").
  std::chrono::nanoseconds search_for = std::chrono::microseconds(5);
  wake_policy wake = wake_policy::frugal;
  fence_policy fences = fence_policy::automatic;
  /// After so many jobs from deques in a row a member looks first at its mailbox, at the injector and at its oldest
  /// job: jobs that spawn themselves again would keep it from those for ever. Such a look takes some 25 instructions, a
  /// spawned job 480 (callgrind, GCC 12): every 64th time that is 0.1 %, every 8th 1 %, each time 5 %.
  std::uint32_t deque_jobs_in_a_row = 64;
  /// After so many injected jobs in a row a member searches as one without work, and asks for jobs that others keep
  /// private first. The search takes two RMWs of the counters word, so 32 make that 0.06 a job.
  std::uint32_t injected_jobs_in_a_row = 32;
  /// A worker that was woken onto the processor of a waker that works on, as one that forks does, is kept off it in its
  /// next sleeps: meanwhile its affinity lacks that processor (src/sleep/README.md, "Which processor"). A burst of jobs
  /// every 2 ms ran on one core of two without it. False: Dozer leaves the affinity of workers alone.
  bool avoid_waker = true;
};

}  // namespace dozer::inline DOZER_PLATFORM
