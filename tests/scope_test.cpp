// scope and scope(fifo): everything is done when it ends, in which order, and what its exceptions do.
#include "support.hpp"

#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace {

using dozer::fifo;
using dozer::scope;
using dozer::spawner;

TEST(Scope, ReturnsTheClosuresResultAndKeepsReferences) {
  int x = 0;
  decltype(auto) r = scope([&](spawner&) -> int& { return x; });
  static_assert(std::is_same_v<decltype(r), int&>);
  EXPECT_EQ(&r, &x);
  EXPECT_EQ(*scope([](spawner&) { return std::make_unique<int>(3); }), 3);
  static_assert(std::is_void_v<decltype(scope([](spawner&) {}))>);
}

TEST(Scope, EndsWhenAllItsJobsHaveEnded) {
  std::atomic<int> ran{0};
  scope([&](spawner& s) {
    for (int i = 0; i < 1000; ++i) {
      s.spawn([&] { ++ran; });
    }
  });
  EXPECT_EQ(ran.load(), 1000);
}

TEST(Scope, JobsSpawnJobsToAnyDepth) {
  std::atomic<int> leaves{0};
  const std::function<void(spawner&, int)> tree = [&](spawner& s, int depth) {
    if (depth == 0) {
      ++leaves;
      return;
    }
    s.spawn([&, depth](spawner& inner) { tree(inner, depth - 1); });
    s.spawn([&, depth](spawner& inner) { tree(inner, depth - 1); });
  };
  scope([&](spawner& s) { tree(s, 10); });
  EXPECT_EQ(leaves.load(), 1024);
}

TEST(Scope, NestsAndTheInnerOneEndsFirst) {
  std::atomic<int> inner_ran{0};
  bool checked = false;
  scope([&](spawner& outer) {
    outer.spawn([&] {
      scope([&](spawner& inner) {
        for (int i = 0; i < 100; ++i) {
          inner.spawn([&] { ++inner_ran; });
        }
      });
      EXPECT_EQ(inner_ran.load(), 100);
      checked = true;
    });
  });
  EXPECT_TRUE(checked);
}

TEST(Scope, TakesMoveOnlyClosuresAndDestroysThemBeforeItEnds) {
  const auto shared = std::make_shared<int>(0);
  scope([&](spawner& s) {
    for (int i = 0; i < 50; ++i) {
      s.spawn([p = std::make_unique<std::shared_ptr<int>>(shared)] { EXPECT_NE(*p, nullptr); });
    }
  });
  EXPECT_EQ(shared.use_count(), 1);
}

TEST(Scope, WithNoJobsCostsNoWait) {
  for (int i = 0; i < 1000; ++i) {
    scope([](spawner&) {});
  }
}

TEST(Scope, JobsMayBeSpawnedByAThreadFromOutsideAndByAnotherPool) {
  dozer::thread_pool pool(2), other(1);
  std::atomic<int> ran{0};
  pool.install([&] {
    scope([&](spawner& s) {
      std::thread outsider([&] { s.spawn([&] { ++ran; }); });
      other.install([&] { s.spawn([&] { ++ran; }); });
      outsider.join();
    });
  });
  EXPECT_EQ(ran.load(), 2);
}

TEST(Scope, IdleMembersTakeTheJobsOfOneThatIsInALongLeaf) {
  dozer::thread_pool pool(3);
  std::atomic<int> ran{0};
  pool.install([&] {
    scope([&](spawner& s) {
      for (int i = 0; i < 100; ++i) {
        s.spawn([&] { ++ran; });
      }
      // The leaf ends only when the others have run everything.
      EXPECT_TRUE(dozer_test::eventually([&] { return ran.load() == 100; }));
    });
  });
}

// ---- exceptions ---------------------------------------------------------------------------------

