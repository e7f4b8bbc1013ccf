// What several tests need.
#pragma once

#include <gtest/gtest.h>
#include <dozer/dozer.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>

#include "standstill.hpp"

namespace dozer_test {

#if defined(DOZER_PLATFORM_TSAN)
inline constexpr bool under_tsan = true;
#else
inline constexpr bool under_tsan = false;
#endif

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool under_asan = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool under_asan = true;
#else
inline constexpr bool under_asan = false;
#endif
#else
inline constexpr bool under_asan = false;
#endif

/// Polls until `done()`, or until the process hangs or runs without end. A busy machine only makes it last longer.
template <class Done>
[[nodiscard]] bool eventually(Done&& done) {
  for (patience left; !done();) {
    if (left.is_over()) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return true;
}

/// Waits until all other threads have stood still for so long: then all that they would do has been done.
inline void let_all_stand_still(std::chrono::milliseconds for_so_long) {
  for (patience left(for_so_long); !left.is_over();) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

/// How long a loop was held up, by the machine or by itself: the longest time between two calls of `here`.
class longest_pause {
 public:
  void here() {
    const auto now = std::chrono::steady_clock::now();
    longest_ = std::max(longest_, now - last_);
    last_ = now;
  }
  [[nodiscard]] auto is() const { return longest_; }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::duration longest_{0};
};

/// Keeps its thread busy.
inline void spin_for(std::chrono::nanoseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < until) {
  }
}

/// Every worker registered as asleep, and really parked.
[[nodiscard]] inline bool all_asleep(dozer::thread_pool& pool) {
  return eventually([&] {
    const dozer::pool_stats now = pool.stats();
    if (now.asleep != pool.threads() || now.inactive != pool.threads()) {
      return false;
    }
    for (const dozer::member_snapshot& member : now.members) {
      if (member.state != dozer::activity::asleep && member.state != dozer::activity::vacant) {
        return false;
      }
    }
    return true;
  });
}

/// A place where threads wait for each other; only for tests, since it spins.
class rendezvous {
 public:
  explicit rendezvous(int expected) : expected_(expected) {}
  void arrive() { arrived_.fetch_add(1); }
  [[nodiscard]] bool all_here() const { return arrived_.load() >= expected_; }
  void arrive_and_wait() {
    arrive();
    while (!all_here()) {
      std::this_thread::yield();
    }
  }

 private:
  std::atomic<int> arrived_{0};
  int expected_;
};

/// A seed that the test prints, and takes from DOZER_TEST_SEED to run again.
inline std::uint64_t seed() {
  const char* const given = std::getenv("DOZER_TEST_SEED");
  const std::uint64_t value = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  std::printf("seed: DOZER_TEST_SEED=%llu\n", static_cast<unsigned long long>(value));
  return value;
}

inline long fib(int n) {
  if (n < 2) {
    return n;
  }
  const auto [a, b] = dozer::join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

}  // namespace dozer_test
