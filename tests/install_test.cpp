// install: closures into a pool, from outside, from inside, and across pools.
#include "support.hpp"

#include <stdexcept>

namespace {

using dozer::thread_pool;

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

TEST(Enter, KeepsTheThreadInsideWhileItLives) {
  thread_pool pool(2);
  {
    const dozer::pool_stay stay = pool.enter();
    const auto index = dozer::current_thread_index();
    ASSERT_TRUE(index.has_value());
    EXPECT_LT(*index, pool.index_bound());
    EXPECT_EQ(&dozer::current_pool(), &pool);
    EXPECT_EQ(dozer::current_num_threads(), 2u);
    std::atomic<int> ran{0};
    for (int i = 0; i < 100; ++i) {
      dozer::parallel_for(0, 10, [&](int) { ++ran; });
      EXPECT_EQ(dozer::current_thread_index(), index);
    }
    EXPECT_EQ(ran.load(), 1000);
    const dozer::pool_stay again = pool.enter();  // is inside already
    EXPECT_EQ(dozer::current_thread_index(), index);
  }
  EXPECT_FALSE(dozer::current_thread_index().has_value());
  EXPECT_TRUE(dozer_test::all_asleep(pool));
}

TEST(Enter, AnotherPoolIsAnErrorAndSoIsOneWithoutAFreeSeat) {
  dozer_test::rendezvous busy(2);
  std::atomic<bool> through{false};
  thread_pool a(1), b({.threads = 1, .extra_guests = 0});
  {
    const dozer::pool_stay stay = a.enter();
    EXPECT_THROW(static_cast<void>(b.enter()), std::logic_error);
  }
  b.spawn([&] {
    busy.arrive();
    while (!through) {
      std::this_thread::yield();
    }
  });
  busy.arrive_and_wait();
  EXPECT_THROW(static_cast<void>(b.enter()), std::runtime_error);
  through = true;
}

TEST(Enter, CurrentPoolIsTheGlobalOneOutside) {
  EXPECT_EQ(&dozer::current_pool(), &dozer::global_pool());
  thread_pool pool(1);
  EXPECT_EQ(pool.submit([] { return &dozer::current_pool(); }).get(), &pool);
}

TEST(Enter, APoolThatItsOwnJobDestroysHasNoNameAnyMore) {
  auto* const pool = new thread_pool(1);
  auto seen = pool->submit([pool] {
    delete pool;
    try {
      static_cast<void>(dozer::current_pool());
      return false;
    } catch (const std::logic_error&) {
      return true;
    }
  });
  EXPECT_TRUE(seen.get());
}

}  // namespace
