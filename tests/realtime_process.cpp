// Threads of different priorities on one processor: a program with one scenario a name, run as `process` is.
//
// A real-time thread that waits for one of lower priority by spinning or yielding keeps it from running, until the
// kernel throttles it after most of a second. So the scenarios count the processor time that the waiting takes. Where
// the system grants no real-time policy all threads have the same, and the same must hold.
#include <dozer/detail/domain.hpp>
#include <dozer/detail/pool_core.hpp>
#include <dozer/detail/short_lock.hpp>
#include <dozer/dozer.hpp>

#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace detail = dozer::detail;

double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

constexpr double little = 0.4;  // processor seconds; a wait that spins takes twice that before it is throttled

void burn(double seconds) {
  const double until = seconds_of(CLOCK_THREAD_CPUTIME_ID) + seconds;
  while (seconds_of(CLOCK_THREAD_CPUTIME_ID) < until) {
  }
}

/// Of any priority: those of lower priority run meanwhile.
void wait_for(const std::atomic<bool>& flag) {
  while (!flag) {
    usleep(200);
  }
}

void one_processor_for_all() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
}

/// The calling thread, if the system lets it.
void become_urgent() {
  sched_param priority{};
  priority.sched_priority = 10;
  pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority);
}

void urgently(const std::function<void()>& body) {
  std::thread([&] {
    become_urgent();
    body();
  }).join();
}

long fib(int n) {
  if (n < 2) {
    return n;
  }
  const auto [a, b] = dozer::join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

/// A thread of low priority is in the middle of a short lock's few instructions.
void a_short_lock_is_held_by_a_lower_priority() {
  detail::short_lock lock;
  std::atomic<bool> taken{false};
  std::thread low([&] {
    const std::lock_guard hold(lock);
    taken = true;
    burn(0.02);
  });
  urgently([&] {
    wait_for(taken);
    const double before = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    const std::lock_guard hold(lock);
    std::printf("little time taken: %d\n", seconds_of(CLOCK_THREAD_CPUTIME_ID) - before < little);
  });
  low.join();
}

/// A thread of low priority looks at all pools, as a report does, while one of them ends.
void a_pool_ends_while_a_lower_priority_looks() {
  auto pool = std::make_unique<dozer::thread_pool>(1);
  std::atomic<bool> looking{false};
  std::thread low([&] {
    detail::current_domain().pools.for_each([&](detail::pool_core&) {
      looking = true;
      burn(0.02);
    });
  });
  urgently([&] {
    wait_for(looking);
    const double before = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    pool.reset();
    std::printf("little time taken: %d\n", seconds_of(CLOCK_THREAD_CPUTIME_ID) - before < little);
  });
  low.join();
}

/// A thread of low priority has marked a deque, to make its jobs public, when an urgent worker begins to search: it
/// sees a job that it cannot have.
void a_job_is_exposed_by_a_lower_priority() {
  std::unique_ptr<dozer::thread_pool> pool;
  urgently([&] { pool = std::make_unique<dozer::thread_pool>(1); });  // so is its worker
  std::atomic<bool> busy{false}, go{false}, stolen{false};
  pool->spawn([&] {
    busy = true;
    wait_for(go);
  });
  wait_for(busy);
  const double before = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  pool->install([&] {
    dozer::join(
        [&] {
          detail::seat& mine = *detail::current_seat();
          std::thread([&] {
            mine.others().expose(60, [&] {
              go = true;
              burn(0.02);
              detail::fence_process();
            });
          }).join();
          wait_for(stolen);
        },
        [&] { stolen = true; });
  });
  std::printf("little time taken: %d\n", seconds_of(CLOCK_PROCESS_CPUTIME_ID) - before < little);
}

/// Urgent workers, and guests of low priority that fork, post, lock and wait.
void urgent_workers_and_ordinary_guests() {
  std::unique_ptr<dozer::thread_pool> pool;
  urgently([&] { pool = std::make_unique<dozer::thread_pool>(2); });
  dozer::mutex lock;
  long sum = 0;
  std::vector<std::thread> guests;
  for (int i = 0; i < 4; ++i) {
    guests.emplace_back([&] {
      for (int k = 0; k < 50; ++k) {
        const long forked = pool->install([] { return fib(10); });
        const long submitted = pool->submit([] { return fib(5); }).get();
        pool->submit([&] {
              const std::lock_guard hold(lock);
              sum += forked + submitted;
            })
            .get();
        const std::lock_guard hold(lock);
        ++sum;
      }
    });
  }
  for (std::thread& guest : guests) {
    guest.join();
  }
  urgently([&] { pool.reset(); });
  std::printf("sum %ld\n", sum);
}

const std::map<std::string, void (*)()> scenarios{
    {"a_short_lock_is_held_by_a_lower_priority", a_short_lock_is_held_by_a_lower_priority},
    {"a_pool_ends_while_a_lower_priority_looks", a_pool_ends_while_a_lower_priority_looks},
    {"a_job_is_exposed_by_a_lower_priority", a_job_is_exposed_by_a_lower_priority},
    {"urgent_workers_and_ordinary_guests", urgent_workers_and_ordinary_guests},
};

}  // namespace

int main(int argc, char** argv) {
  const auto found = argc == 2 ? scenarios.find(argv[1]) : scenarios.end();
  if (found == scenarios.end()) {
    std::fprintf(stderr, "usage: realtime_process SCENARIO, one of:\n");
    for (const auto& [name, run] : scenarios) {
      std::fprintf(stderr, "  %s\n", name.c_str());
    }
    return 2;
  }
  one_processor_for_all();
  found->second();
  return 0;
}
