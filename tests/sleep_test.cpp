// What sleeping and waking costs, counted in events, and that every policy keeps the work going.
#include <dozer/detail/platform.hpp>

#include "support.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <string>
#include <vector>

namespace {

using dozer::thread_pool;
using dozer::wake_cause;
using dozer::wake_policy;
using dozer_test::all_asleep;
using dozer_test::eventually;

/// What happened in the pool between two looks.
dozer::member_stats since(thread_pool& pool, const dozer::member_stats& before) {
  dozer::member_stats now = pool.stats().total;
  now.jobs -= before.jobs;
  now.steals -= before.steals;
  now.injected -= before.injected;
  now.parks -= before.parks;
  now.wakes_fruitless -= before.wakes_fruitless;
  now.sleeps_cancelled -= before.sleeps_cancelled;
  now.heavy_fences -= before.heavy_fences;
  for (std::size_t i = 0; i < dozer::wake_causes; ++i) {
    now.wakes_sent[i] -= before.wakes_sent[i];
  }
  return now;
}

/// One injected job into a sleeping pool, until all sleep again.
dozer::member_stats after_one_injected_job(thread_pool& pool) {
  EXPECT_TRUE(all_asleep(pool));
  const auto before = pool.stats().total;
  std::atomic<bool> ran{false};
  pool.spawn([&] { ran = true; });
  EXPECT_TRUE(eventually([&] { return ran.load(); }));
  EXPECT_TRUE(all_asleep(pool));
  return since(pool, before);
}

// ---- costs --------------------------------------------------------------------------------------

TEST(Cost, OneInjectedJobIntoASleepingPoolOfEightWakesOne) {
  thread_pool pool(8);
  for (int i = 0; i < 20; ++i) {
    const auto happened = after_one_injected_job(pool);
    EXPECT_EQ(happened.wakes(wake_cause::job_injected), 1u);
    EXPECT_EQ(happened.all_wakes_sent(), 1u);
    EXPECT_EQ(happened.sleeps_cancelled, 0u);
    EXPECT_EQ(happened.parks, 1u);
    EXPECT_EQ(happened.wakes_fruitless, 0u);
  }
}

TEST(Cost, AGuestThatForksNothingWakesNobody) {
  thread_pool pool(4);
  ASSERT_TRUE(all_asleep(pool));
  const auto before = pool.stats().total;
  for (int i = 0; i < 1000; ++i) {
    pool.install([] {});
  }
  const auto happened = since(pool, before);
  EXPECT_EQ(happened.all_wakes_sent(), 0u);
  EXPECT_EQ(happened.sleeps_cancelled, 0u);
  EXPECT_EQ(happened.parks, 0u);
  EXPECT_EQ(pool.stats().asleep, 4u);
}

TEST(Cost, AGuestWhoseForksNobodyCanTakeWakesNobody) {
  thread_pool pool(1);  // the guest sits in the only seat
  ASSERT_TRUE(all_asleep(pool));
  const auto before = pool.stats().total;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(pool.install([] { return dozer_test::fib(10); }), 55);
  }
  const auto happened = since(pool, before);
  EXPECT_EQ(happened.all_wakes_sent(), 0u);
  EXPECT_EQ(happened.parks, 0u);
  EXPECT_EQ(happened.jobs, 0u);
}

TEST(Cost, AnUnstolenJoinNeverTouchesTheCountersNorTheKernel) {
  thread_pool pool(1);
  ASSERT_TRUE(all_asleep(pool));
  const auto before = pool.stats().total;
  EXPECT_EQ(pool.submit([] { return dozer_test::fib(15); }).get(), 610);
  ASSERT_TRUE(all_asleep(pool));
  const auto happened = since(pool, before);
  EXPECT_EQ(happened.jobs, 1u);  // the submitted one; no forked job went through a queue
  EXPECT_EQ(happened.parks, 1u);
}

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

