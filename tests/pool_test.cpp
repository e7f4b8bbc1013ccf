// The pool itself: what it is told, its start and its end.
#include <dozer/detail/platform.hpp>

#include "support.hpp"

#include <pthread.h>

#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace {

using dozer::thread_pool;

// ---- options ------------------------------------------------------------------------------------

TEST(Pool, HasAsManyThreadsAsAskedFor) {
  EXPECT_EQ(thread_pool(3).threads(), 3u);
  EXPECT_EQ(thread_pool({.threads = 4}).threads(), 4u);
  EXPECT_GE(thread_pool().threads(), 1u);
}

std::string thread_name() {
  char text[16] = {};
  pthread_getname_np(pthread_self(), text, sizeof text);
  return text;
}

TEST(Pool, NamesItsWorkers) {
  thread_pool pool({.threads = 2, .name = "mill"});
  std::set<std::string> names;
  for (const std::string& name : pool.broadcast([](dozer::broadcast_context) { return thread_name(); })) {
    names.insert(name);
  }
  EXPECT_EQ(names, (std::set<std::string>{"mill-0", "mill-1"}));
}

TEST(Pool, GivesItsWorkersTheStackTheyWereAskedFor) {
  constexpr std::size_t asked = std::size_t{40} << 20;  // more than the usual default
  thread_pool pool({.threads = 1, .stack_size = asked});
  const auto stack_of_this_thread = [] {
    pthread_attr_t attributes;
    std::size_t stack = 0;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstacksize(&attributes, &stack);
    pthread_attr_destroy(&attributes);
    return stack;
  };
  EXPECT_GE(pool.submit(stack_of_this_thread).get(), asked);
}

TEST(Pool, AStackSizeThatTheSystemRefusesIsAClearError) {
  try {
    thread_pool pool({.threads = 1, .stack_size = 17});
    FAIL() << "it did not throw";
  } catch (const std::system_error& e) {
    EXPECT_NE(std::string(e.what()).find("stack_size 17"), std::string::npos) << e.what();
  }
}

TEST(Pool, TellsWhenEachThreadStartsAndExits) {
  std::mutex guard;
  std::multiset<unsigned> started, exited;
  {
    thread_pool pool({.threads = 3,
                      .on_thread_start =
                          [&](unsigned i) {
                            const std::lock_guard hold(guard);
                            started.insert(i);
                          },
                      .on_thread_exit =
                          [&](unsigned i) {
                            const std::lock_guard hold(guard);
                            exited.insert(i);
                          }});
  }
  EXPECT_EQ(started, (std::multiset<unsigned>{0, 1, 2}));
  EXPECT_EQ(exited, (std::multiset<unsigned>{0, 1, 2}));
}

TEST(Pool, TheCallbacksRunOutsideThePoolSinceTheSeatMayBeLentMeanwhile) {
  std::atomic<bool> release{false};
  std::atomic<int> inside{0};
  {
    thread_pool pool({.threads = 1,
                      .on_thread_start =
                          [&](unsigned) {
                            inside += dozer::current_thread_index().has_value();
                            while (!release) std::this_thread::yield();
                          },
                      .on_thread_exit = [&](unsigned) { inside += dozer::current_thread_index().has_value(); }});
    EXPECT_EQ(pool.install([] { return *dozer::current_thread_index(); }), 0u);
    EXPECT_EQ(pool.install([] { return dozer_test::fib(12); }), 144);
    release = true;
  }
  EXPECT_EQ(inside.load(), 0);
}

TEST(Pool, ALongNameIsCutAndTheIndexKept) {
  thread_pool pool({.threads = 2, .name = "a-very-long-name-for-a-pool"});
  std::set<std::string> names;
  for (const std::string& name : pool.broadcast([](dozer::broadcast_context) { return thread_name(); })) {
    names.insert(name);
  }
  EXPECT_EQ(names, (std::set<std::string>{"a-very-long-n-0", "a-very-long-n-1"}));
}

TEST(Pool, MoreThreadsThanTheCountersHoldIsAClearError) {
  EXPECT_EQ(dozer::max_num_threads(), 65535u);
  try {
    thread_pool pool(65536);
    FAIL() << "it did not throw";
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("65535"), std::string::npos) << e.what();
  }
}

struct deny_threads_after {
  explicit deny_threads_after(std::int64_t n) {
    dozer::detail::hooks.threads_until_failure.store(n, dozer::detail::relaxed);
  }
  ~deny_threads_after() { dozer::detail::hooks.threads_until_failure.store(-1, dozer::detail::relaxed); }
};

