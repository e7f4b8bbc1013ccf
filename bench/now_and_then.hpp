// For the workloads that have something to do now and then: a bell, work of a given length, and the rounds.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "harness.hpp"

namespace bench {

/// One waits for it, asleep and without spinning, so that all runtimes have the same end of a round.
class bell {
 public:
  void ring() {
    rang_.store(1);
    syscall(SYS_futex, &rang_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }
  /// And is ready for the next ring.
  void wait() {
    while (rang_.load() == 0) {
      syscall(SYS_futex, &rang_, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
    }
    rang_.store(0);
  }

 private:
  std::atomic<std::uint32_t> rang_{0};
};

/// Keeps a core busy for so long.
inline void work_for(std::uint64_t ns) {
  for (const std::uint64_t until = now_ns() + ns; now_ns() < until;) {
  }
}

inline std::uint64_t median(std::vector<std::uint64_t> of) {
  std::nth_element(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2), of.end());
  return of[of.size() / 2];
}

/// Sleeps `period_ns`, calls round(), and so on. Some rounds first that do not count.
template <class Round, class Report>
int every(std::uint64_t period_ns, int rounds, Round&& round, Report&& report) {
  const auto some = [&](int count) {
    for (int i = 0; i < count; ++i) {
      std::this_thread::sleep_for(std::chrono::nanoseconds(period_ns));
      round(i);
    }
  };
  some(rounds / 10);
  const usage before = usage::now();
  some(rounds);
  const usage after = usage::now();
  report((after.cpu_ns - before.cpu_ns) / static_cast<std::uint64_t>(rounds), after.switches - before.switches);
  return 0;
}

/// Every `period_ns` one job of `job_ns` from outside, into a pool that sleeps. submit(job) hands it over; job() must
/// be called once. report(to start, to done, CPU, switches) prints.
template <class Submit, class Report>
int jobs_from_outside(std::uint64_t period_ns, int rounds, std::uint64_t job_ns, Submit&& submit, Report&& report) {
  bell done;
  std::atomic<std::uint64_t> started{0};
  std::vector<std::uint64_t> to_start(static_cast<std::size_t>(rounds)), to_done(to_start.size());
  return every(
      period_ns, rounds,
      [&](int i) {
        const std::uint64_t begin = now_ns();
        submit([&] {
          started.store(now_ns());
          work_for(job_ns);
          done.ring();
        });
        done.wait();
        to_done[static_cast<std::size_t>(i)] = now_ns() - begin;
        to_start[static_cast<std::size_t>(i)] = started.load() - begin;
      },
      [&](std::uint64_t cpu, std::uint64_t switches) { report(median(to_start), median(to_done), cpu, switches); });
}

/// Every 10 ms one job that does nothing.
template <class Submit>
int wake(Submit&& submit) {
  return jobs_from_outside(10'000'000, 100, 0, submit, print);
}

/// Every millisecond one job of 5 us.
template <class Submit>
int trickle(Submit&& submit) {
  return jobs_from_outside(1'000'000, 1000, 5'000, submit,
                           [](std::uint64_t start, std::uint64_t, std::uint64_t cpu, std::uint64_t switches) {
                             print(cpu, start, cpu, switches);
                           });
}

inline constexpr int tick_jobs = 16;

/// Every 2 ms 16 jobs of 20 us. burst(job) calls job() so many times, possibly in parallel.
template <class Burst>
int tick(Burst&& burst) {
  std::vector<std::uint64_t> took(500);
  return every(
      2'000'000, 500,
      [&](int i) {
        const std::uint64_t begin = now_ns();
        burst([] { work_for(20'000); });
        took[static_cast<std::size_t>(i)] = now_ns() - begin;
      },
      [&](std::uint64_t cpu, std::uint64_t switches) { print(cpu, median(took), cpu, switches); });
}

/// burst(job) as above; then five seconds of nothing.
template <class Burst>
int idle(Burst&& burst) {
  for (int i = 0; i < 100; ++i) {
    burst([] { work_for(20'000); });
  }
  const usage before = usage::now();
  std::this_thread::sleep_for(std::chrono::seconds(5));
  const usage after = usage::now();
  print(after.cpu_ns - before.cpu_ns, 0, after.cpu_ns - before.cpu_ns, after.switches - before.switches);
  return 0;
}

}  // namespace bench
