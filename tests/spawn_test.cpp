// spawn and submit: detached jobs, their order, their exceptions, their futures. Yielding.
#include "support.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;

// ---- spawn --------------------------------------------------------------------------------------

TEST(Spawn, EveryJobRunsBeforeThePoolIsGone) {
  std::atomic<int> ran{0};
  {
    dozer::thread_pool pool(3);
    for (int i = 0; i < 500; ++i) {
      pool.spawn([&] {
        ++ran;
        dozer::spawn([&] { ++ran; });
      });
    }
  }
  EXPECT_EQ(ran.load(), 1000);
}

TEST(Spawn, MorePostersThanDoorsEveryJobOnceBeforeThePoolIsGone) {
  constexpr int posters = 40, each = 200;
  std::vector<std::atomic<int>> ran(posters * each);
  {
    dozer::thread_pool pool(2);
    std::vector<std::thread> threads;
    for (int p = 0; p < posters; ++p) {
      threads.emplace_back([&, p] {
        for (int i = 0; i < each; ++i) {
          pool.spawn([&n = ran[static_cast<std::size_t>(p * each + i)]] { ++n; });
        }
      });
    }
    for (std::thread& t : threads) t.join();
  }
  EXPECT_TRUE(std::all_of(ran.begin(), ran.end(), [](const auto& n) { return n.load() == 1; }));
}

TEST(Spawn, ThePoolMayGoAsSoonAsTheJobHasRunThoughItsPosterIsOnItsWayOut) {
  for (int round = 0; round < 300; ++round) {
    std::atomic<bool> ran{false};
    std::thread poster;
    {
      dozer::thread_pool pool(1);
      poster = std::thread([&] { pool.spawn([&] { ran = true; }); });
      while (!ran.load()) std::this_thread::yield();
    }
    poster.join();
  }
}

TEST(Spawn, AMemberOfAnotherPoolMaySpawnForAJobWhileItsPoolEnds) {
  std::atomic<int> ran{0};
  dozer::thread_pool elsewhere(1);
  {
    dozer::thread_pool pool(1);
    std::atomic<bool> begun{false};
    pool.spawn([&] {
      begun = true;
      std::this_thread::sleep_for(1ms);  // the handle goes meanwhile, or not: both must do
      elsewhere.install([&] {
        for (int i = 0; i < 10; ++i) {
          pool.spawn([&] { ++ran; });
        }
      });
    });
    while (!begun.load()) std::this_thread::yield();
  }
  EXPECT_EQ(ran.load(), 10);
}

TEST(Spawn, TheFreeFunctionUsesTheGlobalPoolFromOutside) {
  std::atomic<int> index{-1};
  dozer::spawn([&] { index = static_cast<int>(*dozer::current_thread_index()); });
  ASSERT_TRUE(dozer_test::eventually([&] { return index.load() >= 0; }));
}

TEST(Spawn, TakesMoveOnlyClosuresAndDestroysThemBeforeThePoolEnds) {
  const auto shared = std::make_shared<int>(0);
  {
    dozer::thread_pool pool(2);
    pool.spawn([p = std::make_unique<std::shared_ptr<int>>(shared)] {});
  }
  EXPECT_EQ(shared.use_count(), 1);
}

/// Runs `fill` as a job of a pool of one and returns the order in which what it spawned ran.
template <class Fill>
std::vector<int> order_by_one_worker(Fill fill) {
  std::vector<int> order;
  {
    dozer::thread_pool pool(1);
    pool.spawn([&] { fill(order); });
  }
  return order;
}

TEST(Spawn, FromAWorkerTheNewestRunsFirst) {
  EXPECT_EQ(order_by_one_worker([](std::vector<int>& out) {
              for (int i = 0; i < 4; ++i) {
                dozer::spawn([&, i] { out.push_back(i); });
              }
            }),
            (std::vector<int>{3, 2, 1, 0}));
}

TEST(Spawn, FifoFromAWorkerTheOldestRunsFirst) {
  EXPECT_EQ(order_by_one_worker([](std::vector<int>& out) {
              for (int i = 0; i < 4; ++i) {
                dozer::spawn(dozer::fifo, [&, i] { out.push_back(i); });
              }
            }),
            (std::vector<int>{0, 1, 2, 3}));
}

