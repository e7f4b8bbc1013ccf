// Four threads from outside put tiny jobs into a pool, all at once.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "../harness.hpp"

inline constexpr unsigned producers = 4;
inline constexpr std::uint64_t jobs_of_each = 50'000;

/// submit(job) puts one in.
template <class Submit>
int measure_producers(Submit&& submit) {
  return bench::measure(producers * jobs_of_each, [&] {
    std::atomic<std::uint64_t> ran{0};
    std::vector<std::thread> threads;
    for (unsigned p = 0; p < producers; ++p) {
      threads.emplace_back([&] {
        for (std::uint64_t i = 0; i < jobs_of_each; ++i) {
          submit([&ran] { ran.fetch_add(1, std::memory_order_relaxed); });
        }
      });
    }
    for (std::thread& t : threads) {
      t.join();
    }
    while (ran.load() != producers * jobs_of_each) {
      std::this_thread::yield();
    }
    return ran.load();
  });
}
