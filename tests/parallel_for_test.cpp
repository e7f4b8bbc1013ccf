// parallel_for: every iteration once, whatever the range; work is shared; exceptions.
#include "support.hpp"

#include <rapidcheck.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using dozer::parallel_for;

TEST(ParallelFor, RunsEveryIterationOnce) {
  EXPECT_TRUE(rc::check("each index of any range, once", [] {
    const auto first = *rc::gen::inRange(-5000, 5000);
    const auto count = *rc::gen::inRange(-3, 5000);
    std::vector<std::atomic<int>> ran(static_cast<std::size_t>(std::max(count, 0)));
    parallel_for(first, first + count, [&](int i) { ran[static_cast<std::size_t>(i - first)].fetch_add(1); });
    RC_ASSERT(std::all_of(ran.begin(), ran.end(), [](const auto& n) { return n.load() == 1; }));
  }));
}

TEST(ParallelFor, TakesTheWholeWidthOfATypeAndNothingIfFirstIsNotBeforeLast) {
  std::atomic<std::int64_t> sum{0};
  const auto add = [&](auto i) { sum.fetch_add(i); };
  parallel_for(std::int8_t{-128}, std::int8_t{127}, add);
  EXPECT_EQ(sum.load(), -128 - 127);  // 127 itself is not in it
  std::atomic<int> calls{0};
  const auto count = [&](auto) { calls.fetch_add(1); };
  parallel_for(std::numeric_limits<std::int64_t>::max() - 3, std::numeric_limits<std::int64_t>::max(), count);
  parallel_for(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::min() + 3, count);
  EXPECT_EQ(calls.load(), 6);
  parallel_for(0, std::size_t{5}, count);  // as from size()
  EXPECT_EQ(calls.load(), 11);
  calls = 6;
  parallel_for(3, 3, count);
  parallel_for(4, 3, count);
  EXPECT_EQ(calls.load(), 6);
}

TEST(ParallelFor, ElementsOfRangesAndOfIteratorPairs) {
  std::vector<std::string> words(1000, "a");
  parallel_for(words, [](std::string& w) { w += "b"; });
  parallel_for(words.begin(), words.begin() + 500, [](std::string& w) { w += "c"; });
  EXPECT_EQ(words[0], "abc");
  EXPECT_EQ(words[499], "abc");
  EXPECT_EQ(words[500], "ab");
  struct counter {
    std::atomic<int> count{0};
    void up() { ++count; }
  };
  std::vector<counter> counters(10);
  parallel_for(counters, &counter::up);
  EXPECT_EQ(counters[9].count.load(), 1);
  const std::vector<int> numbers{1, 2, 3};
  std::atomic<int> sum{0};
  parallel_for(numbers, [&](const int& n) { sum += n; });
  EXPECT_EQ(sum.load(), 6);
}

TEST(ParallelFor, IterationsRunAtTheSameTime) {
  for (const int count : {2, 3, 100}) {
    dozer::thread_pool pool({.threads = 2});
    dozer_test::rendezvous two(2);
    pool.install([&] {
      parallel_for(0, count, [&](int i) {
        if (i == 0 || i == count - 1) {
          two.arrive();
          EXPECT_TRUE(dozer_test::eventually([&] { return two.all_here(); }));
        }
      });
    });
  }
}

TEST(ParallelFor, WhileOneIterationLastsTheOthersAreDoneByOthers) {
  dozer::thread_pool pool({.threads = 2});
  constexpr int count = 5000;
  std::atomic<int> ran{0};
  pool.install([&] {
    parallel_for(0, count, [&](int i) {
      if (i == 0) {
        EXPECT_TRUE(dozer_test::eventually([&] { return ran.load() == count - 1; })) << ran.load();
      }
      ran.fetch_add(1);
    });
  });
  EXPECT_EQ(ran.load(), count);
}

TEST(ParallelFor, LoopsThatWereShortWakeNobody) {
  dozer::thread_pool pool({.threads = 2});
  const auto loop = [&] { pool.install([] { parallel_for(0, 2, [](int) {}); }); };
  for (int i = 0; i < 1000; ++i) {
    loop();
  }
  std::uint64_t wakes = 0;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(dozer_test::all_asleep(pool));
    const std::uint64_t before = pool.stats().total.all_wakes_sent();
    loop();
    wakes += pool.stats().total.all_wakes_sent() - before;
  }
  // Not none: on a busy machine one may be interrupted, be long, and not be trusted for a while. Else it would be all.
  EXPECT_LT(wakes, 70u);
}

TEST(ParallelFor, ALoopThatHasBecomeLongIsSharedAgain) {
  dozer::thread_pool pool({.threads = 2});
  const auto loop = [&](bool meet) {
    dozer_test::rendezvous two(2);
    pool.install([&] {
      parallel_for(0, 3, [&](int i) {
        if (meet && i > 0) {  // the first one may be alone
          two.arrive();
          EXPECT_TRUE(dozer_test::eventually([&] { return two.all_here(); }));
        } else if (meet) {
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
      });
    });
  };
  for (int i = 0; i < 1000; ++i) {
    loop(false);
  }
  loop(true);
}

TEST(ParallelFor, OfExceptionsOneLeavesWhenWhatWasBegunHasEnded) {
  dozer::thread_pool pool({.threads = 4});
  std::atomic<int> inside{0};
  pool.install([&] {
    EXPECT_THROW(parallel_for(0, 10'000,
                              [&](int i) {
                                inside.fetch_add(1);
                                if (i % 1000 == 7) {
                                  inside.fetch_sub(1);
                                  throw std::runtime_error("seven");
                                }
                                inside.fetch_sub(1);
                              }),
                 std::runtime_error);
    EXPECT_EQ(inside.load(), 0);
  });
}

TEST(ParallelFor, NestsAndRunsFromOutsideInTheGlobalPool) {
  std::vector<std::vector<int>> table(40, std::vector<int>(70));
  parallel_for(0, 40, [&](int i) {
    EXPECT_TRUE(dozer::current_thread_index().has_value());
    parallel_for(0, 70, [&](int j) { table[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = i * j; });
  });
  EXPECT_EQ(table[39][69], 39 * 69);
  EXPECT_EQ(table[0][69], 0);
}

}  // namespace