TEST(Spawn, MixedEachKindKeepsItsOrder) {
  // Pushed: lifo 0, fifo 1, lifo 2, fifo 3. The deque gives line, 2, line, 0, and the line its oldest first.
  EXPECT_EQ(order_by_one_worker([](std::vector<int>& out) {
              dozer::spawn([&] { out.push_back(0); });
              dozer::spawn(dozer::fifo, [&] { out.push_back(1); });
              dozer::spawn([&] { out.push_back(2); });
              dozer::spawn(dozer::fifo, [&] { out.push_back(3); });
            }),
            (std::vector<int>{1, 2, 3, 0}));
}

TEST(Spawn, FromOutsideInOrderOfArrival) {
  std::vector<int> order;
  {
    std::atomic<bool> go{false};
    dozer::thread_pool pool(1);
    pool.spawn([&] {
      while (!go) std::this_thread::yield();
    });
    for (int i = 0; i < 100; ++i) {
      i % 2 == 0 ? pool.spawn([&, i] { order.push_back(i); }) : pool.spawn(dozer::fifo, [&, i] { order.push_back(i); });
    }
    go = true;
  }
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
  }
}

TEST(Spawn, AnExceptionGoesToOnUnhandledAndThePoolGoesOn) {
  std::vector<std::string> seen;
  std::mutex guard;
  std::atomic<int> ran{0};
  {
    dozer::thread_pool pool({.threads = 2, .on_unhandled = [&](std::exception_ptr e) {
                               try {
                                 std::rethrow_exception(e);
                               } catch (const std::runtime_error& error) {
                                 const std::lock_guard hold(guard);
                                 seen.push_back(error.what());
                               }
                             }});
    pool.spawn([] { throw std::runtime_error("one"); });
    pool.spawn([&] { ++ran; });
  }
  EXPECT_EQ(seen, std::vector<std::string>{"one"});
  EXPECT_EQ(ran.load(), 1);
}

/// It runs in a worker, and a worker may end its own pool.
TEST(Spawn, OnUnhandledMayDestroyItsPool) {
  for (int i = 0; i < 50; ++i) {
    std::atomic<bool> handled{false};
    std::atomic<int> ran{0}, threads_gone{0};
    std::unique_ptr<dozer::thread_pool> pool;
    pool = std::make_unique<dozer::thread_pool>(dozer::pool_options{.threads = 2,
                                                                    .on_thread_exit = [&](unsigned) { ++threads_gone; },
                                                                    .on_unhandled =
                                                                        [&](std::exception_ptr) {
                                                                          pool.reset();
                                                                          handled = true;
                                                                        }});
    for (int k = 0; k < 10; ++k) {
      pool->spawn([&] { ++ran; });
    }
    pool->spawn([] { throw std::runtime_error("the end"); });
    ASSERT_TRUE(dozer_test::eventually([&] { return handled && ran == 10 && threads_gone == 2; }));
    EXPECT_EQ(pool, nullptr);
  }
}

#if !defined(DOZER_PLATFORM_TSAN)  // death tests fork, which ThreadSanitizer does not survive
TEST(SpawnDeathTest, WithoutAHandlerAnExceptionTerminates) {
  EXPECT_DEATH(
      {
        dozer::thread_pool pool(1);
        pool.spawn([] { throw std::runtime_error("nobody caught this"); });
      },
      "nobody caught this");
}

TEST(SpawnDeathTest, AThrowingHandlerTerminates) {
  EXPECT_DEATH(
      {
        dozer::thread_pool pool(
            {.threads = 1, .on_unhandled = [](std::exception_ptr) { throw std::runtime_error("the handler threw"); }});
        pool.spawn([] { throw std::runtime_error("the job threw"); });
      },
      "the handler threw");
}
#endif

// ---- submit -------------------------------------------------------------------------------------

