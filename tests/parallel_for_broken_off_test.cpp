// Loops that a stop or an exception ends: what has begun comes to its end, and what has not begun is not run.
#include "support.hpp"

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <stop_token>

namespace {

using dozer::parallel_for;

TEST(ParallelFor, WhatHasNotBegunWhenAnIterationThrowsIsNotRun) {
  constexpr int count = 1'000'000;
  dozer::thread_pool pool({.threads = 2});
  const auto calls_until = [&](auto throws) {
    std::atomic<int> calls{0};
    pool.install([&] {
      EXPECT_THROW(parallel_for(0, count,
                                [&](int i) {
                                  calls.fetch_add(1, std::memory_order_relaxed);
                                  if (throws(i)) {
                                    throw std::runtime_error("thrown");
                                  }
                                }),
                   std::runtime_error);
    });
    return calls.load();
  };
  EXPECT_LE(calls_until([](int) { return true; }), 8);
  EXPECT_LE(calls_until([](int i) { return i == 0; }), count / 100);
}

/// Few iterations are forked one by one. The first one waits until the other thread has stolen all others, and the last
/// one, which is stolen first, has thrown.
TEST(ParallelFor, AThiefRunsNoMoreOfFewIterationsOnceOneHasThrown) {
  constexpr int count = 16;
  dozer::thread_pool pool(2);
  std::atomic<int> calls{0};
  const auto stolen = [&] { return pool.stats().total.steals; };
  pool.install([&] {
    const std::uint64_t before = stolen();
    EXPECT_THROW(
        dozer::parallel_for(0, count,
                            [&](int i) {
                              ++calls;
                              if (i == count - 1) {
                                throw std::runtime_error("the last one");
                              }
                              EXPECT_TRUE(dozer_test::eventually([&] { return stolen() == before + count - 1; }));
                            }),
        std::runtime_error);
  });
  EXPECT_EQ(calls.load(), 2);
}

TEST(ParallelFor, OnceAStopIsRequestedNothingMoreIsBegun) {
  constexpr int count = 1'000'000;
  dozer::thread_pool pool({.threads = 2});
  pool.install([&] {
    std::stop_source stop;
    std::atomic<int> calls{0};
    parallel_for(0, count,
                 [&](int i) {
                   calls.fetch_add(1, std::memory_order_relaxed);
                   if (i == 10) {
                     stop.request_stop();
                   }
                 },
                 {.stop = stop.get_token()});
    EXPECT_GE(calls.load(), 1);
    EXPECT_LE(calls.load(), count / 10);
    calls = 0;
    parallel_for(0, count, [&](int) { ++calls; }, {.stop = stop.get_token()});
    EXPECT_EQ(calls.load(), 0);
  });
}

TEST(ParallelFor, OfExceptionsOneLeavesWhenWhatWasBegunHasEnded) {
  dozer::thread_pool pool({.threads = 4});
  std::atomic<int> inside{0};
  pool.install([&] {
    EXPECT_THROW(parallel_for(0, 10'000,
                              [&](int i) {
                                inside.fetch_add(1);
                                if (i % 1000 == 7) {
                                  inside.fetch_sub(1);
                                  throw std::runtime_error("seven");
                                }
                                inside.fetch_sub(1);
                              }),
                 std::runtime_error);
    EXPECT_EQ(inside.load(), 0);
  });
}

}  // namespace
