// Where threads may run, and that workers may always run where they could before.
#include <dozer/detail/platform.hpp>
#include <dozer/detail/shunned.hpp>
#include <dozer/dozer.hpp>

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "support.hpp"

namespace {

namespace detail = dozer::detail;

cpu_set_t affinity() {
  cpu_set_t now;
  EXPECT_EQ(sched_getaffinity(0, sizeof now, &now), 0);
  return now;
}
cpu_set_t only(int processor) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  return one;
}
bool same(const cpu_set_t& a, const cpu_set_t& b) { return CPU_EQUAL(&a, &b) != 0; }
int processors() {
  const cpu_set_t now = affinity();
  return CPU_COUNT(&now);
}

TEST(Processor, AThreadIsKeptOffOneAndMayGoBackAfterwards) {
  const cpu_set_t before = affinity();
  const int here = detail::current_processor();
  {
    const detail::kept_off elsewhere(here, 1);
    cpu_set_t others = before;
    CPU_CLR(here, &others);
    const bool there_are_others = CPU_COUNT(&others) != 0;
    EXPECT_EQ(detail::current_processor() != here, there_are_others);
    EXPECT_TRUE(same(affinity(), there_are_others ? others : before));
  }
  EXPECT_TRUE(same(affinity(), before));
}

TEST(Processor, AThreadIsNotKeptOffIfTooFewAreLeft) {
  const cpu_set_t before = affinity();
  const detail::kept_off elsewhere(detail::current_processor(), static_cast<std::uint32_t>(processors()));
  EXPECT_TRUE(same(affinity(), before));
}

TEST(Processor, AWishFromElsewhereIsRespected) {
  const cpu_set_t before = affinity();
  const cpu_set_t wish = only(detail::current_processor());
  {
    const detail::kept_off elsewhere(detail::current_processor(), 1);
    ASSERT_EQ(sched_setaffinity(0, sizeof wish, &wish), 0);
  }
  EXPECT_TRUE(same(affinity(), wish));
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

TEST(Processor, AThreadDoesNotComeToWhereItMightNotRunBefore) {
  const cpu_set_t before = affinity();
  const int here = detail::current_processor();
  const cpu_set_t wish = only(here);
  ASSERT_EQ(sched_setaffinity(0, sizeof wish, &wish), 0);
  { const detail::kept_off elsewhere(here == 0 ? 1 : 0, 1); }
  EXPECT_TRUE(same(affinity(), wish));
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

TEST(Processor, AWorkerShunsWhereItCameUpBesideItsWaker) {
  detail::shunned mine;
  EXPECT_EQ(mine.in_this_sleep(), detail::no_processor);
  // Pinned, so that it is the same one at each look.
  const cpu_set_t before = affinity();
  const int here = detail::current_processor();
  const cpu_set_t pinned = only(here);
  ASSERT_EQ(sched_setaffinity(0, sizeof pinned, &pinned), 0);
  mine.woken(here);
  EXPECT_EQ(mine.in_this_sleep(), here);
  mine.woken(here + 1);
  EXPECT_EQ(mine.in_this_sleep(), here) << "as it should be: nothing to learn";
  mine.woken(detail::no_processor);
  EXPECT_EQ(mine.in_this_sleep(), detail::no_processor) << "its waker had nothing more to do there";

  mine.woken(here);
  int sleeps = 0;
  while (mine.in_this_sleep() == here && sleeps < 1000) {
    ++sleeps;
    mine.woken(here + 1);
  }
  EXPECT_GT(sleeps, 10);
  EXPECT_LT(sleeps, 1000) << "it never tries again";
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

TEST(Processor, WorkersAreKeptOffWhileTheySleepAndMayRunWhereTheyCouldAtFirst) {
  struct pretence {
    explicit pretence(int processor) { detail::hooks.processor.store(processor, dozer::detail::relaxed); }
    ~pretence() { detail::hooks.processor.store(detail::no_processor, dozer::detail::relaxed); }
  };
  dozer::thread_pool pool(2);
  const auto masks = [&] { return pool.broadcast([](dozer::broadcast_context) { return affinity(); }); };
  const auto before = masks();
  const auto threads = pool.broadcast([](dozer::broadcast_context) { return gettid(); });
  {
    const int here = detail::current_processor();
    const pretence all_are_here(here);
    const auto somebody_is_kept_off = [&] {
      return std::any_of(threads.begin(), threads.end(), [&](pid_t thread) {
        cpu_set_t allowed;
        return sched_getaffinity(thread, sizeof allowed, &allowed) == 0 && CPU_ISSET(here, &allowed) == 0;
      });
    };
    for (int i = 0; i < 10; ++i) {
      ASSERT_TRUE(dozer_test::all_asleep(pool));
      std::atomic<bool> stolen{false};
      pool.install([&] {
        dozer::join([&] { EXPECT_TRUE(dozer_test::eventually([&] { return stolen.load(); })); },
                    [&] { stolen = true; });
      });
      EXPECT_TRUE(dozer_test::eventually([&] { return processors() < 2 || somebody_is_kept_off(); }));
    }
  }
  const auto after = masks();
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_TRUE(same(before[i], after[i])) << "worker " << i;
  }
}

}  // namespace
