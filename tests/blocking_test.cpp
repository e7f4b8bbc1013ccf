// Declared waits and who takes their place, stalls, and the picture of what everybody does.
#include <dozer/dozer.hpp>

#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "deadlock_support.hpp"
#include "support.hpp"

namespace {

using namespace std::chrono_literals;
using dozer::deadlock_report;
using dozer::wait_kind;
using dozer_test::eventually;
using dozer_test::reports;
using dozer_test::says;

TEST(Blocking, OthersTakeThePlaceOfWhoWaitsForTheWorldOutside) {
  dozer::thread_pool pool(2);
  // All eight are inside at once, though there are two workers.
  dozer_test::rendezvous all(8);
  pool.install([&] {
    dozer::scope([&](dozer::spawner& s) {
      for (int i = 0; i < 8; ++i) {
        s.spawn([&] {
          dozer::blocking("for the others", [&] {
            all.arrive();
            EXPECT_TRUE(eventually([&] { return all.all_here(); }));
          });
        });
      }
    });
  });
  EXPECT_TRUE(all.all_here());
}

/// The body waits for a job first, and runs it itself. Behind that it must not keep the only place from its spare.
TEST(Blocking, InAPoolThatIsALimitTheSpareHasThePlaceAlsoBehindAWaitForAJob) {
  dozer::pool_options options{.threads = 1};
  options.extra_guests = 0;
  dozer::thread_pool pool(options);
  std::atomic<bool> ran{false};
  pool.submit([&] {
        auto first = dozer::submit([] {});
        dozer::blocking([&] {
          first.get();
          dozer::spawn([&] { ran = true; });
          EXPECT_TRUE(eventually([&] { return ran.load(); }));
        });
      })
      .get();
  EXPECT_TRUE(ran.load());
}

TEST(Blocking, IsLegalOutsideAPool) {
  EXPECT_EQ(dozer::blocking([] { return 7; }), 7);
  dozer::wait_slot slot;
  slot.mark_blocked("nothing");
  slot.mark_unblocked();
  dozer::mutex m;
  const dozer::mutex_guard hold(m);
  EXPECT_FALSE(m.try_lock());
}

TEST(Blocking, NestedItCallsOneSpare) {
  dozer::thread_pool pool(1);
  pool.install([&] {
    const dozer::blocking_scope outer(wait_kind::external, "outer");
    dozer::blocking("inner", [] {});
    const dozer::blocking_scope inner(wait_kind::pool, "inner");
    EXPECT_EQ(pool.stats().members.size(), 2u);
  });
}

TEST(Blocking, NoMoreSparesThanTheOptionsAllow) {
  dozer::thread_pool pool({.threads = 1, .max_spares = 2});
  std::atomic<int> inside{0}, most{0};
  dozer_test::rendezvous three(3);
  pool.install([&] {
    dozer::scope([&](dozer::spawner& s) {
      for (int i = 0; i < 12; ++i) {
        s.spawn([&] {
          dozer::blocking([&] {
            const int now = ++inside;
            int seen = most;
            while (seen < now && !most.compare_exchange_weak(seen, now)) {
            }
            three.arrive();
            EXPECT_TRUE(eventually([&] { return three.all_here(); }));  // so many there are at once
            std::this_thread::sleep_for(1ms);
            --inside;
          });
        });
      }
    });
  });
  EXPECT_EQ(most, 3) << "a guest in the worker's seat and two spares";
}

/// Only the wait itself is shown as blocked, not a job that it runs meanwhile.
TEST(Blocking, AJobInADeclaredWaitIsShownAsActive) {
  dozer::thread_pool pool({.threads = 1, .max_spares = 0});
  const auto state = [&] { return pool.stats().members[0].state; };
  pool.submit([&] {
        dozer::blocking([&] {
          EXPECT_EQ(state(), dozer::activity::blocked);
          dozer::submit([&] {
            EXPECT_EQ(state(), dozer::activity::active);
            dozer::blocking([&] { EXPECT_EQ(state(), dozer::activity::blocked); });
            EXPECT_EQ(state(), dozer::activity::active);
          }).get();
          EXPECT_EQ(state(), dozer::activity::blocked);
          dozer::join([] { dozer::spawn([] {}); }, [] {});
          EXPECT_EQ(state(), dozer::activity::blocked);
        });
        EXPECT_EQ(state(), dozer::activity::active);
      })
      .get();
}

TEST(Blocking, SparesAreUsedAgain) {
  std::mutex lock;
  std::vector<unsigned> started;
  {
    dozer::thread_pool pool({.threads = 1, .on_thread_start = [&](unsigned index) {
                               const std::lock_guard hold(lock);
                               started.push_back(index);
                             }});
    for (int i = 0; i < 50; ++i) {
      pool.submit([&] { dozer::blocking([&] { pool.submit([] {}).get(); }); }).get();
      EXPECT_TRUE(eventually([&] {
        for (const dozer::member_snapshot& member : pool.stats().members) {
          if (member.index >= pool.threads() && member.state != dozer::activity::vacant) {
            return false;
          }
        }
        return true;
      }));
    }
  }
  EXPECT_LE(started.size(), 26u) << "one worker, and far fewer spares than waits";
}

/// And no sooner than they may be wanted again.
TEST(Blocking, SparesEndAfterFiveIdleSeconds) {
  using clock = std::chrono::steady_clock;
  std::atomic<clock::time_point> ended{clock::time_point()};
  dozer::thread_pool pool({.threads = 1, .on_thread_exit = [&](unsigned index) {
                             if (index != 0) {
                               ended = clock::now();
                             }
                           }});
  const clock::time_point before = clock::now();
  pool.submit([&] { dozer::blocking([&] { pool.submit([] {}).get(); }); }).get();
  EXPECT_TRUE(eventually([&] { return ended.load() != clock::time_point(); }));
  EXPECT_GE(ended.load() - before, 5s);
}

/// Also in a seat that a guest has sat in, and in one whose worker has not begun yet.
TEST(DumpState, NamesTheThreadThatActs) {
  const auto only_one = [] {
    const deadlock_report now = dozer::current_state();
    return now.workers.size() == 1 ? now.workers[0].thread : 0;
  };
  const auto me = [] { return static_cast<std::uint64_t>(gettid()); };
  for (int i = 0; i < 50; ++i) {
    dozer::thread_pool pool(1);
    for (int round = 0; round < 2; ++round) {  // the worker's first sleep, and a later one
      pool.install([&] { EXPECT_EQ(only_one(), me()) << "as a guest"; });
      // Whoever submits waits as a thread of no pool.
      EXPECT_TRUE(pool.submit([&] { return only_one() == me(); }).get()) << "the worker, after a guest";
      ASSERT_TRUE(dozer_test::all_asleep(pool));
    }
  }
}

TEST(BlockingDeathTest, AWaitSlotIsForOneWaitAtATime) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto in_a_job = [](auto f) {
    dozer::thread_pool pool(1);
    pool.submit(f).get();
  };
  EXPECT_DEATH(in_a_job([] {
                 const dozer::external_token nothing_stands_still;
                 dozer::wait_slot slot;
                 slot.mark_blocked("once");
                 slot.mark_blocked("twice");
               }),
               "marked as blocked twice");
  EXPECT_DEATH(in_a_job([] {
                 const dozer::external_token nothing_stands_still;
                 dozer::wait_slot slot;
                 slot.mark_blocked("and gone");
               }),
               "destroyed while it was marked as blocked");
}

