// Declared waits and who takes their place, stalls, and the picture of what everybody does.
#include <dozer/dozer.hpp>

#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <chrono>
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
  auto queued = pool.submit([] {});
  EXPECT_TRUE(eventually([&] { return seen.count() == 1; }));
  undeclared.unlock();
  sits.get();
  queued.get();
  const deadlock_report r = seen.only();
  EXPECT_EQ(r.what_is_wrong, deadlock_report::trouble::stalled);
  EXPECT_EQ(r.jobs_left, 1u);
  EXPECT_TRUE(says(r.summary, "dozer-0 runs \"sitter\"")) << r.summary;
#if defined(__linux__)
  EXPECT_TRUE(says(r.summary, "sits in futex")) << r.summary;
#endif
}

/// A job is queued all the time, and no other begins or ends: only the forks show that something moves.
TEST(Stall, WhoForksAndRunsIsNone) {
  reports seen;
  dozer::pool_options options;
  options.threads = 1;
  options.stall_after = 1s;
  options.on_stall = [&](const deadlock_report& r) { seen.keep(r); };
  std::atomic<bool> ran{false};
  dozer::thread_pool pool(options);
  pool.submit([&] {
        pool.spawn([&] { ran = true; });
        const auto end = std::chrono::steady_clock::now() + 2500ms;
        while (std::chrono::steady_clock::now() < end) {
          EXPECT_EQ(dozer_test::fib(15), 610);
        }
        EXPECT_FALSE(ran);
      })
      .get();
  EXPECT_EQ(seen.count(), 0u);
}

TEST(Stall, HavingNothingToDoIsNone) {
  reports seen;
  dozer::pool_options options;
  options.threads = 1;
  options.stall_after = 50ms;
  options.on_stall = [&](const deadlock_report& r) { seen.keep(r); };
  dozer::thread_pool pool(options);
  std::this_thread::sleep_for(300ms);
  EXPECT_EQ(seen.count(), 0u);
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
