// Jobs that wait for 20 ms, as for a disk or a server, and then compute for one.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "../harness.hpp"

inline constexpr unsigned blocking_jobs = 64;

inline void wait_outside() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

inline void compute() {
  volatile std::uint64_t x = 1;
  for (int i = 0; i < 750'000; ++i) {  // about a millisecond, and the same work for all
    x = x * 6364136223846793005u + 1;
  }
}
