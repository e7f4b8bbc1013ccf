// Loops that a stop or an exception ends: what has begun comes to its end, and what has not begun is not run.
#include "support.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <stop_token>
#include <thread>

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

/// A thread that is ahead of the iteration that requests the stop waits for it: that one may be held up.
TEST(ParallelFor, OnceAStopIsRequestedNothingMoreIsBegun) {
  constexpr int count = 1'000'000, requests = 10;
  dozer::thread_pool pool({.threads = 2});
  pool.install([&] {
    std::stop_source stop;
    std::atomic<int> calls{0};
    parallel_for(0, count,
                 [&](int i) {
                   calls.fetch_add(1, std::memory_order_relaxed);
                   if (i == requests) {
                     stop.request_stop();
                   } else if (i > requests) {
                     EXPECT_TRUE(dozer_test::eventually([&] { return stop.stop_requested(); }));
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

/// Of each kind one loop of a million iterations, which calls each() for every one of them.
constexpr int million = 1'000'000;
struct kind_of_loop {
  const char* name;
  void (*run)(const std::function<void()>& each, const dozer::loop_options& options);
};
const std::array kinds{
    kind_of_loop{"parallel_for",
                 [](const std::function<void()>& each, const dozer::loop_options& options) {
                   parallel_for(
                       0, million, [&](int) { each(); }, options);
                 }},
    kind_of_loop{"parallel_for_blocks",
                 [](const std::function<void()>& each, const dozer::loop_options& options) {
                   dozer::parallel_for_blocks(
                       0, million,
                       [&](int first, int last) {
                         for (; first != last; ++first) {
                           each();
                         }
                       },
                       options);
                 }},
    kind_of_loop{"parallel_for_2d",
                 [](const std::function<void()>& each, const dozer::loop_options& options) {
                   dozer::parallel_for_2d(
                       1000, 1000, [&](int, int) { each(); }, options);
                 }},
    kind_of_loop{"parallel_for_3d",
                 [](const std::function<void()>& each, const dozer::loop_options& options) {
                   dozer::parallel_for_3d(
                       100, 100, 100, [&](int, int, int) { each(); }, options);
                 }},
};

struct calls {
  int before, after;
  bool threw;
};

constexpr unsigned others = 3;

/// Runs a loop in a pool of 4. When the three other threads have stolen parts of it, and each has begun an iteration,
/// its caller calls break_off(pool) in an iteration. The one that stole last has a half that was not stolen: it goes on
/// once a stop is requested. The others go on when a thread sleeps behind break_off, and so has come to the end of its
/// part. (Before it a thread may sleep that has not stolen yet.) Returns how many iterations began before break_off and
/// after it.
calls break_off_when_stolen(const kind_of_loop& kind, const dozer::loop_options& options,
                            const std::function<void(dozer::thread_pool&)>& break_off) {
  dozer::thread_pool pool({.threads = 1 + others});
  std::array<std::atomic<bool>, 1 + others> has_begun{};
  std::atomic<unsigned> begun{0};
  std::atomic<int> before{0}, after{0};
  std::atomic<bool> is_broken_off{false};
  const auto loop = [&] {
    const unsigned caller = *dozer::current_thread_index();
    const auto each = [&] {
      ++(is_broken_off ? after : before);
      const unsigned me = *dozer::current_thread_index();
      if (me != caller && !has_begun.at(me).exchange(true)) {
        const bool is_last = begun.fetch_add(1) + 1 == others;
        EXPECT_TRUE(dozer_test::eventually(
            [&] { return (is_last && options.stop.stop_requested()) || (is_broken_off && pool.stats().asleep != 0); }));
      } else if (me == caller && !is_broken_off) {
        if (begun == others) {
          is_broken_off = true;
          break_off(pool);
        } else {
          std::this_thread::sleep_for(std::chrono::microseconds(200));  // a loop that seems to be short is not shared
        }
      }
    };
    kind.run(each, options);
  };
  bool threw = false;
  try {
    pool.submit(loop).get();  // a worker runs it, and all others run parts of it: none is asleep
  } catch (const std::runtime_error&) {
    threw = true;
  }
  return {before.load(), after.load(), threw};
}

/// A thread comes to the end of its block, and begins no other.
void expect_few_after(const calls& were, const kind_of_loop& kind, std::size_t grain) {
  constexpr int learnt = 16, threads = 1 + others;
  const int block = grain != 0 ? static_cast<int>(grain) : learnt;
  EXPECT_LE(were.before, million / 10) << kind.name << ", grain " << grain;
  EXPECT_LE(were.after, threads * (block - 1)) << kind.name << ", grain " << grain;
}

TEST(ParallelFor, AStopEndsPartsThatWereStolen) {
  for (const kind_of_loop& kind : kinds) {
    for (const std::size_t grain : {0u, 1u, 50u}) {
      std::stop_source stop;
      const dozer::loop_options options{.grain = grain, .stop = stop.get_token()};
      const calls were = break_off_when_stolen(kind, options, [&](dozer::thread_pool& pool) {
        stop.request_stop();
        EXPECT_TRUE(dozer_test::eventually([&] { return pool.stats().asleep == others; }));
      });
      EXPECT_FALSE(were.threw);
      expect_few_after(were, kind, grain);
      kind.run([&] { ADD_FAILURE() << kind.name << " begins after a stop"; }, options);
    }
  }
}

TEST(ParallelFor, AnExceptionEndsPartsThatWereStolen) {
  for (const kind_of_loop& kind : kinds) {
    for (const std::size_t grain : {0u, 1u, 50u}) {
      const calls were = break_off_when_stolen(
          kind, {.grain = grain}, [](dozer::thread_pool&) { throw std::runtime_error("the caller's iteration"); });
      EXPECT_TRUE(were.threw);
      expect_few_after(were, kind, grain);
    }
  }
}

}  // namespace