TEST(Cost, APoolIdleForTwoSecondsUsesLessThanTwoMillisecondsOfCpu) {
  if (dozer_test::under_tsan) {
    // ThreadSanitizer's own background thread is counted too; what remains to check is that nobody stirs.
    thread_pool pool(8);
    ASSERT_TRUE(all_asleep(pool));
    const auto before = pool.stats().total;
    std::this_thread::sleep_for(std::chrono::seconds(2));
    EXPECT_EQ(since(pool, before).parks, 0u);
    return;
  }
  thread_pool pool(8);
  pool.install([] { return dozer_test::fib(20); });
  ASSERT_TRUE(all_asleep(pool));
  // Time that a virtual machine was kept from running may count as used. A pool that stirs uses it at every try.
  constexpr int tries = 5;
  double least = 1;
  for (int i = 0; i < tries && least >= 0.002; ++i) {
    const double before = cpu_seconds();
    std::this_thread::sleep_for(std::chrono::seconds(2));
    least = std::min(least, cpu_seconds() - before);
  }
  EXPECT_LT(least, 0.002);
}

TEST(Cost, ABatchOfJobsWakesNoMoreThanTheJobs) {
  thread_pool pool(8);
  ASSERT_TRUE(all_asleep(pool));
  const auto before = pool.stats().total;
  std::atomic<int> ran{0};
  for (int i = 0; i < 3; ++i) {
    pool.spawn([&] { ++ran; });
  }
  ASSERT_TRUE(eventually([&] { return ran.load() == 3; }));
  ASSERT_TRUE(all_asleep(pool));
  const auto happened = since(pool, before);
  EXPECT_GE(happened.all_wakes_sent(), 1u);
  EXPECT_LE(happened.all_wakes_sent(), 6u);  // one a post, and at most one when a searcher leaves with more in sight
}

// ---- policies -----------------------------------------------------------------------------------

TEST(WakePolicy, OneWakesASecondWhenTheFirstFindsTheJob) {
  thread_pool pool({.threads = 8, .idle = {.wake = wake_policy::one}});
  const auto happened = after_one_injected_job(pool);
  EXPECT_EQ(happened.wakes(wake_cause::job_injected), 1u);
  EXPECT_EQ(happened.wakes(wake_cause::search_left), 1u);
  EXPECT_GE(happened.wakes_fruitless, 1u);
}

TEST(WakePolicy, TwoWakesTwoMore) {
  thread_pool pool({.threads = 8, .idle = {.wake = wake_policy::two}});
  const auto happened = after_one_injected_job(pool);
  EXPECT_EQ(happened.wakes(wake_cause::job_injected), 1u);
  EXPECT_EQ(happened.wakes(wake_cause::search_left), 2u);
  EXPECT_GE(happened.wakes_fruitless, 2u);
}

TEST(WakePolicy, BlocksFillUpToAPowerOfTwo) {
  thread_pool pool({.threads = 8, .idle = {.wake = wake_policy::blocks}});
  const auto happened = after_one_injected_job(pool);
  EXPECT_EQ(happened.wakes(wake_cause::job_injected), 1u);  // from none to one
  EXPECT_EQ(happened.wakes(wake_cause::search_left), 1u);   // from one to two
}

TEST(WakePolicy, AllWakesAll) {
  thread_pool pool({.threads = 8, .idle = {.wake = wake_policy::all}});
  const auto happened = after_one_injected_job(pool);
  EXPECT_GE(happened.wakes(wake_cause::job_injected), 1u);
  // Whoever finds the job wakes all that the poster has not reached yet.
  EXPECT_GE(happened.wakes(wake_cause::job_injected) + happened.wakes(wake_cause::search_left), 8u);
}

std::string name_of_policy(const testing::TestParamInfo<wake_policy>& info) {
  static const char* const names[] = {"Frugal", "One", "Two", "Blocks", "All"};
  return names[static_cast<std::size_t>(info.param)];
}

class EachPolicy : public testing::TestWithParam<wake_policy> {};
INSTANTIATE_TEST_SUITE_P(Sleep, EachPolicy,
                         testing::Values(wake_policy::frugal, wake_policy::one, wake_policy::two, wake_policy::blocks,
                                         wake_policy::all),
                         name_of_policy);

