// parallel_for: every iteration once, whatever the range and wherever it is called; work is shared.
#include "algorithms/support.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <ranges>
#include <semaphore>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using dozer::parallel_for;

bool once_in(std::size_t times) { return *rc::gen::weightedElement<int>({{times - 1, 0}, {1, 1}}) == 1; }

/// How many iterations: often none, one or an odd number, and now and then so many that every thread has a share.
int any_count() { return once_in(20) ? *rc::gen::inRange(200'000, 250'000) : static_cast<int>(dozer_test::any_size()); }

/// Any grain, but for many iterations no tiny one: that would be as many forks.
dozer::loop_options any_grain(int count) {
  const std::size_t least = count < 100'000 ? 1 : 64;
  return {.grain = *rc::gen::oneOf(rc::gen::element<std::size_t>(0, 0, 64, 1000),
                                   rc::gen::inRange<std::size_t>(least, 300))};
}

/// How often each iteration ran.
class marks {
 public:
  explicit marks(int count) : ran_(static_cast<std::size_t>(std::max(count, 0))) {}
  void at(int i) { ran_[static_cast<std::size_t>(i)].fetch_add(1, std::memory_order_relaxed); }
  [[nodiscard]] bool once_each() const {
    return std::all_of(ran_.begin(), ran_.end(), [](const auto& n) { return n.load() == 1; });
  }

 private:
  std::vector<std::atomic<std::uint8_t>> ran_;
};