TEST(Scope, AJobsExceptionLeavesTheScopeAfterAllHaveEnded) {
  std::atomic<int> ran{0};
  EXPECT_THROW(scope([&](spawner& s) {
                 for (int i = 0; i < 100; ++i) {
                   s.spawn([&, i] {
                     ++ran;
                     if (i == 50) {
                       throw std::runtime_error("job");
                     }
                   });
                 }
               }),
               std::runtime_error);
  EXPECT_EQ(ran.load(), 100);
}

TEST(Scope, TheClosuresExceptionLeavesAfterAllHaveEnded) {
  std::atomic<int> ran{0};
  EXPECT_THROW(scope([&](spawner& s) {
                 s.spawn([&] { ++ran; });
                 s.spawn([&] { ++ran; });
                 throw std::logic_error("closure");
               }),
               std::logic_error);
  EXPECT_EQ(ran.load(), 2);
}

TEST(Scope, TheFirstExceptionInTimeWins) {
  dozer::thread_pool pool(1);
  pool.install([] {
    // In a pool of one the closure throws first and the jobs run after it.
    EXPECT_THROW(scope([](spawner& s) {
                   s.spawn([] { throw std::runtime_error("job"); });
                   throw std::logic_error("closure");
                 }),
                 std::logic_error);
    // The newest job runs first.
    EXPECT_THROW(scope([](spawner& s) {
                   s.spawn([] { throw std::runtime_error("older"); });
                   s.spawn([] { throw std::logic_error("newer"); });
                 }),
                 std::logic_error);
  });
}

TEST(Scope, AnExceptionOfANestedJobLeavesTheOuterScope) {
  EXPECT_THROW(
      scope([](spawner& s) {
        s.spawn([](spawner& s1) { s1.spawn([](spawner& s2) { s2.spawn([] { throw std::runtime_error("deep"); }); }); });
      }),
      std::runtime_error);
}

// ---- order --------------------------------------------------------------------------------------

std::vector<int> order_in_a_pool_of_one(const std::function<void(std::vector<int>&)>& body) {
  dozer::thread_pool pool(1);
  std::vector<int> order;
  pool.install([&] { body(order); });
  return order;
}

TEST(Scope, OneMemberRunsItsNewestJobFirst) {
  const auto order = order_in_a_pool_of_one([](std::vector<int>& out) {
    scope([&](spawner& s) {
      for (int i = 0; i < 5; ++i) {
        s.spawn([&, i] { out.push_back(i); });
      }
    });
  });
  EXPECT_EQ(order, (std::vector<int>{4, 3, 2, 1, 0}));
}

TEST(ScopeFifo, OneMemberRunsItsOldestJobFirst) {
  const auto order = order_in_a_pool_of_one([](std::vector<int>& out) {
    scope(fifo, [&](spawner& s) {
      for (int i = 0; i < 5; ++i) {
        s.spawn([&, i] { out.push_back(i); });
      }
    });
  });
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(ScopeFifo, NestedScopesKeepTheirOwnOrders) {
  const auto order = order_in_a_pool_of_one([](std::vector<int>& out) {
    scope(fifo, [&](spawner& s) {
      for (int i = 0; i < 3; ++i) {
        s.spawn([&, i] {
          scope([&](spawner& inner) {
            for (int k = 0; k < 2; ++k) {
              inner.spawn([&, i, k] { out.push_back(10 * i + k); });
            }
          });
        });
      }
    });
  });
  EXPECT_EQ(order, (std::vector<int>{1, 0, 11, 10, 21, 20}));
}

TEST(ScopeFifo, ReturnsItsResultAndRunsEverythingWithManyMembers) {
  dozer::thread_pool pool(4);
  std::atomic<int> sum{0};
  const int result = pool.install([&] {
    return scope(fifo, [&](spawner& s) {
      for (int i = 0; i < 200; ++i) {
        s.spawn([&, i](spawner& inner) {
          sum += i;
          inner.spawn([&, i] { sum += i; });
        });
      }
      return 7;
    });
  });
  EXPECT_EQ(result, 7);
  EXPECT_EQ(sum.load(), 2 * 199 * 100);
}

}  // namespace