TEST_P(EachPolicy, RunsEverythingFromInsideAndOutsideAlsoWithoutMembarrier) {
  for (const dozer::fence_policy fences : {dozer::fence_policy::automatic, dozer::fence_policy::full}) {
    thread_pool pool({.threads = 4, .idle = {.wake = GetParam(), .fences = fences}});
    for (int round = 0; round < 50; ++round) {
      std::atomic<int> ran{0};
      for (int i = 0; i < 5; ++i) {
        pool.spawn([&] { ++ran; });
      }
      EXPECT_EQ(pool.install([] { return dozer_test::fib(12); }), 144);
      ASSERT_TRUE(eventually([&] { return ran.load() == 5; }));
      if (round % 10 == 0) {
        ASSERT_TRUE(all_asleep(pool));
      }
    }
  }
}

TEST_P(EachPolicy, EveryMemberGetsAShareOfJobsThatMeet) {
  // n jobs that all wait for each other need n members: whoever is asleep must be woken for what is still there.
  thread_pool pool({.threads = 6, .idle = {.wake = GetParam()}});
  for (int round = 0; round < 20; ++round) {
    ASSERT_TRUE(all_asleep(pool));
    dozer_test::rendezvous from_outside(6);
    for (int i = 0; i < 6; ++i) {
      pool.spawn([&] { from_outside.arrive_and_wait(); });
    }
    ASSERT_TRUE(eventually([&] { return from_outside.all_here(); }));
    ASSERT_TRUE(all_asleep(pool));
    dozer_test::rendezvous from_inside(6);
    pool.install([&] {
      dozer::scope([&](dozer::spawner& s) {
        for (int i = 0; i < 6; ++i) {
          s.spawn([&] { from_inside.arrive_and_wait(); });
        }
      });
    });
  }
}

// ---- work conservation --------------------------------------------------------------------------

TEST(WorkConservation, JobsForkedJustAsTheOthersFallAsleepAreTaken) {
  // The owner forks after a random pause around the time at which the other gets sleepy, and then sits in a leaf that
  // ends only when the other has taken the job.
  thread_pool pool({.threads = 2, .idle = {.search_for = std::chrono::microseconds(5)}});
  std::mt19937_64 chance(dozer_test::seed());
  // As many as there is time for, and on a busy machine the first hundred.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  pool.install([&] {
    for (int rounds = 0; rounds < 100 || std::chrono::steady_clock::now() < end; ++rounds) {
      const auto pause = std::chrono::nanoseconds(chance() % 15'000);
      const auto until = std::chrono::steady_clock::now() + pause;
      while (std::chrono::steady_clock::now() < until) {
      }
      std::atomic<bool> taken{false};
      dozer::join([&] { ASSERT_TRUE(eventually([&] { return taken.load(); })); }, [&] { taken = true; });
    }
  });
}

TEST(WorkConservation, JobsInjectedJustAsTheLastFallsAsleepAreRun) {
  thread_pool pool({.threads = 2, .idle = {.search_for = std::chrono::microseconds(5)}});
  std::mt19937_64 chance(dozer_test::seed());
  // As many as there is time for, and on a busy machine the first thousand; a lost wake-up hangs.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  for (int rounds = 0; rounds < 1000 || std::chrono::steady_clock::now() < end; ++rounds) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::nanoseconds(chance() % 15'000);
    while (std::chrono::steady_clock::now() < until) {
    }
    std::atomic<bool> ran{false};
    pool.spawn([&] { ran = true; });
    while (!ran.load()) std::this_thread::yield();
  }
}

// ---- the jobs event counter at its wrap ---------------------------------------------------------

