// A pool that has nothing to do, and how it is woken.
#include "compare.hpp"
#include "tour.hpp"

#include <dozer/dozer.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

namespace tour {

void show_sleep() {
  headline("sleep: a pool of 8 that has nothing to do");
  dozer::thread_pool pool(8);
  pool.install([] { return forked_fib(25); });
  while (pool.stats().asleep != 8) {
    std::this_thread::yield();
  }
  const double before = cpu_milliseconds();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  std::printf("  CPU used in one second by all 8 threads: %.3f ms\n", cpu_milliseconds() - before);

  std::vector<double> wakes;
  for (int i = 0; i < 101; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const auto start = std::chrono::steady_clock::now();
    std::atomic<double> started{0};
    pool.submit([&] { started = 1e3 * milliseconds_since(start); }).get();
    wakes.push_back(started);
  }
  std::nth_element(wakes.begin(), wakes.begin() + 50, wakes.end());
  std::printf("  a job into the sleeping pool starts after %.1f us (median of 101)\n", wakes[50]);

  constexpr int guests = 100'000;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < guests; ++i) {
    pool.install([] {});
  }
  std::printf("  install of an empty closure: %.0f ns, and nobody is woken\n",
              1e6 * milliseconds_since(start) / guests);

  const dozer::pool_stats stats = pool.stats();
  std::printf("  the pool so far: %llu jobs, %llu steals, %llu parks, %llu wakes sent, %llu of them fruitless\n",
              static_cast<unsigned long long>(stats.total.jobs), static_cast<unsigned long long>(stats.total.steals),
              static_cast<unsigned long long>(stats.total.parks),
              static_cast<unsigned long long>(stats.total.all_wakes_sent()),
              static_cast<unsigned long long>(stats.total.wakes_fruitless));
}

}  // namespace tour