/// On a busy machine there may be a report before the sitter begins. What counts is that of its wait.
TEST(Stall, AnUndeclaredWaitIsNoticedWithItsPlace) {
  reports seen;
  dozer::pool_options options;
  options.threads = 1;
  options.stall_after = 500ms;
  options.on_stall = [&](const deadlock_report& r) { seen.keep(r); };
  dozer::thread_pool pool(options);
  std::mutex undeclared;
  undeclared.lock();
  std::atomic<bool> runs{false};
  auto sits = pool.submit(dozer::named("sitter", [&] {
    runs = true;
    const std::lock_guard hold(undeclared);
  }));
  EXPECT_TRUE(eventually([&] { return runs.load(); }));
  dozer_test::let_all_stand_still(50ms);  // it sits in its wait; before a job is queued nothing stalls
  const std::size_t before = seen.count();
  auto queued = pool.submit([] {});
  EXPECT_TRUE(eventually([&] { return seen.count() == before + 1; }));
  const deadlock_report r = seen.last();
  undeclared.unlock();
  sits.get();
  queued.get();
  EXPECT_EQ(r.what_is_wrong, deadlock_report::trouble::stalled);
  EXPECT_EQ(r.jobs_left, 1u);
  EXPECT_TRUE(says(r.summary, "dozer-0 runs \"sitter\"")) << r.summary;
#if defined(__linux__)
  EXPECT_TRUE(says(r.summary, "sits in futex")) << r.summary;
#endif
}

/// A try in which the machine held up the job for as long as makes a stall says nothing; then there is another.
template <class Try>
void expect_no_stall_within(std::chrono::milliseconds stall, Try&& one) {
  for (bool held_up = true; held_up;) {
    reports seen;
    dozer::pool_options options;
    options.threads = 1;
    options.on_stall = [&](const deadlock_report& r) { seen.keep(r); };
    dozer_test::longest_pause pause;
    one(options, pause);
    pause.here();
    held_up = pause.is() >= stall;
    EXPECT_TRUE(held_up || seen.count() == 0);
  }
}

