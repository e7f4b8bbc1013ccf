// The pool itself: its start, its end, what it is told, and who may come in.
#include <dozer/detail/platform.hpp>

#include "support.hpp"

#include <pthread.h>
#include <algorithm>

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

// ---- install ------------------------------------------------------------------------------------

TEST(Install, ReturnsValuesReferencesAndExceptions) {
  thread_pool pool(2);
  EXPECT_EQ(pool.install([] { return 1; }), 1);
  int x = 0;
  decltype(auto) r = pool.install([&]() -> int& { return x; });
  static_assert(std::is_same_v<decltype(r), int&>);
  EXPECT_EQ(&r, &x);
  EXPECT_THROW(pool.install([] { throw std::runtime_error("inside"); }), std::runtime_error);
  EXPECT_FALSE(dozer::current_thread_index());
}

TEST(Install, WhatItForksRunsInThatPool) {
  thread_pool pool(3);
  EXPECT_EQ(pool.install([] { return dozer::current_num_threads(); }), 3u);
  EXPECT_EQ(pool.install([] {
    return dozer::join([] { return dozer::current_num_threads(); }, [] { return dozer::current_num_threads(); });
  }),
            std::pair(3u, 3u));
}

TEST(Install, InTheOwnPoolRunsAtOnce) {
  thread_pool pool(1);
  EXPECT_TRUE(pool.submit([&] { return pool.install([&] { return pool.install([] { return true; }); }); }).get());
  EXPECT_TRUE(pool.install([&] { return pool.install([] { return true; }); }));
}

TEST(Install, MutualInstallsOfTwoPoolsOfOneDoNotHang) {
  thread_pool a(1), b(1);
  EXPECT_TRUE(a.install([&] { return b.install([&] { return a.install([] { return true; }); }); }));
  EXPECT_TRUE(a.submit([&] { return b.install([&] { return a.install([] { return true; }); }); }).get());
}

TEST(Install, MutualInstallsOfTwoSleepingPoolsDoNotHang) {
  for (int i = 0; i < 20; ++i) {
    thread_pool a(1), b(1);
    const auto ping_pong = [&] {
      return b.install([&] {
        EXPECT_TRUE(dozer_test::eventually([&] { return true; }));
        return a.install([&] { return b.install([] { return true; }); });
      });
    };
    ASSERT_TRUE(dozer_test::all_asleep(a));
    ASSERT_TRUE(dozer_test::all_asleep(b));
    EXPECT_TRUE(i % 2 == 0 ? a.install(ping_pong) : a.submit(ping_pong).get());
  }
}

TEST(Install, AWorkerOfAnotherPoolHelpsAtHomeMeanwhile) {
  thread_pool home(1), away(1);
  std::atomic<bool> helped{false};
  home.submit([&] {
        dozer::spawn([&] { helped = true; });
        away.install([&] { EXPECT_TRUE(dozer_test::eventually([&] { return helped.load(); })); });
      })
      .get();
}

TEST(Install, ExceptionsCrossPools) {
  thread_pool a(1), b(1);
  EXPECT_THROW(a.submit([&] { b.install([] { throw std::runtime_error("away"); }); }).get(), std::runtime_error);
}

// ---- guests -------------------------------------------------------------------------------------

TEST(Guest, WorksInlineInTheSeatOfASleepingWorker) {
  thread_pool pool(2);
  ASSERT_TRUE(dozer_test::all_asleep(pool));
  const auto me = std::this_thread::get_id();
  pool.install([&] {
    EXPECT_EQ(std::this_thread::get_id(), me);
    EXPECT_LT(*dozer::current_thread_index(), 2u);
    EXPECT_EQ(pool.stats().asleep, 1u);  // the lent worker is not counted as asleep
    EXPECT_EQ(pool.stats().inactive, 1u);
  });
  EXPECT_EQ(pool.stats().asleep, 2u);
}

TEST(Guest, NoMoreThanThreadsRunAtOnce) {
  thread_pool pool(2);
  ASSERT_TRUE(dozer_test::all_asleep(pool));
  std::atomic<int> running{0}, most{0};
  pool.install([&] {
    dozer::scope([&](dozer::spawner& s) {
      for (int i = 0; i < 40; ++i) {
        s.spawn([&] {
          const int now = ++running;
          int seen = most.load();
          while (seen < now && !most.compare_exchange_weak(seen, now)) {
          }
          std::this_thread::sleep_for(std::chrono::microseconds(200));
          --running;
        });
      }
    });
  });
  EXPECT_EQ(most.load(), 2);
}