TEST(Future, BringsValuesReferencesNothingAndExceptions) {
  dozer::thread_pool pool(2);
  EXPECT_EQ(pool.submit([] { return 4; }).get(), 4);
  int x = 0;
  EXPECT_EQ(&pool.submit([&]() -> int& { return x; }).get(), &x);
  EXPECT_EQ(*pool.submit([] { return std::make_unique<int>(5); }).get(), 5);
  pool.submit([] {}).get();
  EXPECT_THROW(pool.submit([]() -> int { throw std::runtime_error("job"); }).get(), std::runtime_error);
}

TEST(Future, TheFreeFunctionWorksInsideAndOutside) {
  EXPECT_EQ(dozer::submit([] { return 1; }).get(), 1);
  dozer::thread_pool pool(1);
  EXPECT_EQ(pool.install([] { return dozer::submit([] { return dozer::current_num_threads(); }).get(); }), 1u);
}

TEST(Future, IsUsedUpByGetAndSaysSo) {
  dozer::thread_pool pool(1);
  auto f = pool.submit([] { return 1; });
  EXPECT_TRUE(f.valid());
  f.get();
  EXPECT_FALSE(f.valid());
  EXPECT_THROW(f.get(), std::logic_error);
  EXPECT_THROW(f.wait(), std::logic_error);
  EXPECT_THROW(static_cast<void>(f.ready()), std::logic_error);
  EXPECT_THROW(dozer::future<int>().get(), std::logic_error);
}

TEST(Future, WaitForGivesUpAndLaterSucceeds) {
  std::atomic<bool> go{false};
  dozer::thread_pool pool(1);
  auto f = pool.submit([&] {
    while (!go) std::this_thread::yield();
  });
  EXPECT_FALSE(f.wait_for(2ms));
  EXPECT_FALSE(f.ready());
  go = true;
  EXPECT_TRUE(f.wait_for(1h));
  EXPECT_TRUE(f.ready());
  f.get();
}

TEST(Future, AWorkerThatWaitsWithATimeLimitGivesUpAndGoesOn) {
  dozer::thread_pool pool(2);
  std::atomic<bool> go{false};
  auto slow = pool.submit([&] {
    while (!go) std::this_thread::sleep_for(100us);
  });
  auto waiter = pool.submit([&] {
    for (int i = 0; i < 20; ++i) {
      EXPECT_FALSE(slow.wait_for(500us));
    }
    go = true;
    EXPECT_TRUE(slow.wait_for(1h));
  });
  waiter.get();
  slow.get();
}

TEST(Future, AnyNumberMayWaitAtOnceAlsoOneInsideAnothersWait) {
  std::atomic<bool> go{false};
  std::atomic<int> early{0}, helped{0};
  dozer::thread_pool pool(2);
  const auto f = pool.submit([&] {
    while (!go) std::this_thread::sleep_for(100us);
  });
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      f.wait();
      early += !f.ready();
    });
  }
  // The other worker waits, and helps with a job that waits for the same.
  pool.spawn([&] {
    dozer::spawn([&] {
      f.wait();
      early += !f.ready();
      ++helped;
    });
    f.wait_for(1ms);
    early += go.load() ? 0 : f.ready();
    ++helped;
  });
  EXPECT_FALSE(f.wait_for(5ms));
  EXPECT_FALSE(f.ready());
  go = true;
  f.wait();
  for (std::thread& t : threads) {
    t.join();
  }
  EXPECT_TRUE(dozer_test::eventually([&] { return helped.load() == 2; }));  // they use f
  EXPECT_EQ(early.load(), 0);
}

TEST(Future, WaitForTakesAnyDuration) {
  dozer::thread_pool pool(1);
  auto f = pool.submit([] { return 1; });
  EXPECT_TRUE(f.wait_for(std::chrono::hours::max()));
  EXPECT_TRUE(f.wait_for(-1s));
  EXPECT_TRUE(f.wait_for(0s));
}

TEST(Future, AWorkerHelpsWhileItWaits) {
  dozer::thread_pool pool(1);
  // The only worker waits for a job that only it can run.
  EXPECT_EQ(pool.submit([] { return dozer::submit([] { return 3; }).get() + 1; }).get(), 4);
}

