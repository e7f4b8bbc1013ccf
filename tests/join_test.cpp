// join, join_context and the n-ary join: results, exceptions, where the closures run.
#include "support.hpp"

#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <variant>

namespace {

using dozer::join;
using dozer::join_context;

TEST(Join, ReturnsBothResultsByValue) {
  const auto both = join([] { return 1; }, [] { return std::string("two"); });
  static_assert(std::is_same_v<decltype(both), const std::pair<int, std::string>>);
  EXPECT_EQ(both.first, 1);
  EXPECT_EQ(both.second, "two");
}

TEST(Join, AVoidSideIsAMonostateAndTwoOfThemAreVoid) {
  static_assert(std::is_void_v<decltype(join([] {}, [] {}))>);
  static_assert(std::is_same_v<decltype(join([] {}, [] { return 1; })), std::pair<std::monostate, int>>);
  static_assert(std::is_same_v<decltype(join([] { return 1; }, [] {})), std::pair<int, std::monostate>>);
  EXPECT_EQ(join([] {}, [] { return 5; }).second, 5);
}

TEST(Join, KeepsReferencesAsReferences) {
  int x = 1;
  std::string y = "y";
  auto both = join([&]() -> int& { return x; }, [&]() -> const std::string& { return y; });
  static_assert(std::is_same_v<decltype(both), std::pair<int&, const std::string&>>);
  EXPECT_EQ(&both.first, &x);
  EXPECT_EQ(&both.second, &y);
}

TEST(Join, TakesMoveOnlyClosuresAndReturnsMoveOnlyResults) {
  auto a = [p = std::make_unique<int>(1)]() mutable { return std::move(p); };
  auto b = [p = std::make_unique<int>(2)]() mutable { return std::move(p); };
  auto [ra, rb] = join(std::move(a), std::move(b));
  EXPECT_EQ(*ra + *rb, 3);
}

struct rvalue_only {
  int operator()() && { return 9; }
};

TEST(Join, CallsAnRvalueAsAnRvalue) { EXPECT_EQ(join(rvalue_only{}, rvalue_only{}), std::pair(9, 9)); }

TEST(Join, OutsideAPoolRunsInTheGlobalPool) {
  EXPECT_FALSE(dozer::current_thread_index());
  const auto [a, b] = join([] { return dozer::current_thread_index(); }, [] { return dozer::current_thread_index(); });
  ASSERT_TRUE(a);
  ASSERT_TRUE(b);
  EXPECT_LT(*a, dozer::global_pool().index_bound());
  EXPECT_LT(*b, dozer::global_pool().index_bound());
  EXPECT_FALSE(dozer::current_thread_index());
}

TEST(Join, ReallyRunsBothAtTheSameTime) {
  dozer::thread_pool pool(2);
  dozer_test::rendezvous both(2);
  pool.install([&] { join([&] { both.arrive_and_wait(); }, [&] { both.arrive_and_wait(); }); });
}

TEST(Join, RecursesDeeply) {
  dozer::thread_pool pool(3);
  EXPECT_EQ(pool.install([] { return dozer_test::fib(22); }), 17711);
}

// ---- exceptions ---------------------------------------------------------------------------------

/// Forks so many, one inside the other, and stays in the innermost until all of them have run.
void fork_and_stay(int forks, std::atomic<int>& ran, int all) {
  if (forks == 0) {
    EXPECT_TRUE(dozer_test::eventually([&] { return ran.load() == all; }))
        << ran.load() << " of " << all << " have run";
    return;
  }
  join([&] { fork_and_stay(forks - 1, ran, all); }, [&] { ran.fetch_add(1); });
}

TEST(Join, WhileItsOwnerStaysInALongLeafTheOthersTakeEverythingElseItHasForked) {
  for (const dozer::fence_policy fences : {dozer::fence_policy::automatic, dozer::fence_policy::full}) {
    for (const unsigned threads : {2u, 4u}) {
      for (const int forks : {1, 10, 500}) {  // 500 also make the deque grow
        dozer::thread_pool pool({.threads = threads, .idle = {.fences = fences}});
        std::atomic<int> ran{0};
        pool.install([&] { fork_and_stay(forks, ran, forks); });
        EXPECT_EQ(ran.load(), forks);
      }
    }
  }
}

TEST(Join, AWaitInsideTheFirstClosureMayRunTheSecond) {
  dozer::thread_pool pool({.threads = 1});
  int runs = 0;
  std::atomic<bool> left_ran{false};
  pool.install([&] {
    join(
        [&] {
          EXPECT_EQ(dozer::yield_local(), dozer::yielded::executed);
          EXPECT_EQ(runs, 1);
          dozer::spawn([&] { left_ran = true; });  // it stands now where the second closure stood
        },
        [&] { ++runs; });
    EXPECT_EQ(runs, 1);
    EXPECT_TRUE(dozer_test::eventually([&] { return left_ran || dozer::yield_now() == dozer::yielded::executed; }));
  });
  EXPECT_TRUE(dozer_test::eventually([&] { return left_ran.load(); }));
}

TEST(Join, RunsWhatTheFirstClosureHasLeftAboveTheSecond) {
  dozer::thread_pool pool({.threads = 1});
  bool left_ran = false, second_ran = false;
  pool.install([&] {
    join([&] { dozer::spawn([&] { left_ran = true; }); }, [&] { second_ran = true; });
    EXPECT_TRUE(left_ran);
    EXPECT_TRUE(second_ran);
  });
}

int one() { return 1; }
int two() { return 2; }

TEST(Join, TakesFunctions) {
  EXPECT_EQ(join(one, two), std::pair(1, 2));
  EXPECT_EQ(join(&one, &two), std::pair(1, 2));
}

TEST(Join, ClosuresOfAnySizeAndOnesThatCannotMove) {
  struct heavy {
    std::array<int, 64> data{};
    int operator()() const { return data[63]; }
  } large;
  large.data[63] = 63;
  struct pinned {
    int value;
    explicit pinned(int v) : value(v) {}
    pinned(const pinned&) = delete;
    int operator()() { return value; }
  };
  EXPECT_EQ(join(large, heavy(large)), std::pair(63, 63));
  EXPECT_EQ(join(pinned(1), pinned(2)), std::pair(1, 2));
}

TEST(Join, WhenTheFirstThrowsTheSecondStillRuns) {
  bool ran = false;
  EXPECT_THROW(join([]() -> int { throw std::runtime_error("a"); }, [&] { ran = true; }), std::runtime_error);
  EXPECT_TRUE(ran);
}

TEST(Join, WhenTheSecondThrowsTheFirstHasRun) {
  bool ran = false;
  EXPECT_THROW(join([&] { ran = true; }, []() -> int { throw std::logic_error("b"); }), std::logic_error);
  EXPECT_TRUE(ran);
}

TEST(Join, OfTwoExceptionsTheFirstClosuresLeaves) {
  EXPECT_THROW(join([] { throw std::runtime_error("a"); }, [] { throw std::logic_error("b"); }), std::runtime_error);
}

TEST(Join, AnExceptionOfAStolenClosureComesBack) {
  dozer::thread_pool pool(2);
  dozer_test::rendezvous stolen(1);
  pool.install([&] {
    const auto fork = [&] {
      join(
          [&] {
            while (!stolen.all_here()) std::this_thread::yield();
          },
          [&] {
            stolen.arrive();
            throw std::runtime_error("stolen");
          });
    };
    EXPECT_THROW(fork(), std::runtime_error);
  });
}

TEST(Join, WaitsForAStolenClosureBeforeTheFirstOnesExceptionLeaves) {
  dozer::thread_pool pool(2);
  std::atomic<bool> finished{false};
  dozer_test::rendezvous stolen(1);
  pool.install([&] {
    const auto fork = [&] {
      join(
          [&] {
            while (!stolen.all_here()) std::this_thread::yield();
            throw std::runtime_error("a");
          },
          [&] {
            stolen.arrive();
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            finished = true;
          });
    };
    EXPECT_THROW(fork(), std::runtime_error);
    EXPECT_TRUE(finished.load());
  });
}

TEST(Join, ResultsOfTheGoodSideAreDestroyedWhenTheOtherThrows) {
  const auto shared = std::make_shared<int>(0);
  EXPECT_THROW(join([&] { return shared; }, []() -> int { throw std::runtime_error("b"); }), std::runtime_error);
  EXPECT_EQ(shared.use_count(), 1);
}

// ---- context ------------------------------------------------------------------------------------

TEST(JoinContext, NothingMigratesInAPoolOfOne) {
  dozer::thread_pool pool(1);
  const auto [a, b] = pool.install([] {
    return join_context([](dozer::fork_context c) { return c.migrated(); },
                        [](dozer::fork_context c) { return c.migrated(); });
  });
  EXPECT_FALSE(a);
  EXPECT_FALSE(b);
}

TEST(JoinContext, AStolenClosureHasMigrated) {
  dozer::thread_pool pool(2);
  dozer_test::rendezvous stolen(1);
  const auto [a, b] = pool.install([&] {
    return join_context(
        [&](dozer::fork_context c) {
          while (!stolen.all_here()) std::this_thread::yield();
          return c.migrated();
        },
        [&](dozer::fork_context c) {
          stolen.arrive();
          return c.migrated();
        });
  });
  EXPECT_FALSE(a);
  EXPECT_TRUE(b);
}

// ---- any number ---------------------------------------------------------------------------------

TEST(JoinMany, ReturnsATupleInOrder) {
  int x = 0;
  auto all = join([] { return 1; }, [] {}, [&]() -> int& { return x; }, [] { return std::make_unique<int>(4); },
                  [] { return 'e'; });
  static_assert(std::is_same_v<decltype(all), std::tuple<int, std::monostate, int&, std::unique_ptr<int>, char>>);
  EXPECT_EQ(std::get<0>(all), 1);
  EXPECT_EQ(&std::get<2>(all), &x);
  EXPECT_EQ(*std::get<3>(all), 4);
  EXPECT_EQ(std::get<4>(all), 'e');
}

TEST(JoinMany, AllVoidIsVoidAndAllRun) {
  std::array<bool, 7> ran{};
  static_assert(std::is_void_v<decltype(join([] {}, [] {}, [] {}))>);
  join([&] { ran[0] = true; }, [&] { ran[1] = true; }, [&] { ran[2] = true; }, [&] { ran[3] = true; },
       [&] { ran[4] = true; }, [&] { ran[5] = true; }, [&] { ran[6] = true; });
  for (const bool r : ran) {
    EXPECT_TRUE(r);
  }
}

TEST(JoinMany, AllFinishAndTheFirstExceptionInOrderLeaves) {
  std::atomic<int> ran{0};
  EXPECT_THROW(join([&] { ++ran; },
                    [&] {
                      ++ran;
                      throw std::runtime_error("1");
                    },
                    [&] {
                      ++ran;
                      throw std::logic_error("2");
                    },
                    [&] { ++ran; }),
               std::runtime_error);
  EXPECT_EQ(ran.load(), 4);
}

TEST(JoinMany, CanAllRunAtTheSameTime) {
  dozer::thread_pool pool(4);
  dozer_test::rendezvous all(4);
  const auto meet = [&] { all.arrive_and_wait(); };
  pool.install([&] { join(meet, meet, meet, meet); });
}

struct throws_when_moved {
  explicit throws_when_moved(int n) : number(n) {}
  throws_when_moved(throws_when_moved&& other) noexcept(false) : number(other.number) {}
  int number;
};

TEST(Join, ResultsOfEverySortComeBack) {
  dozer::thread_pool pool({.threads = 2});
  pool.install([] {
    const auto [large, small] = dozer::join([] { return std::array<int, 64>{1, 2, 3}; }, [] { return 4; });
    EXPECT_EQ(large[2] + small, 7);
    const auto [throwing, text] =
        dozer::join([] { return throws_when_moved(5); }, [] { return std::string(100, 'x'); });
    EXPECT_EQ(throwing.number, 5);
    EXPECT_EQ(text.size(), 100u);
    std::string moved = "moved";
    auto&& [rvalue, number] =
        dozer::join([&]() -> std::string&& { return std::move(moved); }, []() -> double { return 0.5; });
    EXPECT_EQ(rvalue, "moved");
    EXPECT_EQ(number, 0.5);
    const auto [owned, flag] = dozer::join([] { return std::make_unique<int>(8); }, [] { return true; });
    EXPECT_TRUE(*owned == 8 && flag);
  });
}

}  // namespace
