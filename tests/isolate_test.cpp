// isolate, and what a wait near the end of its stack does.
#include <dozer/dozer.hpp>

#include <gtest/gtest.h>

#include <sys/wait.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "deadlock_support.hpp"
#include "support.hpp"

namespace {

using namespace std::chrono_literals;
using dozer_test::eventually;
using dozer_test::reports;

/// A member of the pool sleeps in a wait in which it is up for no job from outside.
bool is_waiting_apart(dozer::thread_pool& pool) {
  auto& seats = dozer::detail::core_of(pool).seats;
  for (std::uint32_t i = 0; i < seats.bound(); ++i) {
    const dozer::detail::parked now = seats[i].parker.load();
    if (now.at() == dozer::detail::parked::asleep && now.is_apart()) {
      return true;
    }
  }
  return false;
}

/// Somebody holds a lock and is in an isolation, and another job wants the lock: it must not be run on top of a wait
/// inside.
struct lock_and_stranger {
  explicit lock_and_stranger(unsigned threads) : pool(seen.options(threads)) {}

  /// Calls f as the holder, in the isolation. The other job comes once `ready` is true.
  template <class F, class Ready>
  void run(F f, Ready ready) {
    auto holder = pool.submit([&] {
      const dozer::mutex_guard hold(m);
      dozer::isolate(f);
    });
    EXPECT_TRUE(eventually(ready));
    auto other = pool.submit([&] {
      other_ran_on = std::this_thread::get_id();
      const dozer::mutex_guard hold(m);
    });
    other_is_queued = true;
    holder.get();
    other.get();
    EXPECT_EQ(seen.count(), 0u);
  }
  /// Inside: the other job is there, and others wait with it in reach for a while.
  void let_others_wait() {
    EXPECT_TRUE(eventually([&] { return other_is_queued.load(); }));
    std::this_thread::sleep_for(50ms);
  }
  [[nodiscard]] bool other_has_run() const { return other_ran_on.load() != std::thread::id(); }

