// Every allocation fails in turn, and every start of a thread: pools, and all ways to bring work into them. Each time
// an exception says so or there is a fallback, nothing is left behind, and the pool works on or is gone.
#include "faults.hpp"

#include "topology/topology.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

using dozer_test::expect_usable;
using dozer_test::fail_each;
using dozer_test::fault;
using dozer_test::trial;

/// What detached jobs throw, if they throw: only what says that there was no memory.
dozer::pool_options options(unsigned threads) {
  dozer::pool_options o;
  o.threads = threads;
  o.on_unhandled = [](std::exception_ptr error) {
    EXPECT_THROW(std::rethrow_exception(std::move(error)), std::bad_alloc);
  };
  return o;
}

/// A pool that is made while nothing fails, used while something does, and that still works afterwards.
template <class Use>
void fail_each_allocation(unsigned threads, Use use) {
  fail_each(fault::allocation, [&](trial& now) {
    dozer::thread_pool pool(options(threads));
    now.run([&] { use(pool); });
    expect_usable(pool);
  });
}

// ---- pools --------------------------------------------------------------------------------------

// First: until it has succeeded once, there is no global pool.
TEST(Faults, TheGlobalPoolIsMadeOnceThereIsMemoryForIt) {
  const unsigned threads = dozer::detail::default_num_threads();
  { const dozer::thread_pool makes_what_is_kept_for_ever(1); }
  for (std::uint64_t k = 1;; ++k) {
    const std::int64_t memory = dozer_test::live_allocations();
    const unsigned before = dozer_test::threads_of_the_process();
    trial now(fault::allocation, k);
    if (now.run([&] { EXPECT_EQ(dozer::current_num_threads(), threads); })) {
      std::printf("made after %llu failures\n", static_cast<unsigned long long>(k - 1));
      break;
    }
    ASSERT_TRUE(now.has_failed());
    ASSERT_TRUE(dozer_test::eventually([&] { return dozer_test::threads_of_the_process() == before; }));
    ASSERT_EQ(dozer_test::live_allocations(), memory);
  }
  EXPECT_EQ(dozer_test::fib(8), 21);
  EXPECT_EQ(dozer::submit([] { return 5; }).get(), 5);
}

TEST(Faults, TheDefaultSizeIsTheSameOrNoMemoryIsSaid) {
  const unsigned threads = dozer::detail::default_num_threads();
  const std::optional<unsigned> granted = dozer::detail::cpus_by_cgroup("");
  fail_each(fault::allocation, [&](trial& now) {
    const bool through = now.run([&] {
      EXPECT_EQ(dozer::detail::default_num_threads(), threads);
      EXPECT_EQ(dozer::detail::cpus_by_cgroup(""), granted);
    });
    EXPECT_EQ(through, !now.has_failed());
  });
}

/// All that a pool can be told to have.
dozer::pool_options many_options(bool fewer) {
  dozer::pool_options o = options(3);
  o.name = "a name that is too long to be kept without memory";
  o.allow_fewer_threads = fewer;
  o.stall_after = std::chrono::hours(1);
  o.on_thread_start = [](unsigned) {};
  return o;
}

void make_pool_and_use_it(trial& now, bool fewer) {
  std::optional<dozer::thread_pool> pool;
  const bool made = now.run([&] { pool.emplace(many_options(fewer)); });
  ASSERT_EQ(made, pool.has_value());
  if (made) {
    EXPECT_TRUE(fewer ? pool->threads() >= 1 : pool->threads() == 3);
    expect_usable(*pool);
  }
}

TEST(Faults, APoolIsMadeOrThrowsAndIsGone) {
  fail_each(fault::allocation, [](trial& now) { make_pool_and_use_it(now, false); });
  fail_each(fault::thread, [](trial& now) { make_pool_and_use_it(now, false); });
  fail_each(fault::all_threads, [](trial& now) { make_pool_and_use_it(now, false); });
}