TEST(Guest, GetsAnExtraSeatIfNoWorkerSleeps) {
  std::atomic<bool> go{false};
  dozer_test::rendezvous busy(2);
  thread_pool pool(2);
  for (int i = 0; i < 2; ++i) {
    pool.spawn([&] {
      busy.arrive();
      while (!go) std::this_thread::yield();
    });
  }
  while (!busy.all_here()) std::this_thread::yield();
  pool.install([&] {
    const unsigned index = *dozer::current_thread_index();
    EXPECT_GE(index, 2u);
    EXPECT_LT(index, pool.index_bound());
    EXPECT_EQ(dozer::index_bound(), pool.index_bound());
    EXPECT_EQ(dozer_test::fib(15), 610);
  });
  go = true;
}

TEST(Guest, JobsLeftInAnExtraSeatStillRunInOrderOfTheirAge) {
  std::vector<int> order;
  {
    std::atomic<bool> go{false}, busy{false};
    thread_pool pool(1);
    pool.spawn([&] {
      busy = true;
      while (!go) std::this_thread::yield();
    });
    while (!busy) std::this_thread::yield();
    pool.install([&] {
      ASSERT_GE(*dozer::current_thread_index(), 1u);
      dozer::spawn([&] { order.push_back(0); });
      dozer::spawn(dozer::fifo, [&] { order.push_back(1); });
      dozer::spawn([&] { order.push_back(2); });
    });
    go = true;
  }
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2}));
}

TEST(Guest, JobsSpawnedFromAnExtraSeatIntoSomebodysFifoScopeStillRunInOrder) {
  std::vector<int> order;
  thread_pool pool(1);
  pool.submit([&] {
        dozer::scope(dozer::fifo, [&](dozer::spawner& s) {
          std::thread outsider([&] {
            pool.install([&] {
              ASSERT_GE(*dozer::current_thread_index(), 1u);
              for (int i = 0; i < 3; ++i) {
                s.spawn([&, i] { order.push_back(i); });
              }
            });
          });
          outsider.join();
        });
      })
      .get();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2}));
}

TEST(Guest, JobsLeftInABorrowedSeatAreItsWorkers) {
  std::atomic<int> ran{0};
  thread_pool pool(1);
  ASSERT_TRUE(dozer_test::all_asleep(pool));
  pool.install([&] {
    for (int i = 0; i < 10; ++i) {
      dozer::spawn([&] { ++ran; });
    }
  });
  EXPECT_TRUE(dozer_test::eventually([&] { return ran.load() == 10; }));
}