  reports seen;
  dozer::mutex m{"the lock"};
  std::atomic<bool> other_is_queued{false};
  std::atomic<std::thread::id> other_ran_on{std::thread::id()};
  dozer::thread_pool pool;
};

/// What deadlocks without it: Deadlock.ALockHeldAcrossAJoin.
TEST(Isolate, ALockMayBeHeldAcrossAJoin) {
  lock_and_stranger both(2);
  std::atomic<bool> second_half_runs{false};
  both.run(
      [&] {
        dozer::join([&] { EXPECT_TRUE(eventually([&] { return second_half_runs && both.other_is_queued; })); },
                    [&] {
                      second_half_runs = true;
                      both.let_others_wait();
                      EXPECT_FALSE(both.other_has_run());
                    });
      },
      [&] { return second_half_runs.load(); });
}

/// The thief's waits are inside as well: else it would pick up the job, and the holder wait for what is below it.
TEST(Isolate, AStolenJobIsStillInside) {
  lock_and_stranger both(3);
  std::atomic<int> running{0};
  const auto meet = [&] {  // three at once, so each in another thread
    ++running;
    EXPECT_TRUE(eventually([&] { return running == 3 && both.other_is_queued; }));
  };
  both.run(
      [&] {
        dozer::join(meet, [&] {
          dozer::join(meet, [&] {
            meet();
            both.let_others_wait();
            EXPECT_FALSE(both.other_has_run());
          });
        });
      },
      [&] { return running == 3; });
}

TEST(Isolate, RunsWhatWasForkedInside) {
  for (const unsigned threads : {1u, 2u, 4u}) {
    dozer::thread_pool pool(threads);
    EXPECT_EQ(pool.install([] { return dozer::isolate([] { return dozer_test::fib(18); }); }), 2584);
    std::atomic<int> ran{0};
    pool.install([&] {
      pool.spawn([&] { ran += 1000; });
      dozer::isolate([&] {
        dozer::scope([&](dozer::spawner& s) {
          for (int i = 0; i < 100; ++i) {
            s.spawn([&] { ++ran; });
          }
        });
        EXPECT_EQ(ran % 1000, 100);
        EXPECT_EQ(pool.submit([&] { return ++ran; }).get() % 1000, 101);
        EXPECT_EQ(dozer::broadcast([](dozer::broadcast_context) { return 1; }).size(), threads);
      });
    });
    EXPECT_TRUE(eventually([&] { return ran == 1101; }));
  }
}

/// With one worker there is no doubt who runs what.
TEST(Isolate, LeavesWhatIsOlderAlone) {
  dozer::thread_pool pool(1);
  std::vector<int> order;
  pool.submit([&] {
        pool.spawn([&] { order.push_back(3); });
        dozer::isolate([&] {
          pool.spawn([&] { order.push_back(1); });
          pool.submit([&] { order.push_back(0); }).get();
          EXPECT_EQ(dozer::yield_now(), dozer::yielded::executed);
          EXPECT_EQ(dozer::yield_now(), dozer::yielded::idle);
          EXPECT_EQ(dozer::yield_local(), dozer::yielded::idle);
        });
        order.push_back(2);
        EXPECT_EQ(dozer::yield_now(), dozer::yielded::executed);
      })
      .get();
  EXPECT_EQ(order, (std::vector{0, 1, 2, 3}));
}

TEST(Isolate, MayBeNestedAndThrowAndReturnReferences) {
  dozer::thread_pool pool(2);
  int x = 0;
  pool.install([&] {
    int& same = dozer::isolate([&]() -> int& { return dozer::isolate([&]() -> int& { return x; }); });
    EXPECT_EQ(&same, &x);
    EXPECT_THROW(dozer::isolate([] { throw std::runtime_error("inside"); }), std::runtime_error);
    // What was in force before is in force again: the wait runs the older job.
    auto older = dozer::submit([&] { x = 1; });
    dozer::isolate([] {});
    older.get();
    EXPECT_EQ(x, 1);
  });
  EXPECT_EQ(dozer::isolate([] { return 5; }), 5) << "outside a pool";
}

/// More at once than there are numbers for: still nothing from outside is run.
TEST(Isolate, MoreThanThereAreNumbersFor) {
  bool older_ran = false;
  int depth = 0;
  dozer::thread_pool pool(1);
  pool.submit([&] {
        dozer::spawn([&] { older_ran = true; });
        const auto nest = [&](auto& self) -> void {
          dozer::isolate([&] {
            if (++depth < 1500) {
              self(self);
            } else {
              bool ran = false;
              dozer::submit([&] { ran = true; }).get();
              EXPECT_TRUE(ran);
              EXPECT_EQ(dozer::yield_now(), dozer::yielded::idle);
            }
          });
        };
        nest(nest);
        EXPECT_FALSE(older_ran);
      })
      .get();
}

/// What it waits for was forked outside, and nobody else is there: a spare worker runs it.
TEST(Isolate, WhatItMayNotRunItselfASpareRuns) {
  dozer::thread_pool pool(1);
  pool.submit([&] {
        auto outside = dozer::submit([] { return 7; });
        EXPECT_EQ(dozer::isolate([&] { return outside.get(); }), 7);
      })
      .get();
}

/// Also while somebody outside may still come, and while another pool is busy: then nothing stands still.
TEST(Isolate, ASpareRunsItAlsoWhileOthersRun) {
  const dozer::external_token somebody_may_come;
  std::atomic<bool> over{false};
  dozer::thread_pool pool(1), busy(1);
  busy.spawn([&] {
    while (!over) {
      std::this_thread::yield();
    }
  });
  pool.submit([&] {
        auto outside = dozer::submit([] { return 7; });
        EXPECT_EQ(dozer::isolate([&] { return outside.get(); }), 7);
      })
      .get();
  over = true;
}

TEST(Isolate, InOrderScopesAndSpawns) {
  dozer::thread_pool pool(1);
  std::vector<int> order;
  pool.submit([&] {
        dozer::isolate([&] {
          dozer::scope(dozer::fifo, [&](dozer::spawner& s) {
            for (int i = 0; i < 3; ++i) {
              s.spawn([&, i] { order.push_back(i); });
            }
          });
        });
        dozer::scope(dozer::fifo, [&](dozer::spawner& s) {
          s.spawn([&] { order.push_back(10); });
          s.spawn([&] { order.push_back(11); });
          dozer::isolate([&] {
            s.spawn([&] { order.push_back(20); });
            s.spawn([&] { order.push_back(21); });
            dozer::spawn(dozer::fifo, [&] { order.push_back(22); });
            for (int i = 0; i < 3; ++i) {
              EXPECT_EQ(dozer::yield_now(), dozer::yielded::executed);
            }
            EXPECT_EQ(dozer::yield_now(), dozer::yielded::idle);
          });
        });
      })
      .get();
  EXPECT_EQ(order, (std::vector{0, 1, 2, 20, 21, 22, 10, 11}));
}

/// A broadcast's closure is inside on every seat: the other one's wait does not pick up the job either.
TEST(Isolate, WhatIsBroadcastInsideIsInside) {
  lock_and_stranger both(3);
  std::atomic<bool> second_half_runs{false}, one_joins{false};
  std::atomic<int> begun{0};  // every seat has to: one that has the other job would not
  std::atomic<std::thread::id> joining;
  both.run(
      [&] {
        const std::thread::id mine = std::this_thread::get_id();
        dozer::broadcast([&](dozer::broadcast_context) {
          ++begun;
          if (std::this_thread::get_id() == mine || one_joins.exchange(true)) {
            return;
          }
          joining = std::this_thread::get_id();
          dozer::join([&] { EXPECT_TRUE(eventually([&] { return second_half_runs && both.other_is_queued; })); },
                      [&] {
                        second_half_runs = true;
                        both.let_others_wait();
                        EXPECT_NE(both.other_ran_on.load(), joining.load());  // the third one may
                      });
        });
      },
      [&] { return second_half_runs && begun == 3; });
}

/// In a pool of two, one waits in a join, called by `around`, for the other, who broadcasts after a time, called by
/// `inner`. Whether the mail is run by the wait, or by `first`, which the first one calls before.
template <class Around, class Inner, class First>
void broadcast_to_who_waits(Around around, Inner inner, First first, dozer::pool_options options = {}) {
  reports seen;
  options.threads = 2;
  options.on_deadlock = seen.options(2).on_deadlock;
  dozer::thread_pool pool(options);
  for (const auto asleep_for : {0ms, 20ms}) {
    std::atomic<bool> second_half_runs{false};
    std::atomic<int> ran{0};
    const auto both = [&] {
      dozer::join(
          [&] {
            EXPECT_TRUE(eventually([&] { return second_half_runs.load(); }));
            first();
          },
          [&] {
            second_half_runs = true;
            std::this_thread::sleep_for(asleep_for);
            inner([&] { dozer::broadcast([&](dozer::broadcast_context) { ++ran; }); });
          });
    };
    pool.submit([&] { around(both); }).get();
    EXPECT_EQ(ran, 2);
  }
  EXPECT_EQ(seen.count(), 0u);
}
constexpr auto isolated = [](auto f) { dozer::isolate(f); };
constexpr auto as_it_is = [](auto f) { f(); };
constexpr auto nothing = [] {};

/// Its mail reaches those who wait inside, also if they sleep.
TEST(Isolate, AJobForkedInsideMayBroadcast) { broadcast_to_who_waits(isolated, as_it_is, nothing); }

TEST(Isolate, AlsoInAnIsolationOfItsOwn) { broadcast_to_who_waits(isolated, isolated, nothing); }

TEST(Isolate, YieldLocalRunsMailOfTheIsolation) {
  broadcast_to_who_waits(isolated, as_it_is, [] {
    EXPECT_TRUE(eventually([] { return dozer::yield_local() == dozer::yielded::executed; }));
  });
}

/// Jobs that were posted in an isolation and outlive it: each is still in its line.
TEST(Isolate, WhatWasPostedInOrderBeforeIsInReach) {
  std::vector<int> order;
  std::atomic<bool> over{false};
  dozer::thread_pool pool(1);
  pool.submit([&] {
        dozer::isolate([&] {
          dozer::spawn(dozer::fifo, [&] { order.push_back(0); });
          dozer::spawn([&] {
            dozer::spawn(dozer::fifo, [&] { order.push_back(1); });
            EXPECT_TRUE(eventually([&] {
              dozer::yield_local();
              return order.size() == 2;
            }));
            over = true;
          });
        });
      })
      .get();
  EXPECT_TRUE(eventually([&] { return over.load(); }));
  EXPECT_EQ(order, (std::vector{0, 1}));
}

/// A guest does not run what is injected. If all workers wait inside, a spare does, though the guest is there.
TEST(Isolate, AContinuationIsRunThoughOnlyAGuestIsFree) {
  const dozer::external_token somebody_may_come;  // so that nothing stands still, and no report helps
  std::atomic<bool> runs{false}, is_there{false}, attached{false};
  dozer::future<void> completed_by_the_guest;
  dozer::thread_pool pool(1);
  auto inside = pool.submit([&] {
    runs = true;
    EXPECT_TRUE(eventually([&] { return is_there.load(); }));
    dozer::isolate([&] {
      auto after = completed_by_the_guest.then([] {});
      attached = true;
      EXPECT_TRUE(after.wait_for(1h));
    });
  });
  EXPECT_TRUE(eventually([&] { return runs.load(); }));
  pool.install([&] {
    completed_by_the_guest = dozer::submit([&] { EXPECT_TRUE(eventually([&] { return attached.load(); })); });
    is_there = true;
    inside.get();
  });
}

/// A continuation that was asked for outside is none of the isolation's, even if its future is completed inside.
TEST(Isolate, AContinuationFromOutsideIsLeftAlone) {
  std::atomic<bool> is_there{false}, attached{false}, inside{false}, ran_inside{false};
  std::atomic<std::thread::id> holder_thread;
  dozer::future<void> completed_inside;
  dozer::thread_pool pool(2);
  auto holder = pool.submit([&] {
    holder_thread = std::this_thread::get_id();
    dozer::isolate([&] {
      inside = true;
      dozer::scope([&](dozer::spawner& s) {
        std::atomic<bool> other_is_busy{false};
        s.spawn([&] {
          other_is_busy = true;
          EXPECT_TRUE(eventually([&] { return attached.load(); }));
          std::this_thread::sleep_for(50ms);
        });
        EXPECT_TRUE(eventually([&] { return other_is_busy.load(); }));
        completed_inside = dozer::submit([&] { EXPECT_TRUE(eventually([&] { return attached.load(); })); });
        is_there = true;
      });
      inside = false;
    });
  });
  EXPECT_TRUE(eventually([&] { return is_there.load(); }));
  auto after = completed_inside.then([&] { ran_inside = inside && std::this_thread::get_id() == holder_thread; });
  attached = true;
  holder.get();
  after.get();
  EXPECT_FALSE(ran_inside);
}

/// One that was asked for inside is inside, even if its future is completed outside: its waits run no stranger.
TEST(Isolate, AContinuationFromInsideIsInside) {
  std::atomic<bool> asked_for{false}, continues{false};
  dozer::thread_pool elsewhere(1);
  lock_and_stranger both(2);
  auto outside = both.pool.submit([&] { EXPECT_TRUE(eventually([&] { return asked_for.load(); })); });
  both.run(
      [&] {
        auto inside = outside.then([&] {
          continues = true;
          EXPECT_TRUE(eventually([&] { return both.other_is_queued.load(); }));
          elsewhere.submit([] { std::this_thread::sleep_for(50ms); }).get();
          EXPECT_NE(both.other_ran_on.load(), std::this_thread::get_id());  // a spare worker may
        });
        asked_for = true;
        inside.get();
      },
      [&] { return continues.load(); });
}

/// Whatever was posted in an isolation gives its number back: without one there would be no order.
TEST(Isolate, NumbersComeBack) {
  std::vector<int> order;
  std::atomic<bool> other_is_busy{false}, over{false};
  dozer::thread_pool pool(2);
  pool.submit([] {
        for (int round = 0; round < 2500; ++round) {
          dozer::isolate([] {
            dozer::broadcast([](dozer::broadcast_context) {});
            dozer::submit([] {}).then([] {}).get();
            dozer::scope(dozer::fifo, [](dozer::spawner& s) { s.spawn([] {}); });
          });
        }
      })
      .get();
  pool.spawn([&] {
    other_is_busy = true;
    EXPECT_TRUE(eventually([&] { return over.load(); }));
  });
  EXPECT_TRUE(eventually([&] { return other_is_busy.load(); }));
  pool.submit([&] {
        dozer::isolate([&] {
          dozer::spawn(dozer::fifo, [&] { order.push_back(0); });
          dozer::spawn(dozer::fifo, [&] { order.push_back(1); });
          EXPECT_EQ(dozer::yield_now(), dozer::yielded::executed);
          EXPECT_EQ(dozer::yield_now(), dozer::yielded::executed);
        });
      })
      .get();
  over = true;
  EXPECT_EQ(order, (std::vector{0, 1}));
}

/// Random trees of isolations, joins and scopes under one lock each: none may deadlock.
TEST(Isolate, RandomTreesUnderLocks) {
  reports seen;
  const std::uint64_t seed = dozer_test::seed();
  dozer::thread_pool pool(seen.options(4));
  dozer::mutex m("tree");
  std::atomic<long> leaves{0};
  const auto tree = [&](auto& self, std::uint64_t state, int depth) -> void {
    state = state * 6364136223846793005u + 1442695040888963407u;
    if (depth == 0) {
      ++leaves;
      return;
    }
    const auto both = [&] {
      dozer::join([&] { self(self, state, depth - 1); }, [&] { self(self, ~state, depth - 1); });
    };
    (state >> 60) < 4 ? dozer::isolate(both) : both();
  };
  constexpr int jobs = 60, depth = 7;
  pool.install([&] {
    dozer::scope([&](dozer::spawner& s) {
      for (int j = 0; j < jobs; ++j) {
        s.spawn([&, j] {
          if (j % 2 == 0) {
            tree(tree, seed + static_cast<std::uint64_t>(j), depth);
          } else {
            const dozer::mutex_guard hold(m);
            dozer::isolate([&] { tree(tree, seed + static_cast<std::uint64_t>(j), depth); });
          }
        });
      }
    });
  });
  EXPECT_EQ(leaves, jobs << depth);
  EXPECT_EQ(seen.count(), 0u);
}

// ---- the end of the stack -----------------------------------------------------------------------

/// Nearer still only what it waits for itself.
TEST(Headroom, AtTheVeryEndOfItsStackABroadcastOfItsOwnIsRun) {
  constexpr std::size_t mebibyte = std::size_t{1024} * 1024;
  reports seen;
  dozer::pool_options options = seen.options(2);
  options.stack_size = 16 * mebibyte;
  options.stack_headroom = 8 * mebibyte;
  dozer::thread_pool pool(options);
  pool.submit([] {
        volatile std::size_t nearly_all = 14 * mebibyte + mebibyte / 2;
        static_cast<volatile char*>(__builtin_alloca(nearly_all))[0] = 1;
        EXPECT_EQ(dozer::broadcast([](dozer::broadcast_context) { return 1; }).size(), 2u);
      })
      .get();
  EXPECT_EQ(seen.count(), 0u);
}

TEST(Headroom, AWaitNearTheEndOfItsStackStillRunsItsMail) {
  const auto deep_down = [](auto f) {
    volatile std::size_t more_than_half = std::size_t{2560} * 1024;
    static_cast<volatile char*>(__builtin_alloca(more_than_half))[0] = 1;
    f();
  };
  broadcast_to_who_waits(deep_down, as_it_is, nothing,
                         {.stack_size = std::size_t{4096} * 1024, .stack_headroom = std::size_t{2000} * 1024});
}

/// Each job waits for the last one, and runs the next on top of itself meanwhile: 3000 times 2 KiB, each less than the
/// guard page behind the stack.
void nest(dozer::pool_options options) {
  constexpr int jobs = 3000;
  volatile std::size_t frame_size = 2 * 1024;
  options.threads = 1;
  options.stack_size = 2 * 1024 * 1024;
  dozer::thread_pool pool(options);
  std::optional<dozer::future<void>> last;
  std::atomic<bool> all_queued{false};
  std::atomic<int> ended{0};
  std::vector<dozer::future<void>> all;
  for (int i = 0; i < jobs; ++i) {
    all.push_back(pool.submit([&] {
      // Of a size that the compiler does not know: else ASan moves it off the stack.
      auto* const frame = static_cast<volatile char*>(__builtin_alloca(frame_size));
      frame[0] = 1;
      EXPECT_TRUE(eventually([&] { return all_queued.load(); }));
      last->wait();
      ended += frame[0];
    }));
  }
  last.emplace(pool.submit([] {}));
  all_queued = true;
  for (auto& each : all) {
    each.get();
  }
  EXPECT_EQ(ended, jobs);
}

TEST(Headroom, AWaitNearTheEndOfItsStackRunsNothingMore) { nest({}); }

TEST(HeadroomDeathTest, WithoutItNestedStealingOverflows) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto overflow = [](int status) {
    return dozer_test::under_asan ? WIFEXITED(status) && WEXITSTATUS(status) != 0
                                  : WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
  };
  EXPECT_EXIT(nest({.stack_headroom = 0}), overflow, dozer_test::under_asan ? "stack-overflow" : "");
}

/// A wait inside sleeps while the other half still runs; then that half forks: the wait comes for what is its own.
TEST(Isolate, AWaitThatSleepsIsWokenForJobsThatAreForkedLateInside) {
  for (const bool loop : {false, true}) {
    reports seen;
    dozer::thread_pool pool(seen.options(2));
    std::atomic<bool> second_half_runs{false};
    std::atomic<int> running{0};
    const auto meet = [&](int) {  // two at once, so in two threads
      ++running;
      EXPECT_TRUE(eventually([&] { return running >= 2; }));
    };
    const auto first_half = [&] { EXPECT_TRUE(eventually([&] { return second_half_runs.load(); })); };
    const auto second_half = [&] {
      second_half_runs = true;
      EXPECT_TRUE(eventually([&] { return is_waiting_apart(pool); }));
      loop ? dozer::parallel_for(0, 2, meet) : static_cast<void>(dozer::join([&] { meet(0); }, [&] { meet(1); }));
    };
    pool.submit([&] { dozer::isolate([&] { dozer::join(first_half, second_half); }); }).get();
    EXPECT_EQ(running, 2);
    EXPECT_EQ(seen.count(), 0u);
  }
}

}  // namespace