/// A job is queued all the time, and no other begins or ends: only the forks show that something moves.
TEST(Stall, WhoForksAndRunsIsNone) {
  expect_no_stall_within(1s, [](dozer::pool_options& options, dozer_test::longest_pause& pause) {
    options.stall_after = 1s;
    std::atomic<bool> ran{false};
    dozer::thread_pool pool(options);
    pool.submit([&] {
          pool.spawn([&] { ran = true; });
          const auto end = std::chrono::steady_clock::now() + 2500ms;
          while (std::chrono::steady_clock::now() < end) {
            EXPECT_EQ(dozer_test::fib(15), 610);
            pause.here();
          }
          EXPECT_FALSE(ran);
        })
        .get();
  });
}

TEST(Stall, HavingNothingToDoIsNone) {
  reports seen;
  dozer::pool_options options;
  options.threads = 1;
  options.stall_after = 50ms;
  options.on_stall = [&](const deadlock_report& r) { seen.keep(r); };
  dozer::thread_pool pool(options);
  dozer_test::let_all_stand_still(300ms);  // the watchdog was let look
  EXPECT_EQ(seen.count(), 0u);
}

/// Nothing is queued any more, and still nothing moves. A report that comes before the destructor waits, as on a busy
/// machine, does not end the wait.
TEST(Stall, ADestructorThatWaitsForAnUndeclaredWaitIsTold) {
  reports seen;
  std::mutex lock;
  std::condition_variable changed;
  bool over = false;
  std::atomic<bool> pool_ends{false};
  {
    dozer::pool_options options;
    options.threads = 1;
    options.stall_after = 500ms;
    options.on_stall = [&](const deadlock_report& r) {
      seen.keep(r);
      const std::lock_guard hold(lock);
      over = pool_ends;
      changed.notify_one();
    };
    std::atomic<bool> begun{false};
    dozer::thread_pool pool(options);
    pool.spawn(dozer::named("sitter", [&] {
      begun = true;
      std::unique_lock hold(lock);
      changed.wait(hold, [&] { return over; });
    }));
    EXPECT_TRUE(eventually([&] { return begun.load(); }));
    dozer_test::let_all_stand_still(50ms);  // it sits in its wait; before the destructor nothing stalls
    pool_ends = true;
  }
  const deadlock_report r = seen.last();
  EXPECT_EQ(r.what_is_wrong, deadlock_report::trouble::stalled);
  const std::string text = r.to_string();
  for (const char* const what :
       {"the destructor of \"dozer\" waits; dozer-0 runs \"sitter\"", "waits for the end of a pool \"dozer\""}) {
    EXPECT_TRUE(says(text, what)) << what << " is not in\n" << text;
  }
#if defined(__linux__)
  EXPECT_TRUE(says(r.summary, "sits in futex")) << r.summary;
#endif
}

/// While it lives, the environment has it.
class from_the_environment {
 public:
  explicit from_the_environment(const char* seconds) { setenv("DOZER_STALL", seconds, 1); }
  ~from_the_environment() { unsetenv("DOZER_STALL"); }
};

/// The commonest mistake: a producer that never closes. Nothing is queued, and each wait may be ended from outside. On
/// a busy machine there may be a report before all have come to their waits. What counts is that of the standstill: it
/// comes, and then no other.
TEST(Stall, DozerStallTellsWhoWaitsWhereOnceForEachStandstill) {
  const from_the_environment stall("1");
  reports seen;
  dozer::pool_options options;
  options.threads = 2;
  options.on_stall = [&](const deadlock_report& r) { seen.keep(r); };
  dozer::thread_pool pool(options);
  dozer::mutex m("queue");
  dozer::condition_variable filled("filled");
  int items = 0;
  std::atomic<int> waits{0};           // how often the consumer has begun to wait
  std::atomic<std::size_t> before{0};  // how many reports there were then
  std::atomic<bool> outsider_waits{false};
  auto consumer = pool.submit(dozer::named("consumer", [&] {
    EXPECT_TRUE(eventually([&] { return outsider_waits.load(); }));
    std::unique_lock hold(m);
    for (int taken = 0; taken < 2; ++taken) {
      before = seen.count();
      ++waits;
      filled.wait(hold, [&] { return items > taken; });
    }
  }));
  std::thread outsider([&] { consumer.get(); });
  EXPECT_TRUE(eventually([&] { return dozer::current_state().outsiders.size() == 1; }));
  outsider_waits = true;
  for (int standstill = 1; standstill <= 2; ++standstill) {
    EXPECT_TRUE(eventually([&] { return waits == standstill && seen.count() > before; }));
    EXPECT_TRUE(eventually([&] { return says(seen.last().to_string(), "condition variable"); }));
    const std::size_t reported = seen.count();
    dozer_test::let_all_stand_still(1500ms);
    EXPECT_EQ(seen.count(), reported) << "once is enough";
    const deadlock_report r = seen.last();
    EXPECT_EQ(r.what_is_wrong, deadlock_report::trouble::stalled);
    EXPECT_EQ(r.jobs_left, 0u);
    ASSERT_EQ(r.workers.size(), 1u) << r.to_string();
    EXPECT_TRUE(r.workers[0].waits_for()->would_be_reported) << r.to_string();
    ASSERT_EQ(r.outsiders.size(), 1u) << r.to_string();
    for (const char* const what :
         {"no job has begun or ended; dozer-", "runs \"consumer\"", "waits for the condition variable \"filled\"",
          "of wait_kind::pool it would be reported", ", in no pool\n      waits for a future", "blocking_test.cpp:"}) {
      EXPECT_TRUE(says(r.to_string(), what)) << what << " is not in\n" << r.to_string();
    }
    const std::lock_guard hold(m);
    ++items;
    filled.notify_one();
  }
  outsider.join();
}

