// Guests: threads from outside in the seats of sleeping workers, or in extra ones.
#include "support.hpp"

#include <algorithm>
#include <vector>

namespace {

using dozer::thread_pool;

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
          EXPECT_TRUE(dozer_test::eventually([&] { return most >= 2; }));  // two there are
          std::this_thread::sleep_for(std::chrono::microseconds(200));     // and would there be more?
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
  thread_pool pool({.threads = 1, .max_spares = 0});  // no seats that are kept for spares
  ASSERT_TRUE(dozer_test::all_asleep(pool));
  const unsigned seats = pool.index_bound();
  constexpr unsigned late = 8;
  std::atomic<unsigned> inside{0}, ran{0}, handed_over{0};
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
      pool.install([&] {
        handed_over += std::this_thread::get_id() != me;
        EXPECT_EQ(dozer_test::fib(8), 21);
        ++ran;
      });
    });
  }
  ASSERT_TRUE(dozer_test::eventually([&] { return !dozer::detail::core_of(pool).injected.empty(); }));
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

/// Counts who runs, and remembers the most at once.
class running_at_once {
 public:
  void begin() {
    const int now = ++running_;
    int seen = most_.load();
    while (seen < now && !most_.compare_exchange_weak(seen, now)) {
    }
  }
  void end() { --running_; }
  [[nodiscard]] int most() const { return most_; }

 private:
  std::atomic<int> running_{0}, most_{0};
};

/// Many outside threads install at once. Each body also waits outside, so that spares come, forks, and waits for a job.
/// The first ones wait until so many have met.
int most_at_once(unsigned extra_guests, int meet) {
  dozer::pool_options options;
  options.threads = 2;
  options.extra_guests = extra_guests;
  thread_pool pool(options);
  running_at_once at_once;
  std::vector<std::thread> outsiders;
  std::atomic<int> came{0};
  for (int i = 0; i < 24; ++i) {
    outsiders.emplace_back([&] {
      ++came;
      EXPECT_TRUE(dozer_test::eventually([&] { return came == 24; }));
      for (int round = 0; round < 5; ++round) {
        pool.install([&] {
          const auto body = [&] {
            at_once.begin();
            std::this_thread::sleep_for(std::chrono::microseconds(200));
            at_once.end();
          };
          at_once.begin();
          EXPECT_TRUE(dozer_test::eventually([&] { return at_once.most() >= meet; }));
          at_once.end();
          dozer::blocking([] { std::this_thread::sleep_for(std::chrono::microseconds(500)); });
          body();
          dozer::join(body, body);
          pool.submit(body).get();
          body();
        });
      }
    });
  }
  for (std::thread& each : outsiders) {
    each.join();
  }
  return at_once.most();
}

TEST(Guest, WithoutExtraGuestsThreadsIsALimit) { EXPECT_LE(most_at_once(0, 1), 2); }

/// The counterpart: so the count above could have shown it.
TEST(Guest, WithExtraGuestsItIsNone) { EXPECT_GT(most_at_once(64, 3), 2); }

TEST(Guest, ExtraGuestsAreCountedExactly) {
  std::atomic<bool> go{false};
  std::atomic<int> inside{0}, handed_over{0};
  dozer_test::rendezvous busy(1);
  dozer::pool_options options;
  options.threads = 1;
  options.extra_guests = 3;
  thread_pool pool(options);
  pool.spawn([&] {
    busy.arrive();
    while (!go) std::this_thread::yield();
  });
  while (!busy.all_here()) std::this_thread::yield();
  std::vector<std::thread> outsiders;
  for (int i = 0; i < 8; ++i) {
    outsiders.emplace_back([&] {
      const auto me = std::this_thread::get_id();
      pool.install([&] {
        std::this_thread::get_id() == me ? ++inside : ++handed_over;
        while (!go) std::this_thread::yield();
      });
    });
  }
  EXPECT_TRUE(dozer_test::eventually([&] { return inside == 3 && pool.stats().total.injected >= 1; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // would there be more?
  EXPECT_EQ(inside, 3);
  go = true;
  for (std::thread& each : outsiders) {
    each.join();
  }
  EXPECT_EQ(inside + handed_over, 8);
}

}  // namespace