TEST(ParallelFor, RunsEveryIterationOnce) {
  EXPECT_TRUE(dozer_test::check([] {
    const int first = *rc::gen::inRange(-5000, 5000);
    const int count = once_in(20) ? -3 : any_count();
    const dozer::loop_options options = any_grain(count);
    const int failures = dozer_test::failures_everywhere([&] {
      marks ran(count);
      const auto mark = [&](int i) { ran.at(i - first); };
      parallel_for(first, first + count, mark, options);
      return ran.once_each();
    });
    RC_ASSERT(failures == 0);
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

TEST(ParallelFor, RunsEveryElementOfRangesAndOfIteratorPairsOnce) {
  EXPECT_TRUE(dozer_test::check([] {
    const int count = any_count();
    const int first = *rc::gen::inRange(0, count + 1), last = *rc::gen::inRange(first, count + 1);
    const dozer::loop_options options = any_grain(count);
    const int failures = dozer_test::failures_everywhere([&] {
      const auto up = [](std::uint8_t& n) { ++n; };
      std::vector<std::uint8_t> whole(static_cast<std::size_t>(count));
      parallel_for(whole, up, options);
      std::deque<std::uint8_t> part(whole.begin(), whole.end());
      parallel_for(part.begin() + first, part.begin() + last, up, options);
      marks ran(count);
      const auto mark = [&](int i) { ran.at(i); };
      parallel_for(std::views::iota(0, count), mark, options);
      const auto all_are = [](auto from, auto to, int n) {
        return std::all_of(from, to, [&](int times) { return times == n; });
      };
      return all_are(whole.begin(), whole.end(), 1) && all_are(part.begin(), part.begin() + first, 1) &&
             all_are(part.begin() + first, part.begin() + last, 2) && all_are(part.begin() + last, part.end(), 1) &&
             ran.once_each();
    });
    RC_ASSERT(failures == 0);
  }));
}

TEST(ParallelFor, IterationsRunAtTheSameTime) {
  for (const int count : {2, 3, 16}) {  // a loop of 100 runs its first iterations before it forks
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
  for (const int count : {5000, 99, 17, 16, 2}) {
    // The first microseconds of a loop of 100 or more belong to one thread: not to that iteration.
    const int longest = count < 100 ? 0 : count / 2;
    std::atomic<int> ran{0};
    pool.install([&] {
      parallel_for(0, count, [&](int i) {
        if (i == longest) {
          EXPECT_TRUE(dozer_test::eventually([&] { return ran.load() >= count - 16; }))
              << ran.load() << " of " << count;
        } else if (count >= 100) {
          dozer_test::spin_for(std::chrono::microseconds(1));
        }
        ran.fetch_add(1);
      });
    });
    EXPECT_EQ(ran.load(), count);
  }
}

std::atomic<int> sum_of_numbers{0};
void add_number(int i) { sum_of_numbers.fetch_add(i); }

TEST(ParallelFor, TakesAFunction) {
  sum_of_numbers = 0;
  parallel_for(0, 1000, add_number);
  parallel_for(0, 10, &add_number);
  EXPECT_EQ(sum_of_numbers.load(), 999 * 1000 / 2 + 45);
}

/// How many of so many loops of two, from outside, ran both iterations in one thread though they were long.
int mistakes(dozer::thread_pool& pool, int loops, int short_ones_before_each) {
  std::function<void(int)> body;
  const auto loop = [&] { pool.install([&] { parallel_for(0, 2, body); }); };
  int wrong = 0;
  for (int i = 0; i < loops; ++i) {
    body = [](int) {};
    for (int k = 0; k < short_ones_before_each; ++k) {
      loop();
    }
    std::array<std::thread::id, 2> who;
    std::binary_semaphore begun{0};
    body = [&](int which) {
      who[static_cast<std::size_t>(which)] = std::this_thread::get_id();
      if (which == 1) {
        begun.release();
      } else {
        // Long for a mistake only: until all other threads have stood still.
        for (dozer_test::patience left(std::chrono::milliseconds(50));
             !begun.try_acquire_for(std::chrono::milliseconds(1)) && !left.is_over();) {
        }
        dozer_test::spin_for(std::chrono::microseconds(20));  // not short, even if the other one was there before
      }
    };
    loop();
    wrong += who[0] == who[1] ? 1 : 0;
  }
  return wrong;
}

TEST(ParallelFor, AfterAMistakeItTakesTwiceAsManyShortLoopsToBeTrusted) {
  dozer::thread_pool pool({.threads = 2});
  // 16, 32 and 64 are enough for three mistakes, 128 are never reached.
  EXPECT_LE(mistakes(pool, 20, 100), 3);
}

TEST(ParallelFor, InsideAPoolShortLoopsBeforeMakeNoDifference) {
  dozer::thread_pool pool({.threads = 2});
  pool.install([&] {
    std::function<void(int)> body = [](int) {};
    parallel_for(0, 2, body);  // the first one of a stay comes from outside
    for (int i = 0; i < 1000; ++i) {
      parallel_for(0, 2, body);
    }
    dozer_test::rendezvous two(2);
    body = [&](int) {
      two.arrive();
      EXPECT_TRUE(dozer_test::eventually([&] { return two.all_here(); }));
    };
    parallel_for(0, 2, body);
  });
}

/// Whether a loop into a sleeping pool wakes nobody. Not each one does: on a busy machine a thread may be interrupted,
/// and its loop be long.
template <class Loop>
bool one_wakes_nobody(dozer::thread_pool& pool, const Loop& loop) {
  for (int i = 0; i < 3000; ++i) {
    EXPECT_TRUE(dozer_test::all_asleep(pool));
    const std::uint64_t before = pool.stats().total.all_wakes_sent();
    pool.install(loop);
    if (pool.stats().total.all_wakes_sent() == before) {
      return true;
    }
  }
  return false;
}

TEST(ParallelFor, ManyIterationsThatAreOverAtOnceWakeNobody) {
  dozer::thread_pool pool({.threads = 2});
  // By blocks: a hundred calls under ThreadSanitizer may take longer than a loop that is over at once.
  EXPECT_TRUE(one_wakes_nobody(pool, [] { dozer::parallel_for_blocks(0, 100, [](int, int) {}); }));
  if (!dozer_test::under_tsan) {
    EXPECT_TRUE(one_wakes_nobody(pool, [] { parallel_for(0, 100, [](int) {}); }));
  }
}

TEST(ParallelFor, FewIterationsWakeNobodyAfterManyShortLoops) {
  if (dozer_test::under_tsan || dozer_test::under_asan) {
    GTEST_SKIP() << "a sanitizer makes every loop too long to be trusted; ShortLoops tests the rule";
  }
  dozer::thread_pool pool({.threads = 2});
  EXPECT_TRUE(one_wakes_nobody(pool, [] { parallel_for(0, 2, [](int) {}); }));
}

/// Iterations that turn out to be long in the middle of a loop of short ones do not stay in one thread.
TEST(ParallelFor, LongIterationsAmongShortOnesAreShared) {
  constexpr int million = 1'000'000;
  struct where {
    int count, first, few;
  };
  for (const auto [count, first, few] :
       {where{million, million - 64, 64}, where{million, million / 2 + 100, 2'000}, where{1000, 750, 250}}) {
    dozer::thread_pool pool({.threads = 4});
    dozer_test::two_at_once two;
    pool.install([&] {
      parallel_for(0, count, [&](int i) {
        if (i >= first && i < first + few) {
          two.wait();
        }
      });
    });
    EXPECT_TRUE(two.met()) << "from " << first << " of " << count;
  }
}

TEST(ParallelFor, BlocksMakeUpTheRange) {
  EXPECT_TRUE(dozer_test::check([] {
    const int first = *rc::gen::inRange(-5000, 5000);
    const int count = any_count();
    const dozer::loop_options options = any_grain(count);
    const int most = options.grain == 0 ? count : static_cast<int>(options.grain);
    const int failures = dozer_test::failures_everywhere([&] {
      marks ran(count);
      std::atomic<bool> fits{true};
      dozer::parallel_for_blocks(
          first, first + count,
          [&](int b, int e) {
            fits = fits && b < e && e - b <= most;
            for (int i = b; i != e; ++i) {
              ran.at(i - first);
            }
          },
          options);
      return fits && ran.once_each();
    });
    RC_ASSERT(failures == 0);
  }));
}

struct grid {
  int planes, rows, columns;
  [[nodiscard]] int cells() const { return std::max(planes, 0) * std::max(rows, 0) * std::max(columns, 0); }
};

/// Some have no cells, some are smaller than a tile, most have several tiles in each direction. Now and then one has
/// 200,000 cells or more.
grid any_grid(int most_planes) {
  const auto extent = [](int most) {
    return *rc::gen::oneOf(rc::gen::element(-1, 0, 1, 2, 3), rc::gen::inRange(0, most), rc::gen::inRange(0, most));
  };
  if (once_in(20)) {
    const int planes = *rc::gen::inRange(1, most_planes + 1), rows = *rc::gen::inRange(1, 500);
    return {planes, rows, 200'000 / (planes * rows) + 1};
  }
  return {extent(most_planes + 1), extent(150), extent(50)};
}

TEST(ParallelFor, EveryCellOfAGridOnce) {
  EXPECT_TRUE(dozer_test::check([] {
    grid of = any_grid(1);
    of.planes = 1;
    const dozer::loop_options options = any_grain(of.cells());
    const int failures = dozer_test::failures_everywhere([&] {
      marks ran(of.cells());
      dozer::parallel_for_2d(
          of.rows, of.columns, [&](int i, int j) { ran.at(i * of.columns + j); }, options);
      return ran.once_each();
    });
    RC_ASSERT(failures == 0);
  }));
  EXPECT_THROW(dozer::parallel_for_2d(std::uint64_t{1} << 33, std::uint64_t{1} << 33, [](auto, auto) {}),
               std::length_error);
}

TEST(ParallelFor, EveryCellOfAGridOfThreeDimensionsOnce) {
  EXPECT_TRUE(dozer_test::check([] {
    const grid of = any_grid(10);
    const dozer::loop_options options = any_grain(of.cells());
    const int failures = dozer_test::failures_everywhere([&] {
      marks ran(of.cells());
      const auto mark = [&](int i, int j, int k) { ran.at((i * of.rows + j) * of.columns + k); };
      dozer::parallel_for_3d(of.planes, of.rows, of.columns, mark, options);
      return ran.once_each();
    });
    RC_ASSERT(failures == 0);
  }));
}

/// Also in the first microseconds of a loop, which run before the thread has a seat.
TEST(ParallelFor, IterationsOfALoopFromOutsideAreInThePool) {
  for (const int count : {1, 2, 100, 20'000}) {
    std::atomic<int> inside{0};
    dozer::worker_local<int> seen;
    parallel_for(0, count, [&](int i) {
      inside += dozer::current_thread_index().has_value();
      const auto [a, b] = dozer::join([i] { return i; }, [] { return 1; });
      seen.local() += b;
      parallel_for(0, 3, [&](int) { ++seen.local(); });
      EXPECT_EQ(a, i);
    });
    EXPECT_EQ(inside, count);
    EXPECT_EQ(seen.combine([](int a, int b) { return a + b; }), 4 * count);
    EXPECT_FALSE(dozer::current_thread_index().has_value()) << "the loop is over";
  }
}

/// A thread without a seat yet counts as one that may end a wait: else the global pool aborts.
TEST(ParallelFor, AJobMayWaitForALoopFromOutside) {
  dozer::event happened(dozer::wait_kind::pool, "happened");
  dozer::external_token until_it_begins;
  auto waits = dozer::global_pool().submit([&] { happened.wait(); });
  const auto somebody_is_blocked = [] {
    const auto members = dozer::global_pool().stats().members;
    return std::any_of(members.begin(), members.end(),
                       [](const auto& m) { return m.state == dozer::activity::blocked; });
  };
  parallel_for(0, 200, [&](int i) {
    if (i == 0) {
      EXPECT_TRUE(dozer_test::eventually(somebody_is_blocked));
      until_it_begins.drop();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));  // for a report that must not come
      happened.set();
    }
  });
  waits.get();
}

/// In its first microseconds, when it has no seat yet.
TEST(ParallelFor, AThreadFromOutsideIsShownInALoop) {
  static_cast<void>(dozer::global_pool());  // the loop that makes it sits down at once
  std::string shown;
  parallel_for(0, 200, [&](int i) {
    if (i == 0) {
      std::thread([&] { shown = dozer::dump_state(); }).join();
    }
  });
  EXPECT_NE(shown.find("guest in "), std::string::npos) << shown;
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

TEST(ParallelFor, ABodyThatForksWhileTheLoopIsStillAloneLosesNoRest) {
  dozer::thread_pool pool(2);
  for (int round = 0; round < 100; ++round) {
    std::atomic<int> run{0};
    pool.install([&] {
      dozer::parallel_for_blocks(0, 1000, [&](int first, int last) {
        run += last - first;
        if (first == 0) {  // a join whose other half is stolen, so that the head of the deque moves
          dozer_test::rendezvous both(2);
          dozer::join([&] { both.arrive_and_wait(); }, [&] { both.arrive_and_wait(); });
        }
      });
    });
    ASSERT_EQ(run.load(), 1000);
  }
}

/// The first iterations of a long loop run before its rest is forked. What they have forked may have been stolen, and
/// has moved the head of the deque.
TEST(ParallelFor, ALoopGoesOnWhereTheLoopsInsideItHaveLeftTheDeque) {
  constexpr int rows = 200, columns = 300, rounds = 300;
  dozer::thread_pool pool({.threads = 2});
  std::atomic<int> cells{0};
  for (int round = 0; round < rounds; ++round) {
    pool.install([&] { parallel_for(0, rows, [&](int) { parallel_for(0, columns, [&](int) { ++cells; }); }); });
  }
  EXPECT_EQ(cells.load(), rows * columns * rounds);
}

}  // namespace