TEST(Guest, MoreGuestsThanSeatsHandOver) {
  thread_pool pool(1);
  ASSERT_TRUE(dozer_test::all_asleep(pool));
  const unsigned seats = pool.index_bound();
  constexpr unsigned late = 8;
  std::atomic<unsigned> inside{0}, coming{0}, ran{0}, handed_over{0};
  std::atomic<bool> go{false};
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < seats; ++i) {
    threads.emplace_back([&] {
      pool.install([&] {
        ++inside;
        while (!go) std::this_thread::sleep_for(std::chrono::microseconds(100));
        ++ran;
      });
    });
  }
  ASSERT_TRUE(dozer_test::eventually([&] { return inside.load() == seats; }));
  for (unsigned i = 0; i < late; ++i) {
    threads.emplace_back([&] {
      const auto me = std::this_thread::get_id();
      ++coming;
      pool.install([&] {
        handed_over += std::this_thread::get_id() != me;
        EXPECT_EQ(dozer_test::fib(8), 21);
        ++ran;
      });
    });
  }
  ASSERT_TRUE(dozer_test::eventually([&] { return coming.load() == late; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(ran.load(), 0u);  // every seat is taken by a guest who does not wait
  go = true;
  for (std::thread& t : threads) {
    t.join();
  }
  EXPECT_EQ(ran.load(), seats + late);
  EXPECT_GE(handed_over.load(), 1u);
}

TEST(Guest, ThatWaitsDoesNotRunInjectedJobsWhileAWorkerCan) {
  thread_pool pool(2);
  ASSERT_TRUE(dozer_test::all_asleep(pool));
  const auto guest = std::this_thread::get_id();
  std::atomic<bool> stolen{false}, injected_ran{false};
  std::atomic<int> by_guest{0};
  std::thread outsider;
  pool.install([&] {
    dozer::join(
        [&] {
          while (!stolen) std::this_thread::yield();
          outsider = std::thread([&] {
            for (int i = 0; i < 20; ++i) {
              pool.spawn([&] { by_guest += std::this_thread::get_id() == guest; });
            }
            pool.spawn([&] { injected_ran = true; });
          });
          outsider.join();
        },
        [&] {
          stolen = true;
          // The guest has nothing left but to wait, and sleeps: this worker, or nobody, runs the injected jobs.
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          EXPECT_FALSE(injected_ran.load());
        });
  });
  EXPECT_TRUE(dozer_test::eventually([&] { return injected_ran.load(); }));
  EXPECT_EQ(by_guest.load(), 0);
}

TEST(Guest, ThatWaitsSeesToItThatASleepingWorkerRunsInjectedJobs) {
  // Three seats: the guest waits in one, a worker is in a long job in the second, the third worker sleeps.
  thread_pool pool(3);
  ASSERT_TRUE(dozer_test::all_asleep(pool));
  std::atomic<bool> stolen{false};
  std::atomic<int> ran{0};
  pool.install([&] {
    dozer::join(
        [&] {
          while (!stolen) std::this_thread::yield();
        },
        [&] {
          stolen = true;
          std::thread outsider([&] {
            for (int i = 0; i < 50; ++i) {
              pool.spawn([&] { ++ran; });
              EXPECT_TRUE(dozer_test::eventually([&] { return ran.load() == i + 1; }));
            }
          });
          outsider.join();
        });
  });
  EXPECT_EQ(ran.load(), 50);
}

TEST(Guest, RunsInjectedJobsIfAllSeatsAreLentSinceNobodyElseCan) {
  thread_pool pool(1);
  ASSERT_TRUE(dozer_test::all_asleep(pool));
  pool.install([&] {
    ASSERT_EQ(*dozer::current_thread_index(), 0u);
    dozer::future<std::thread::id> f;
    std::thread outsider([&] { f = pool.submit([] { return std::this_thread::get_id(); }); });
    outsider.join();
    EXPECT_EQ(f.get(), std::this_thread::get_id());
  });
}

TEST(Guest, AWorkerAsleepInsideAJobDoesNotLendItsSeat) {
  thread_pool pool(2);
  std::atomic<bool> release{false};
  auto f = pool.submit([&] {
    // Both workers are taken: this one sleeps in the join, the other runs its second half.
    dozer_test::rendezvous stolen(1);
    dozer::join(
        [&] {
          while (!stolen.all_here()) std::this_thread::yield();
        },
        [&] {
          stolen.arrive();
          while (!release) std::this_thread::sleep_for(std::chrono::microseconds(100));
        });
  });
  ASSERT_TRUE(dozer_test::eventually([&] {
    const auto now = pool.stats();
    return now.asleep == 1 && std::any_of(now.members.begin(), now.members.end(), [](const auto& member) {
             return member.state == dozer::activity::asleep && member.why == dozer::wait_reason::join;
           });
  }));
  pool.install([&] {
    EXPECT_GE(*dozer::current_thread_index(), 2u);
    // Its latch is set while the guest is still here, and it must go on at once.
    release = true;
    f.wait();
  });
}

TEST(Stats, ShowWhatEachMemberDoesAndWhy) {
  thread_pool pool(2);
  std::atomic<bool> release{false};
  auto f = pool.submit(dozer::named("parse", [&] {
    dozer_test::rendezvous stolen(1);
    dozer::join(
        [&] {
          while (!stolen.all_here()) std::this_thread::yield();
        },
        dozer::named("leaf", [&] {
          stolen.arrive();
          while (!release) std::this_thread::sleep_for(std::chrono::microseconds(100));
        }));
  }));
  EXPECT_TRUE(dozer_test::eventually([&] {
    std::multiset<std::string> seen;
    for (const auto& member : pool.stats().members) {
      seen.insert(std::string(to_string(member.state)) + "/" + std::string(to_string(member.why)) + "/" +
                  (member.job_name != nullptr ? member.job_name : "-"));
    }
    return seen == std::multiset<std::string>{"active/none/leaf", "asleep/join/parse"};
  }));
  release = true;
  f.get();
}

TEST(Stats, CountJobsAndSteals) {
  thread_pool pool(2);
  dozer_test::rendezvous both(2);
  pool.install([&] { dozer::join([&] { both.arrive_and_wait(); }, [&] { both.arrive_and_wait(); }); });
  const auto now = pool.stats();
  EXPECT_EQ(now.total.steals, 1u);
  EXPECT_EQ(now.total.jobs, 1u);
  pool.spawn([] {});
  EXPECT_TRUE(dozer_test::eventually([&] { return pool.stats().total.injected == 1; }));
}

}  // namespace
