// What several tests need.
#pragma once

#include <gtest/gtest.h>
#include <dozer/dozer.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>

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

/// Polls until `done()` or until a time is over that only a hang can exceed.
template <class Done>
[[nodiscard]] bool eventually(Done&& done, std::chrono::seconds most = std::chrono::seconds(60)) {
  const auto end = std::chrono::steady_clock::now() + most;
  while (!done()) {
    if (std::chrono::steady_clock::now() > end) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return true;
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