TEST(Future, AWorkerMayWaitForAFutureOfAnotherPool) {
  dozer::thread_pool a(1), b(1);
  EXPECT_EQ(a.submit([&] { return b.submit([&] { return a.submit([] { return 6; }).get(); }).get(); }).get(), 6);
}

TEST(Future, DroppingItDetachesTheJob) {
  std::atomic<int> ran{0};
  {
    dozer::thread_pool pool(1);
    for (int i = 0; i < 100; ++i) {
      static_cast<void>(pool.submit([&] { ++ran; }));
    }
  }
  EXPECT_EQ(ran.load(), 100);
}

TEST(Future, AnExceptionNobodyTookGoesToOnUnhandledWhetherDroppedBeforeOrAfter) {
  std::atomic<int> unhandled{0};
  {
    std::atomic<bool> go{false};
    dozer::thread_pool pool({.threads = 1, .on_unhandled = [&](std::exception_ptr) { ++unhandled; }});
    static_cast<void>(pool.submit([&]() -> int {
      while (!go) std::this_thread::yield();
      throw std::runtime_error("dropped before");
    }));
    go = true;
    auto after = pool.submit([]() -> int { throw std::runtime_error("dropped after"); });
    after.wait();
    after = {};
    EXPECT_TRUE(dozer_test::eventually([&] { return unhandled.load() == 2; }));
    auto taken = pool.submit([]() -> int { throw std::runtime_error("taken"); });
    EXPECT_THROW(taken.get(), std::runtime_error);
  }
  EXPECT_EQ(unhandled.load(), 2);
}

TEST(Future, DroppedByAnotherExceptionItsOwnIsForgotten) {
  std::atomic<int> unhandled{0};
  {
    dozer::thread_pool pool({.threads = 1, .on_unhandled = [&](std::exception_ptr) { ++unhandled; }});
    const auto two = [&] {
      auto first = pool.submit([]() -> int { throw std::runtime_error("first"); });
      auto second = pool.submit([]() -> int { throw std::logic_error("second"); });
      first.get();
      second.get();
    };
    EXPECT_THROW(two(), std::runtime_error);
  }
  EXPECT_EQ(unhandled.load(), 0);
}

TEST(Future, OutlivesItsPool) {
  dozer::future<std::string> f;
  {
    dozer::thread_pool pool(1);
    f = pool.submit([] { return std::string("kept"); });
  }
  EXPECT_TRUE(f.ready());
  EXPECT_EQ(f.get(), "kept");
}

// ---- then ---------------------------------------------------------------------------------------

TEST(Then, PostsTheContinuationToTheSamePool) {
  dozer::thread_pool pool(3);
  auto f = pool.submit([] { return 20; }).then([](int x) {
    EXPECT_EQ(dozer::current_num_threads(), 3u);
    return std::to_string(x + 1);
  });
  EXPECT_EQ(f.get(), "21");
}

TEST(Then, WorksForVoidAndMoveOnlyAndReferences) {
  dozer::thread_pool pool(1);
  EXPECT_EQ(pool.submit([] {}).then([] { return 1; }).get(), 1);
  EXPECT_EQ(pool.submit([] { return std::make_unique<int>(2); }).then([](std::unique_ptr<int> p) { return *p; }).get(),
            2);
  int x = 3;
  EXPECT_EQ(&pool.submit([&]() -> int& { return x; }).then([](int& r) -> int& { return r; }).get(), &x);
  pool.submit([] { return 4; }).then([](int) {}).get();
}

TEST(Then, AnExceptionSkipsTheContinuations) {
  dozer::thread_pool pool(1);
  std::atomic<bool> called{false};
  auto f = pool.submit([]() -> int { throw std::runtime_error("early"); })
               .then([&](int) {
                 called = true;
                 return 1;
               })
               .then([&](int) { called = true; });
  EXPECT_THROW(f.get(), std::runtime_error);
  EXPECT_FALSE(called.load());
}