/// The list of all pools grows when there are more than ever before.
TEST(Faults, APoolMoreThanEverIsMadeOrThrowsAndIsGone) {
  std::vector<std::unique_ptr<dozer::thread_pool>> others;
  for (int i = 0; i < 10; ++i) {
    others.push_back(std::make_unique<dozer::thread_pool>(1));
  }
  bool made = false;
  for (std::uint64_t k = 1; !made && !HasFailure(); ++k) {
    const std::int64_t memory = dozer_test::live_allocations();
    std::optional<dozer::thread_pool> pool;
    trial now(fault::allocation, k);
    made = now.run([&] { pool.emplace(2); });
    if (made) {
      EXPECT_FALSE(now.has_failed());
      expect_usable(*pool);
    } else {
      EXPECT_EQ(dozer_test::live_allocations(), memory) << "with the failure of number " << k;
    }
  }
}

TEST(Faults, APoolThatMayHaveFewerThreadsIsMadeWithThoseThatThereAre) {
  fail_each(fault::allocation, [](trial& now) { make_pool_and_use_it(now, true); });
  fail_each(fault::thread, [](trial& now) { make_pool_and_use_it(now, true); });
  fail_each(fault::all_threads, [](trial& now) { make_pool_and_use_it(now, true); });
}

// ---- forks --------------------------------------------------------------------------------------

/// More levels than a deque has room for at first.
long nested(int levels) {
  if (levels == 0) {
    return 0;
  }
  return dozer::join([=] { return nested(levels - 1); }, [] { return 1L; }).first + 1;
}

long nested_in_threes(int levels) {
  if (levels == 0) {
    return 0;
  }
  const auto [a, b, c] =
      dozer::join([=] { return nested_in_threes(levels - 1); }, [] { return 1L; }, [] { return 1L; });
  return a + b + c;
}

TEST(Faults, AJoinRunsOrThrows) {
  fail_each_allocation(2, [](dozer::thread_pool& pool) {
    EXPECT_EQ(pool.install([] { return nested(300); }), 300);
    EXPECT_EQ(pool.install([] { return nested_in_threes(150); }), 300);
    EXPECT_EQ(pool.submit([] { return nested(100) + dozer_test::fib(10); }).get(), 155);
  });
}

TEST(Faults, ALoopRunsOrThrows) {
  fail_each_allocation(2, [](dozer::thread_pool& pool) {
    std::atomic<int> sum{0};
    pool.install([&] {
      dozer::parallel_for(0, 1000, [&](int) { ++sum; });
      dozer::parallel_for(0, 8, [&](int) { sum += static_cast<int>(std::make_unique<std::string>(100, 'x')->size()); });
    });
    EXPECT_EQ(sum, 1800);
  });
}

/// More loops inside each other than a deque has room for at first. None of them needs memory of its own.
void nested_loops(int levels, std::atomic<int>& ran) {
  if (levels != 0) {
    dozer::parallel_for(0, 3, [&](int i) {
      ++ran;
      if (i == 0) {
        nested_loops(levels - 1, ran);
      }
    });
  }
}

TEST(Faults, ALoopNeverThrowsBecauseTheDequeCannotGrow) {
  fail_each(fault::allocation, [&](trial& now) {
    dozer::thread_pool pool(options(2));
    std::atomic<int> ran{0};
    EXPECT_TRUE(now.run([&] {
      pool.install([&] {
        nested_loops(200, ran);
        dozer::parallel_for(0, 1000, [&](int i) {
          if (i == 0) {
            nested_loops(200, ran);
          }
        });
      });
    }));
    EXPECT_EQ(ran.load(), 1200);
  });
}

