// What only looks like a deadlock must not be reported.
#include <dozer/dozer.hpp>

#include <gtest/gtest.h>

#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <random>
#include <string>
#include <thread>

#include "deadlock_support.hpp"
#include "support.hpp"

namespace {

using namespace std::chrono_literals;
using dozer::wait_kind;
using dozer_test::eventually;
using dozer_test::reports;

TEST(Deadlock, AWaitSlotThatAnotherJobUnblocksIsNone) {
  reports seen;
  dozer::thread_pool pool(seen.options(2));
  std::mutex lock;
  std::condition_variable changed;
  constexpr int rounds = 500;
  for (int i = 0; i < rounds; ++i) {
    dozer::wait_slot slot;
    bool over = false;
    dozer::external_token we_bring_the_job_that_unblocks;
    auto waiting = pool.submit([&] {
      std::unique_lock hold(lock);
      if (!over) {
        slot.mark_blocked("the other job");
        changed.wait(hold, [&] { return over; });
      }
    });
    auto unblocking = pool.submit([&] {
      const std::lock_guard hold(lock);
      over = true;
      slot.mark_unblocked();
      changed.notify_one();
    });
    we_bring_the_job_that_unblocks.drop();
    unblocking.get();
    waiting.get();
  }
  EXPECT_EQ(seen.count(), 0u);
}

/// Members stand in line behind an outsider that gets the mutex next, while all others sleep.
TEST(Deadlock, AMutexThatGoesFromAMemberToAnOutsiderIsNone) {
  reports seen;
  dozer::thread_pool pool(seen.options(2));
  dozer::mutex m("m");
  std::atomic<int> in_line{0};
  auto first = pool.submit([&] {
    const dozer::mutex_guard hold(m);
    EXPECT_TRUE(eventually([&] { return in_line == 2; }));
    std::this_thread::sleep_for(20ms);
  });
  EXPECT_TRUE(eventually([&] { return !m.try_lock() || (m.unlock(), false); }));
  std::thread outsider([&] {
    ++in_line;
    const dozer::mutex_guard hold(m);
    std::this_thread::sleep_for(50ms);
  });
  EXPECT_TRUE(eventually([&] { return in_line == 1; }));
  std::this_thread::sleep_for(10ms);
  auto last = pool.submit([&] {
    ++in_line;
    const dozer::mutex_guard hold(m);
  });
  first.get();
  last.get();
  outsider.join();
  EXPECT_EQ(seen.count(), 0u);
}

TEST(Deadlock, ReadingFromAPipeIsNone) {
  reports seen;
  dozer::thread_pool pool(seen.options(2));
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const auto read_one = [&] {
    return dozer::blocking("the pipe", [&] {
      char c = 0;
      return ::read(ends[0], &c, 1) == 1 ? c : '?';
    });
  };
  auto one = pool.submit(read_one);
  auto other = pool.submit(read_one);
  std::this_thread::sleep_for(50ms);
  ASSERT_EQ(::write(ends[1], "ok", 2), 2);
  const std::string got{one.get(), other.get()};
  EXPECT_TRUE(got == "ok" || got == "ko") << got;
  close(ends[0]);
  close(ends[1]);
  EXPECT_EQ(seen.count(), 0u);
}

TEST(Deadlock, ALongJobThatOthersWaitForIsNone) {
  reports seen;
  dozer::thread_pool pool(seen.options(4));
  dozer::event done(wait_kind::pool, "done");
  pool.install([&] {
    dozer::scope([&](dozer::spawner& s) {
      for (int i = 0; i < 3; ++i) {
        s.spawn([&] { done.wait(); });
      }
      const auto end = std::chrono::steady_clock::now() + 100ms;
      while (std::chrono::steady_clock::now() < end) {
      }
      done.set();
    });
  });
  EXPECT_EQ(seen.count(), 0u);
}

/// Many are released at once, and each goes back to sleep at once: whoever counts itself only when it is up again is
/// taken for stuck with the others.
TEST(Deadlock, ABurstOfReleasesIsNone) {
  reports seen;
  dozer::thread_pool pool(seen.options(8));
  constexpr int waiters = 7, bursts = 300;
  dozer::semaphore go(0, wait_kind::pool, "go"), came(0, wait_kind::pool, "came");
  pool.install([&] {
    dozer::scope([&](dozer::spawner& s) {
      for (int i = 0; i < waiters; ++i) {
        s.spawn([&] {
          for (int b = 0; b < bursts; ++b) {
            go.acquire();
            came.release();
          }
        });
      }
      for (int b = 0; b < bursts; ++b) {
        go.release(waiters);
        for (int i = 0; i < waiters; ++i) {
          came.acquire();
        }
      }
    });
  });
  EXPECT_EQ(seen.count(), 0u);
}

/// Whatever it does, somebody is always left who goes on.
TEST(Deadlock, RandomRoundsOfBlockingAndReleasingAreNone) {
  reports seen;
  const std::uint64_t seed = dozer_test::seed();
  dozer::thread_pool pool(seen.options(8));
  dozer::mutex m("counter");
  dozer::semaphore turns(3, wait_kind::pool, "turns");
  std::array<dozer::event, 4> events{dozer::event(wait_kind::pool, "0"), dozer::event(wait_kind::pool, "1"),
                                     dozer::event(wait_kind::pool, "2"), dozer::event(wait_kind::pool, "3")};
  for (dozer::event& each : events) {
    each.set();
  }
  long counter = 0;
  constexpr int jobs = 100, rounds = 1000;
  pool.install([&] {
    dozer::scope([&](dozer::spawner& s) {
      for (int j = 0; j < jobs; ++j) {
        s.spawn([&, j] {
          std::mt19937_64 chance(seed + static_cast<std::uint64_t>(j));
          for (int i = 0; i < rounds; ++i) {
            switch (chance() % 4) {
              case 0: {
                turns.acquire();
                const dozer::mutex_guard hold(m);
                ++counter;
                turns.release();
                break;
              }
              case 1: {
                // One resets it for a moment, and sets it again; others may meet it so.
                dozer::event& one = events[chance() % events.size()];
                one.reset();
                std::this_thread::yield();
                one.set();
                const dozer::mutex_guard hold(m);
                ++counter;
                break;
              }
              case 2: {
                events[chance() % events.size()].wait();
                const dozer::mutex_guard hold(m);
                ++counter;
                break;
              }
              default: {
                const auto [a, b] = dozer::join([] { return 1; }, [] { return 1; });
                const dozer::mutex_guard hold(m);
                counter += a + b - 1;
              }
            }
          }
        });
      }
    });
  });
  EXPECT_EQ(counter, long{jobs} * rounds);
  EXPECT_EQ(seen.count(), 0u);
}

TEST(Deadlock, AnOrdinaryEventThatAThreadSetsLateIsNone) {
  reports seen;
  dozer::thread_pool pool(seen.options(2));
  dozer::event late("late");
  std::thread setter([&] {
    std::this_thread::sleep_for(50ms);
    late.set();
  });
  auto one = pool.submit([&] { late.wait(); });
  auto other = pool.submit([&] { late.wait(); });
  one.get();
  other.get();
  setter.join();
  EXPECT_EQ(seen.count(), 0u);
}

/// It is an outsider then, and will unlock. Back in the pool it is a member again, and has its part in what stands
/// still.
TEST(Deadlock, AGuestThatLeavesWithALockIsNone) {
  reports seen;
  dozer::thread_pool pool(seen.options(1));
  dozer::mutex m("m");
  pool.install([&] { m.lock(); });
  auto waiting = pool.submit([&] { const dozer::mutex_guard hold(m); });
  EXPECT_TRUE(eventually([&] { return pool.stats().members[0].state == dozer::activity::blocked; }));
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(seen.count(), 0u);
  pool.install([] {});
  std::this_thread::sleep_for(5ms);
  EXPECT_EQ(seen.count(), 0u) << seen.last().to_string();
  dozer::event never(wait_kind::pool, "never");
  EXPECT_THROW(pool.install([&] { never.wait(); }), dozer::deadlock_error);
  EXPECT_EQ(seen.count(), 1u);
  EXPECT_THROW(waiting.get(), dozer::deadlock_error);
  m.unlock();
  pool.submit([&] { const dozer::mutex_guard hold(m); }).get();
  EXPECT_EQ(seen.count(), 1u);
}

TEST(Deadlock, AnOutsiderWithATokenMayStillComeAndRelease) {
  reports seen;
  dozer::event late(wait_kind::pool, "late");
  dozer::thread_pool pool(seen.options(2));
  std::thread setter([&, token = dozer::external_token()]() mutable {
    std::this_thread::sleep_for(50ms);
    pool.spawn([&] { late.set(); });
    token.drop();
  });
  pool.install([&] { late.wait(); });
  setter.join();
  EXPECT_EQ(seen.count(), 0u);
}

}  // namespace
