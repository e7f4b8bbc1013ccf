// The primitives of sync.hpp, where nothing hangs.
#include <dozer/dozer.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "support.hpp"

namespace {

using namespace std::chrono_literals;
using dozer::wait_kind;
using dozer_test::eventually;

TEST(Mutex, OneAtATimeAmongWorkersGuestsAndPlainThreads) {
  dozer::thread_pool pool(3);
  dozer::mutex m("m");
  long counter = 0;
  constexpr int rounds = 3000;
  const auto add = [&] {
    for (int i = 0; i < rounds; ++i) {
      const dozer::mutex_guard hold(m);
      ++counter;
    }
  };
  std::thread plain(add), guest([&] { pool.install(add); });
  pool.install([&] { dozer::join(add, add, add); });
  plain.join();
  guest.join();
  EXPECT_EQ(counter, 5L * rounds);
}

TEST(Mutex, WorksWithTheStandardLocks) {
  dozer::mutex a, b;
  {
    const std::scoped_lock both(a, b);
    EXPECT_FALSE(a.try_lock());
    EXPECT_FALSE(b.try_lock());
  }
  const std::unique_lock one(a, std::try_to_lock);
  EXPECT_TRUE(one.owns_lock());
}

TEST(Mutex, MayBeDestroyedByTheNextHolder) {
  dozer::thread_pool pool(2);
  for (int i = 0; i < 2000; ++i) {
    auto m = std::make_unique<dozer::mutex>();
    m->lock();
    auto last = pool.submit([&] {
      m->lock();
      m->unlock();
      m.reset();
    });
    m->unlock();
    last.get();
  }
}

/// The holder is the thread, not the seat that it sits in. While the others stand in line, too.
TEST(Mutex, LockedOutsideItMayBeUnlockedInsideInstallAndTheReverse) {
  dozer::thread_pool pool(2);
  dozer::mutex m("m");
  for (int i = 0; i < 200; ++i) {
    const bool outside_first = i % 2 == 0;
    outside_first ? m.lock() : pool.install([&] { m.lock(); });
    EXPECT_FALSE(m.try_lock());
    std::thread plain;
    std::vector<dozer::future<void>> members;
    if (i % 4 < 2) {
      const auto take = [&] { const dozer::mutex_guard hold(m); };
      plain = std::thread(take);
      members.push_back(pool.submit(take));
      members.push_back(pool.submit(take));
    }
    outside_first ? pool.install([&] { m.unlock(); }) : m.unlock();
    for (auto& each : members) {
      each.get();
    }
    if (plain.joinable()) {
      plain.join();
    }
    ASSERT_TRUE(m.try_lock());
    m.unlock();
  }
}

TEST(MutexDeathTest, UnlockByAThreadThatDoesNotHoldItSaysSoAndAborts) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        dozer::mutex m("free");
        m.unlock();
      },
      "dozer: unlock of the mutex \"free\" by a thread that does not hold it: it is not locked");
  EXPECT_DEATH(
      {
        dozer::mutex m("mine");
        m.lock();
        std::thread([&] { m.unlock(); }).join();
      },
      "dozer: unlock of the mutex \"mine\" by a thread that does not hold it: thread [0-9]+ does");
  EXPECT_DEATH(
      {
        dozer::thread_pool pool(1);
        dozer::mutex m("mine");
        m.lock();
        pool.submit([&] { m.unlock(); }).get();
      },
      "dozer: unlock of the mutex \"mine\" by a thread that does not hold it: thread [0-9]+ does");
}

/// In a pool it is a deadlock that the handler gets (Deadlock.AJobThatLocksTwice).
TEST(MutexDeathTest, AThreadOfNoPoolThatLocksTwiceIsToldSo) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  constexpr const char* message =
      "dozer: lock of the mutex \"twice\" by a thread of no pool that holds it already: it would wait for itself";
  EXPECT_DEATH(
      {
        dozer::mutex m("twice");
        m.lock();
        const std::lock_guard again(m);
      },
      message);
  EXPECT_DEATH(
      {
        dozer::thread_pool pool(1);
        dozer::mutex m("twice");
        pool.install([&] { m.lock(); });
        m.lock();
      },
      message);
}

TEST(Semaphore, CountsAndTimesOut) {
  dozer::thread_pool pool(2);
  dozer::semaphore s(2, "two");
  pool.install([&] {
    EXPECT_TRUE(s.try_acquire());
    s.acquire();
    EXPECT_FALSE(s.try_acquire());
    EXPECT_FALSE(s.try_acquire_for(1ms));
    s.release(2);
    EXPECT_TRUE(s.try_acquire_for(1h));
    s.acquire();
    EXPECT_FALSE(s.try_acquire());
  });
}

TEST(Event, TimesOutAndIsSetForAll) {
  dozer::thread_pool pool(2);
  dozer::event e;
  EXPECT_FALSE(e.wait_for(1ms));
  EXPECT_FALSE(pool.install([&] { return e.wait_for(1ms); }));
  std::vector<dozer::future<void>> waiting;
  for (int i = 0; i < 4; ++i) {
    waiting.push_back(pool.submit([&] { e.wait(); }));
  }
  e.set();
  for (auto& each : waiting) {
    each.get();
  }
  e.wait();
  e.reset();
  EXPECT_FALSE(e.is_set());
}

TEST(ConditionVariable, TimesOut) {
  dozer::mutex m;
  dozer::condition_variable c;
  std::unique_lock hold(m);
  EXPECT_FALSE(c.wait_for(hold, 1ms, [] { return false; }));
  EXPECT_TRUE(hold.owns_lock());
}

TEST(ConditionVariable, WantsItsMutexHeld) {
  dozer::mutex m;
  dozer::condition_variable c;
  std::unique_lock hold(m, std::defer_lock);
  EXPECT_THROW(c.wait(hold), std::system_error);
}

TEST(ConditionVariable, ConsumersGetEverythingOnce) {
  dozer::thread_pool pool(4);
  const dozer::external_token we_bring_the_producer;
  dozer::mutex m("queue");
  dozer::condition_variable filled(wait_kind::pool, "filled");
  std::vector<int> queue;
  std::atomic<int> sum{0};
  std::vector<dozer::future<void>> consumers;
  for (int c = 0; c < 2; ++c) {
    consumers.push_back(pool.submit([&] {
      for (;;) {
        std::unique_lock hold(m);
        filled.wait(hold, [&] { return !queue.empty(); });
        const int got = queue.back();
        queue.pop_back();
        if (got == 0) {
          return;
        }
        sum += got;
      }
    }));
  }
  pool.submit([&] {
        for (int i = 1; i <= 1000; ++i) {
          const dozer::mutex_guard hold(m);
          queue.insert(queue.begin(), i);
          filled.notify_one();
        }
        const dozer::mutex_guard hold(m);
        queue.insert(queue.begin(), {0, 0});
        filled.notify_all();
      })
      .get();
  for (auto& each : consumers) {
    each.get();
  }
  EXPECT_EQ(sum, 500'500);
}

TEST(Event, MayBeDestroyedAsSoonAsTheWaitIsOver) {
  dozer::thread_pool pool(2);
  for (int i = 0; i < 2000; ++i) {
    auto happened = std::make_unique<dozer::event>(wait_kind::pool);
    auto setter = pool.submit([e = happened.get()] { e->set(); });
    pool.install([&] { happened->wait(); });
    happened.reset();
    setter.get();
  }
}

}  // namespace