TEST(Then, MayBeAttachedBeforeAndAfterTheResult) {
  std::atomic<bool> go{false};
  dozer::thread_pool pool(1);
  auto before = pool.submit([&] {
    while (!go) std::this_thread::yield();
    return 1;
  });
  auto chained = before.then([](int x) { return x + 1; });
  EXPECT_FALSE(before.valid());
  go = true;
  EXPECT_EQ(chained.get(), 2);
  auto after = pool.submit([] { return 5; });
  after.wait();
  EXPECT_EQ(after.then([](int x) { return x * 2; }).get(), 10);
}

TEST(Then, DoesNotUnwrapNestedFutures) {
  dozer::thread_pool pool(2);
  auto nested = pool.submit([] { return 1; }).then([](int x) { return dozer::submit([x] { return x + 1; }); });
  static_assert(std::is_same_v<decltype(nested), dozer::future<dozer::future<int>>>);
  EXPECT_EQ(nested.get().get(), 2);
}

TEST(Then, ADroppedChainStillRunsBeforeThePoolEnds) {
  std::atomic<int> ran{0};
  {
    dozer::thread_pool pool(2);
    for (int i = 0; i < 200; ++i) {
      static_cast<void>(pool.submit([] { return 1; }).then([&](int x) { ran += x; }));
    }
  }
  EXPECT_EQ(ran.load(), 200);
}

TEST(Then, OnAFutureWhosePoolHasEndedThrows) {
  dozer::future<int> f;
  {
    dozer::thread_pool pool(1);
    f = pool.submit([] { return 1; });
  }
  EXPECT_THROW(static_cast<void>(f.then([](int x) { return x; })), std::runtime_error);
  EXPECT_EQ(f.get(), 1);
}

// ---- yield --------------------------------------------------------------------------------------

TEST(Yield, OutsideAPoolSaysSo) {
  EXPECT_EQ(dozer::yield_now(), dozer::yielded::not_a_worker);
  EXPECT_EQ(dozer::yield_local(), dozer::yielded::not_a_worker);
}

TEST(Yield, LocalRunsTheOwnJobsNewestFirstAndThenIsIdle) {
  dozer::thread_pool pool(1);
  std::vector<int> order;
  pool.submit([&] {
        for (int i = 0; i < 3; ++i) {
          dozer::spawn([&, i] { order.push_back(i); });
        }
        EXPECT_EQ(dozer::yield_local(), dozer::yielded::executed);
        EXPECT_EQ(order, std::vector<int>{2});
        EXPECT_EQ(dozer::yield_local(), dozer::yielded::executed);
        EXPECT_EQ(dozer::yield_local(), dozer::yielded::executed);
        EXPECT_EQ(dozer::yield_local(), dozer::yielded::idle);
      })
      .get();
  EXPECT_EQ(order, (std::vector<int>{2, 1, 0}));
}

TEST(Yield, NowAlsoRunsInjectedJobsAndLocalDoesNot) {
  dozer::thread_pool pool(1);
  std::atomic<bool> inside{false}, injected{false}, ran{false};
  auto f = pool.submit([&] {
    inside = true;
    while (!injected) std::this_thread::yield();
    EXPECT_EQ(dozer::yield_local(), dozer::yielded::idle);
    EXPECT_FALSE(ran.load());
    EXPECT_EQ(dozer::yield_now(), dozer::yielded::executed);
    EXPECT_TRUE(ran.load());
    EXPECT_EQ(dozer::yield_now(), dozer::yielded::idle);
  });
  ASSERT_TRUE(dozer_test::eventually([&] { return inside.load(); }));
  pool.spawn([&] { ran = true; });
  injected = true;
  f.get();
}

TEST(Yield, NowStealsFromOthers) {
  dozer::thread_pool pool(2);
  std::atomic<bool> spawned{false}, ran{false};
  dozer_test::rendezvous both(2);
  pool.install([&] {
    dozer::join(
        [&] {
          both.arrive_and_wait();
          dozer::spawn([&] { ran = true; });
          spawned = true;
          EXPECT_TRUE(dozer_test::eventually([&] { return ran.load(); }));  // the other one takes it
        },
        [&] {
          both.arrive_and_wait();
          while (!spawned) std::this_thread::yield();
          while (!ran) {
            dozer::yield_now();
          }
        });
  });
}

}  // namespace
