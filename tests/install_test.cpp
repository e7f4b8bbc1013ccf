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

}  // namespace