TEST(Pool, ARefusedThreadIsAnErrorThatSaysHowManyCouldBeMade) {
  const deny_threads_after deny(3);
  try {
    thread_pool pool(8);
    FAIL() << "it did not throw";
  } catch (const std::system_error& e) {
    EXPECT_EQ(e.code().value(), EAGAIN);
    EXPECT_NE(std::string(e.what()).find("3 of 8"), std::string::npos) << e.what();
  }
}

TEST(Pool, OrFewerThreadsIfTheOptionsAllowIt) {
  const deny_threads_after deny(3);
  thread_pool pool({.threads = 8, .allow_fewer_threads = true});
  EXPECT_EQ(pool.threads(), 3u);
  EXPECT_EQ(pool.broadcast([](dozer::broadcast_context c) { return c.index(); }), (std::vector<unsigned>{0, 1, 2}));
  EXPECT_EQ(pool.install([] { return dozer_test::fib(15); }), 610);
}

TEST(Pool, NoThreadAtAllIsAnErrorEvenThen) {
  const deny_threads_after deny(0);
  EXPECT_THROW(thread_pool({.threads = 8, .allow_fewer_threads = true}), std::system_error);
}

// ---- the end ------------------------------------------------------------------------------------

TEST(Pool, BusyWorkersStop) {
  std::atomic<int> exited{0};
  {
    thread_pool pool({.threads = 4, .on_thread_exit = [&](unsigned) { ++exited; }});
    EXPECT_EQ(pool.install([] { return dozer_test::fib(18); }), 2584);
  }
  EXPECT_EQ(exited.load(), 4);
}

TEST(Pool, SleepingWorkersStop) {
  std::atomic<int> exited{0};
  {
    thread_pool pool({.threads = 8, .on_thread_exit = [&](unsigned) { ++exited; }});
    ASSERT_TRUE(dozer_test::all_asleep(pool));
  }
  EXPECT_EQ(exited.load(), 8);
}

TEST(Pool, EndsWhileThingsAreExecutingAndWaitsForThem) {
  std::atomic<int> ran{0};
  {
    thread_pool pool(2);
    pool.spawn([&] {
      // What this spawns comes after the destructor has begun.
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      for (int i = 0; i < 10; ++i) {
        dozer::spawn([&] {
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
          ++ran;
        });
      }
    });
  }
  EXPECT_EQ(ran.load(), 10);
}

TEST(Pool, MadeAndDestroyedAtOnceAManyTimes) {
  for (int i = 0; i < 300; ++i) {
    thread_pool pool(1 + static_cast<unsigned>(i) % 5);
    if (i % 3 == 0) {
      pool.spawn([] {});
    }
  }
}

TEST(Pool, DestroyedByOneOfItsOwnWorkersEndsWhenItsLastJobHas) {
  std::atomic<int> exited{0}, ran{0};
  auto* const pool = new thread_pool({.threads = 3, .on_thread_exit = [&](unsigned) { ++exited; }});
  pool->spawn([&, pool] {
    pool->spawn([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      ++ran;
    });
    delete pool;
    dozer::spawn([&] { ++ran; });
    ++ran;
  });
  EXPECT_TRUE(dozer_test::eventually([&] { return exited.load() == 3; }));
  EXPECT_EQ(ran.load(), 3);
}

TEST(Pool, DestroyedByAMemberOfAnotherPoolThatItsJobsStillNeed) {
  thread_pool outer(1);
  std::atomic<bool> ran{false};
  const auto make_and_end_a_pool = [&] {
    thread_pool inner(2);
    inner.spawn([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));  // likely the destructor has begun; right either way
      outer.install([&] { ran = true; });
    });
  };
  outer.submit(make_and_end_a_pool).get();
  EXPECT_TRUE(ran.exchange(false));
  outer.install(make_and_end_a_pool);
  EXPECT_TRUE(ran.load());
}

TEST(Pool, APosterMayStillBeInsideSpawnWhenThePoolIsDestroyed) {
  for (int i = 0; i < 300; ++i) {
    std::atomic<bool> ran{false};
    auto pool = std::make_unique<thread_pool>(1);
    std::thread poster([&, p = pool.get()] { p->spawn([&] { ran = true; }); });
    while (!ran) std::this_thread::yield();
    pool.reset();
    poster.join();
  }
}

#if !defined(DOZER_PLATFORM_TSAN)  // death tests fork, which ThreadSanitizer does not survive
TEST(PoolDeathTest, DestroyedByAGuestOfItsOwnAbortsWithAMessage) {
  EXPECT_DEATH(
      {
        auto* const pool = new thread_pool(1);
        pool->install([&] { delete pool; });
      },
      "dozer: a pool was destroyed by a guest of its own");
}
#endif

}  // namespace