/// A consumer that gets what it waits for is no standstill, though no job begins or ends meanwhile.
TEST(Stall, WhoWaitsAgainAndAgainIsNone) {
  const from_the_environment stall("1");
  expect_no_stall_within(1s, [](const dozer::pool_options& options, dozer_test::longest_pause& pause) {
    dozer::thread_pool pool(options);
    dozer::semaphore items(0, "items");
    std::atomic<bool> over{false};
    auto consumer = pool.submit([&] {
      while (!over) {
        items.acquire();
        pause.here();
      }
    });
    const auto end = std::chrono::steady_clock::now() + 2500ms;
    while (std::chrono::steady_clock::now() < end) {
      items.release();
      std::this_thread::sleep_for(1ms);
    }
    over = true;
    items.release();
    consumer.get();
  });
}

TEST(Stall, WhatTheCodeSetsWinsOverTheEnvironmentAndIdlePoolsAreNone) {
  const from_the_environment stall("0.02");
  reports seen;
  dozer::pool_options options;
  options.threads = 1;
  options.on_stall = [&](const deadlock_report& r) { seen.keep(r); };
  dozer::thread_pool idle(options);
  options.stall_after = 1h;
  dozer::thread_pool pool(options);
  dozer::event go("go");
  auto waits = pool.submit([&] { go.wait(); });
  dozer_test::let_all_stand_still(300ms);  // the watchdogs were let look
  EXPECT_EQ(seen.count(), 0u);
  go.set();
  waits.get();
}

TEST(StallDeathTest, DozerStallPrintsTheStateByDefault) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        const from_the_environment stall("0.05");
        dozer::thread_pool pool(1);
        dozer::event never("never");
        pool.spawn(dozer::named("waiter", [&] { never.wait(); }));
        dozer_test::let_all_stand_still(2s);
        std::abort();
      },
      "dozer: Stalled: for 0.050 s no job has begun or ended; dozer-0 waits for the event \"never\".");
}

TEST(DumpState, ShowsThreadsOfNoPoolThatWait) {
  dozer::thread_pool pool(1);
  dozer::event go("the signal"), other("another signal");
  auto job = pool.submit([&] { go.wait(); });
  std::thread waits_for_a_job([&] { job.wait(); }), waits_for_an_event([&] { other.wait(); });
  std::string text;
  EXPECT_TRUE(eventually([&] {
    text = dozer::dump_state();
    return says(text, ", in no pool\n      waits for a future") &&
           says(text, ", in no pool\n      waits for the event \"another signal\"");
  })) << text;
  go.set();
  other.set();
  waits_for_a_job.join();
  waits_for_an_event.join();
  EXPECT_TRUE(dozer::current_state().outsiders.empty());
}

TEST(DumpState, ShowsWhoRunsWhatAndWaitsForWhat) {
  dozer::thread_pool pool({.threads = 2, .name = "shown"});
  dozer::event go("the signal");
  auto one = pool.submit(dozer::named("sleeper", [&] { go.wait(); }));
  std::string text;
  EXPECT_TRUE(eventually([&] {
    text = dozer::dump_state();
    return says(text, "the signal");
  })) << text;
  EXPECT_TRUE(says(text, "shown-")) << text;
  EXPECT_TRUE(says(text, "\"sleeper\"")) << text;
  go.set();
  one.get();
  EXPECT_TRUE(says(dozer::current_state().to_json(), "\"trouble\": \"none\""));
}

}  // namespace