TEST(Faults, AnAlgorithmRunsOrThrowsAndLosesNoElement) {
  std::vector<int> numbers(20'000), out(numbers.size());
  for (int i = 0; i < 20'000; ++i) {
    numbers[static_cast<std::size_t>(i)] = i * 7919 % 20'000;
  }
  const auto even = [](int n) { return n % 2 == 0; };
  fail_each(fault::allocation, [&](trial& now) {
    dozer::thread_pool pool(options(2));
    auto a = numbers, b = numbers, c = numbers, d = numbers;
    now.run([&] {
      pool.install([&] {
        dozer::sort(a);
        dozer::stable_sort(b, [](int x, int y) { return x < y; });
        EXPECT_EQ(dozer::partition(c, even) - c.begin(), 10'000);
        EXPECT_EQ(dozer::stable_partition(d, even) - d.begin(), 10'000);
        EXPECT_EQ(dozer::copy_if(numbers, out.begin(), even) - out.begin(), 10'000);
        EXPECT_EQ(dozer::reduce(numbers, 0L, [](long x, long y) { return x + y; }), 199'990'000);
        EXPECT_EQ(dozer::inclusive_scan(numbers, out.begin()), out.end());
        EXPECT_EQ(dozer::histogram(numbers, 2, even)[1], 10'000u);
      });
    });
    for (auto* v : {&a, &b, &c, &d}) {
      std::sort(v->begin(), v->end());
      EXPECT_TRUE(std::adjacent_find(v->begin(), v->end(), std::greater_equal<>()) == v->end());
    }
    expect_usable(pool);
  });
}

TEST(Faults, AScopeRunsWhatWasSpawnedInItOrThrows) {
  fail_each_allocation(2, [](dozer::thread_pool& pool) {
    std::atomic<int> ran{0};
    int spawned = 0;
    const auto spawn_many = [&](dozer::spawner& s) {
      for (int i = 0; i < 100; ++i) {
        s.spawn([&ran](dozer::spawner& inner) {
          ++ran;
          inner.spawn([&ran] { ++ran; });
        });
        ++spawned;
      }
    };
    try {
      pool.install([&] { dozer::scope(spawn_many); });
      pool.install([&] { dozer::scope(dozer::fifo, spawn_many); });
    } catch (const std::bad_alloc&) {
      EXPECT_TRUE(ran == 2 * spawned || ran == 2 * spawned - 1) << ran << " of " << spawned;
      throw;
    }
    EXPECT_EQ(ran, 400);
  });
}

// ---- posts --------------------------------------------------------------------------------------

TEST(Faults, ASpawnedJobRunsOrItsSpawnThrows) {
  fail_each(fault::allocation, [&](trial& now) {
    std::atomic<int> ran{0};
    std::atomic<int> refused{0};
    int spawned = 0;
    {
      dozer::thread_pool pool(options(2));
      const auto spawn_one = [&](auto... in_order) {
        pool.spawn(in_order..., [&ran, &refused, large = std::vector<int>(3)] {
          ++ran;
          ++refused;
          // More than there is room for at first: some of these may throw, and that goes to on_unhandled.
          for (int i = 0; i < 70; ++i) {
            dozer::spawn([&ran] { ++ran; });
            dozer::spawn(dozer::fifo, [&ran] { ++ran; });
          }
          --refused;
        });
        ++spawned;
      };
      now.run([&] {
        spawn_one();
        spawn_one(dozer::fifo);
        spawn_one();
        pool.install([&] { spawn_one(dozer::fifo); });
        ASSERT_TRUE(dozer_test::eventually([&] { return ran + refused * 140 >= 4 * 141; }));
      });
      expect_usable(pool);
    }
    EXPECT_LE(refused, 1);
    EXPECT_TRUE(refused == 1 ? ran < spawned * 141 : ran == spawned * 141) << ran << " " << spawned << " " << refused;
  });
}

TEST(Faults, AFutureBringsItsResultOrAnException) {
  fail_each_allocation(2, [](dozer::thread_pool& pool) {
    const auto text = [] { return std::string(100, 'x'); };
    auto first = pool.submit(text);
    auto second =
        pool.submit(text).then([](std::string t) { return t + "y"; }).then([](std::string t) { return t.size(); });
    auto third = pool.submit([text] {
      auto inner = dozer::submit(text).then([](const std::string& t) { return t.size(); });
      return inner.get();
    });
    EXPECT_EQ(first.get().size(), 100u);
    EXPECT_EQ(second.get(), 101u);
    EXPECT_EQ(third.get(), 100u);
  });
}

/// What completes a future cannot fail: a continuation for which the deque has no room goes into the injector.
TEST(Faults, ContinuationsRunAlsoWhereTheDequeHasNoRoom) {
  int fallbacks = 0;
  fail_each(fault::allocation, [&](trial& now) {
    constexpr int count = 100;  // more than there is room for at first
    std::atomic<int> may_end{0};
    dozer::thread_pool pool(options(1));
    const bool through = now.run([&] {
      for (int i = 0; i < count; ++i) {
        auto before = pool.submit([&may_end, i] {
          while (may_end <= i) {
            std::this_thread::yield();
          }
          return i;
        });
        dozer::future<int> after;
        try {
          after = before.then([](int n) { return n; });
        } catch (const std::bad_alloc&) {
          EXPECT_TRUE(before.valid());
          may_end = count;
          EXPECT_EQ(before.get(), i);
          throw;
        }
        ++may_end;  // not sooner, so that it is the worker that posts the continuation
        EXPECT_EQ(after.get(), i);
      }
    });
    fallbacks += through && now.has_failed() ? 1 : 0;
    may_end = count;
    expect_usable(pool);
  });
  EXPECT_GE(fallbacks, 1);
}

TEST(Faults, ABroadcastRunsInEverySeatOrNowhere) {
  fail_each_allocation(3, [](dozer::thread_pool& pool) {
    std::atomic<int> ran{0};
    bool first = true;
    try {
      const std::vector<unsigned> indices = pool.broadcast([&](dozer::broadcast_context c) {
        ++ran;
        return c.index();
      });
      EXPECT_EQ(ran, 3);
      EXPECT_EQ(indices[2], 2u);
      first = false;
      pool.install([&] { dozer::broadcast([&](dozer::broadcast_context) { ++ran; }); });
    } catch (const std::bad_alloc&) {
      EXPECT_EQ(ran, first ? 0 : 3);
      throw;
    }
    EXPECT_EQ(ran, 6);
  });
}

TEST(Faults, ACallIntoAnotherPoolReturnsOrThrows) {
  fail_each(fault::allocation, [](trial& now) {
    dozer::thread_pool pool(options(2)), other(options(1));
    now.run([&] {
      const auto size = [&] {
        return other.install([&] { return nested(static_cast<int>(std::string(100, 'x').size())); });
      };
      EXPECT_EQ(pool.install(size), 100);
      EXPECT_EQ(pool.submit(size).get(), 100);
      EXPECT_EQ(pool.submit([&] { return other.submit(size).get(); }).get(), 100);
    });
    expect_usable(pool);
    expect_usable(other);
  });
}

TEST(Faults, APoolInsideAPoolIsMadeOrThrows) {
  fail_each(fault::allocation, [](trial& now) {
    dozer::thread_pool pool(options(2));
    now.run([&] {
      pool.submit([] {
            dozer::thread_pool inner(options(2));
            EXPECT_EQ(inner.install([] { return nested(80); }), 80);
          })
          .get();
    });
    expect_usable(pool);
  });
}

TEST(Faults, WorkerLocalValuesAreMadeOrThrow) {
  fail_each_allocation(2, [](dozer::thread_pool& pool) {
    dozer::worker_local<std::string> texts(pool, [] { return std::string(100, 'x'); });
    pool.install([&] { dozer::parallel_for(0, 100, [&](int) { texts.local().back() = 'y'; }); });
    const std::string last = texts.combine([](std::string, const std::string& b) { return b; });
    std::string expected(100, 'x');
    expected.back() = 'y';
    EXPECT_EQ(last, expected);
  });
}

TEST(Faults, AnIsolationRunsOrThrows) {
  fail_each_allocation(2, [](dozer::thread_pool& pool) {
    std::atomic<int> ran{0};
    pool.install([&] {
      dozer::isolate([&] {
        EXPECT_EQ(nested(100), 100);
        dozer::scope(dozer::fifo, [&](dozer::spawner& s) { s.spawn([&] { ++ran; }); });
        auto inside = dozer::submit([] { return 2; }).then([](int n) { return n; });
        dozer::spawn(dozer::fifo, [] {});  // in a line of the isolation
        ran += inside.get();
      });
    });
    EXPECT_EQ(ran, 3);
  });
}

}  // namespace