/// Joins by a guest, with a thief that comes and goes.
void expect_half_a_million_joins(thread_pool& pool) {
  constexpr int joins = 500'000;
  std::atomic<int> calls{0};
  pool.install([&] {
    for (int i = 0; i < joins; ++i) {
      dozer::join([&] { calls.fetch_add(1, std::memory_order_relaxed); },
                  [&] { calls.fetch_add(1, std::memory_order_relaxed); });
    }
  });
  EXPECT_EQ(calls.load(), 2 * joins);
  ASSERT_TRUE(all_asleep(pool));
}

TEST(JobsEventCounter, HalfAMillionJoinsAcrossItsWrap) {
  dozer::detail::hooks.jobs_event_counter_start.store(0xFFF0, dozer::detail::relaxed);
  thread_pool pool({.threads = 2, .idle = {.search_for = std::chrono::nanoseconds(0)}});
  dozer::detail::hooks.jobs_event_counter_start.store(-1, dozer::detail::relaxed);
  expect_half_a_million_joins(pool);
}

TEST(DequePositions, APoolWorksOnWhereAddressesOfSlotsWrapAndWhereAnIndexOnceEnded) {
  for (const unsigned bits : {46u, 61u}) {
    dozer::detail::hooks.deque_start.store((std::uint64_t{1} << bits) - 100, dozer::detail::relaxed);
    thread_pool pool({.threads = 2, .idle = {.search_for = std::chrono::nanoseconds(0)}});
    dozer::detail::hooks.deque_start.store(0, dozer::detail::relaxed);
    EXPECT_EQ(pool.install([] { return dozer_test::fib(20); }), 6765);
    expect_half_a_million_joins(pool);
  }
}

// ---- search policies ----------------------------------------------------------------------------

TEST(SearchPolicies, EachOfThemRunsWhatThereIsAndSleepsThen) {
  using dozer::search_policy;
  for (const auto policy :
       {search_policy::budget, search_policy::always_budget, search_policy::spins, search_policy::yields}) {
    thread_pool pool({.threads = 3, .idle = {.search = policy}});
    for (int i = 0; i < 20; ++i) {
      EXPECT_EQ(pool.install([] { return dozer_test::fib(12); }), 144);
      EXPECT_EQ(after_one_injected_job(pool).injected, 1u);
    }
  }
}

// ---- fences -------------------------------------------------------------------------------------

/// A detached job, by a guest that then waits, active, until all others sleep again.
void spawn_and_wait_inside(thread_pool& pool) {
  pool.install([&] {
    std::atomic<bool> ran{false};
    dozer::spawn([&] { ran = true; });
    EXPECT_TRUE(eventually([&] { return ran.load() && pool.stats().asleep == pool.threads() - 1; }));
  });
}

TEST(Fences, WithoutMembarrierThePoolFallsBackToFullFences) {
  dozer::detail::hooks.deny_process_fence.store(true, dozer::detail::relaxed);
  thread_pool pool(3);
  dozer::detail::hooks.deny_process_fence.store(false, dozer::detail::relaxed);
  EXPECT_EQ(pool.install([] { return dozer_test::fib(18); }), 2584);
  ASSERT_TRUE(all_asleep(pool));
  spawn_and_wait_inside(pool);
  EXPECT_GT(pool.stats().total.heavy_fences, 0u);
}

TEST(Fences, WhileAllOthersSleepNobodyTakesAHeavyOne) {
  thread_pool pool(4);
  ASSERT_TRUE(all_asleep(pool));
  EXPECT_EQ(after_one_injected_job(pool).heavy_fences, 0u);
}

TEST(Fences, TheLastOfThePoolToFallAsleepTakesAHeavyOneIfSomebodyIsActive) {
  thread_pool pool(4);
  ASSERT_TRUE(all_asleep(pool));
  const auto before = pool.stats().total;
  spawn_and_wait_inside(pool);
  // The woken one: alone when it leaves the search, with others asleep, and again when it goes back to sleep. It is
  // counted as asleep before the second one.
  EXPECT_TRUE(eventually([&] { return since(pool, before).heavy_fences >= 2; }));
  EXPECT_EQ(since(pool, before).heavy_fences, 2u);
}

}  // namespace
