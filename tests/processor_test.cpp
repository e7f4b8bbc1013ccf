// Where threads may run, and that workers may always run where they could before.
#include <dozer/detail/platform.hpp>
#include <dozer/detail/shunned.hpp>
#include <dozer/dozer.hpp>

#include "platform/affinity.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

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
  const int here = detail::current_processor();
  const cpu_set_t wish = only(here);
  {
    const detail::kept_off elsewhere(here, 1);
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

/// A system with one thread, as Linux 6.2 and later has it: the thread may run on those that it has asked for, as far
/// as they are in the cpuset; on all of that if none are. Nothing was asked for at first.
class KeptOff : public testing::Test {
 protected:
  KeptOff() : real_(detail::affinity_of_system) {
    self = this;
    detail::affinity_of_system = {
        [](pid_t, std::size_t size, cpu_set_t* into) {
          CPU_ZERO_S(size, into);
          *into = self->allowed();
          return 0;
        },
        [](pid_t, std::size_t, const cpu_set_t* to) { return self->ask(*to) ? 0 : (errno = EINVAL, -1); }};
  }
  ~KeptOff() override { detail::affinity_of_system = real_; }

  bool ask(const cpu_set_t& wanted) {
    cpu_set_t both;
    CPU_AND(&both, &wanted, &cpuset_);
    if (CPU_COUNT(&both) == 0) {
      return false;
    }
    asked_ = wanted;
    has_asked_ = true;
    return true;
  }
  void ask(std::initializer_list<int> wanted) { ASSERT_TRUE(ask(set_of(wanted))); }
  void cpuset_becomes(std::initializer_list<int> now) { cpuset_ = set_of(now); }

  [[nodiscard]] bool may_run_on(std::initializer_list<int> these) const {
    const cpu_set_t now = allowed(), expected = set_of(these);
    return same(now, expected);
  }

 private:
  static cpu_set_t set_of(std::initializer_list<int> processors) {
    cpu_set_t out;
    CPU_ZERO(&out);
    for (const int p : processors) {
      CPU_SET(p, &out);
    }
    return out;
  }
  [[nodiscard]] cpu_set_t allowed() const {
    cpu_set_t both;
    CPU_AND(&both, &asked_, &cpuset_);
    return has_asked_ && CPU_COUNT(&both) != 0 ? both : cpuset_;
  }

  static inline KeptOff* self = nullptr;
  cpu_set_t cpuset_{}, asked_{};
  bool has_asked_ = false;
  detail::affinity_calls real_;
};

TEST_F(KeptOff, ProcessorsThatComeWhileItSleepsAreUsedAfterwards) {
  cpuset_becomes({0, 1});
  {
    const detail::kept_off elsewhere(1, 1);
    EXPECT_TRUE(may_run_on({0}));
    cpuset_becomes({0, 1, 2, 3});
  }
  EXPECT_TRUE(may_run_on({0, 1, 2, 3}));
}

TEST_F(KeptOff, ProcessorsThatComeLaterAreUsedAsWell) {
  cpuset_becomes({0, 1});
  { const detail::kept_off elsewhere(1, 1); }
  cpuset_becomes({0, 1, 2});
  EXPECT_TRUE(may_run_on({0, 1, 2}));
}

TEST_F(KeptOff, ProcessorsThatGoWhileItSleepsAreLeftAndTheOneItWasKeptOffComesBack) {
  cpuset_becomes({0, 1, 2, 3});
  {
    const detail::kept_off elsewhere(1, 1);
    EXPECT_TRUE(may_run_on({0, 2, 3}));
    cpuset_becomes({0, 1});
  }
  EXPECT_TRUE(may_run_on({0, 1}));
  cpuset_becomes({0, 1, 2, 3});
  EXPECT_TRUE(may_run_on({0, 1, 2, 3})) << "and those that come again are used again";
}

TEST_F(KeptOff, ThatOnlyTheOneItWasKeptOffIsLeftIsNoTrap) {
  cpuset_becomes({0, 1});
  {
    const detail::kept_off elsewhere(1, 1);
    cpuset_becomes({1});
  }
  EXPECT_TRUE(may_run_on({1}));
  cpuset_becomes({0, 1});
  EXPECT_TRUE(may_run_on({0, 1}));
}

TEST_F(KeptOff, AWishFromElsewhereWhileItSleepsIsKept) {
  cpuset_becomes({0, 1, 2, 3});
  for (const std::initializer_list<int> wish : {std::initializer_list<int>{1}, {0}, {2, 3}, {0, 1, 2, 3}, {0, 1}}) {
    ask({0, 1, 2, 3});
    {
      const detail::kept_off elsewhere(1, 1);
      ask(wish);
    }
    EXPECT_TRUE(may_run_on(wish));
  }
}

TEST_F(KeptOff, AWishIsKeptAlsoIfTheCpusetChangesInTheSameSleep) {
  cpuset_becomes({0, 1, 2, 3});
  {
    const detail::kept_off elsewhere(1, 1);
    ask({2, 3});
    cpuset_becomes({0, 1, 2});
  }
  EXPECT_TRUE(may_run_on({2}));
}

TEST_F(KeptOff, AWishOfBeforeStaysThroughChangesOfTheCpuset) {
  cpuset_becomes({0, 1, 2, 3});
  ask({1, 2});
  {
    const detail::kept_off elsewhere(1, 1);
    EXPECT_TRUE(may_run_on({2}));
    cpuset_becomes({0, 1, 2, 3, 4});
  }
  EXPECT_TRUE(may_run_on({1, 2}));
  {
    const detail::kept_off elsewhere(1, 1);
    cpuset_becomes({0, 1});  // which has nothing of what it asks for meanwhile
    EXPECT_TRUE(may_run_on({0, 1}));
  }
  EXPECT_TRUE(may_run_on({1}));
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

TEST(Processor, WorkersAreNotKeptOffIfTheOptionsSaySoOrTheyArePinned) {
  detail::hooks.processor.store(detail::current_processor(), dozer::detail::relaxed);
  for (const dozer::pinning pin : {dozer::pinning::none, dozer::pinning::spread}) {
    std::atomic<int> changes{0};
    static std::atomic<int>* counted;
    counted = &changes;
    const detail::affinity_calls real = detail::affinity_of_system;
    dozer::thread_pool pool({.threads = 2, .idle = {.avoid_waker = pin != dozer::pinning::none}, .pin = pin});
    ASSERT_TRUE(dozer_test::all_asleep(pool));
    pool.broadcast([](dozer::broadcast_context) {});  // so that all have started, and are pinned
    detail::affinity_of_system.set = [](pid_t thread, std::size_t size, const cpu_set_t* to) {
      ++*counted;
      return sched_setaffinity(thread, size, to);
    };
    for (int i = 0; i < 10; ++i) {
      ASSERT_TRUE(dozer_test::all_asleep(pool));
      std::atomic<bool> stolen{false};
      pool.install([&] {
        dozer::join([&] { EXPECT_TRUE(dozer_test::eventually([&] { return stolen.load(); })); },
                    [&] { stolen = true; });
      });
    }
    ASSERT_TRUE(dozer_test::all_asleep(pool));
    EXPECT_EQ(changes.load(), 0);
    detail::affinity_of_system = real;
  }
  detail::hooks.processor.store(detail::no_processor, dozer::detail::relaxed);
}

/// The processors of the calling thread's mask.
std::vector<int> allowed() {
  const cpu_set_t mask = affinity();
  std::vector<int> out;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &mask)) {
      out.push_back(i);
    }
  }
  return out;
}

TEST(Pinning, EachWorkerHasOneProcessorOfTheMaskAndTheyTakeTurns) {
  const std::vector<int> mask = allowed();
  for (const dozer::pinning pin : {dozer::pinning::compact, dozer::pinning::spread}) {
    const auto workers = static_cast<unsigned>(2 * mask.size());
    std::atomic<int> pinned_at_start{0};
    dozer::thread_pool pool(
        {.threads = workers, .on_thread_start = [&](unsigned) { pinned_at_start += processors() == 1; }, .pin = pin});
    const auto where = pool.broadcast([](dozer::broadcast_context) { return allowed(); });
    EXPECT_EQ(pinned_at_start.load(), static_cast<int>(workers));
    std::vector<int> first, second;
    for (unsigned i = 0; i < workers; ++i) {
      ASSERT_EQ(where[i].size(), 1u);
      (i < mask.size() ? first : second).push_back(where[i][0]);
      EXPECT_EQ(pool.stats().members[i].pinned_to, where[i][0]);
    }
    EXPECT_EQ(first, second) << "they start from the beginning";
    std::sort(first.begin(), first.end());
    EXPECT_EQ(first, mask) << "each processor has one worker";
    pool.install([&] { EXPECT_EQ(allowed(), mask) << "guests are not pinned"; });
  }
}

TEST(Pinning, TheMaskOfTheThreadThatMakesThePoolIsRespected) {
  const cpu_set_t before = affinity();
  const int last = allowed().back();
  const cpu_set_t one = only(last);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  {
    dozer::thread_pool pool({.threads = 2, .pin = dozer::pinning::compact});
    for (const std::vector<int>& where : pool.broadcast([](dozer::broadcast_context) { return allowed(); })) {
      EXPECT_EQ(where, std::vector<int>{last});
    }
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

TEST(Pinning, ASpareInThePlaceOfAPinnedWorkerIsNotPinned) {
  const std::vector<int> mask = allowed();
  std::atomic<bool> blocks{false}, over{false};
  dozer::thread_pool pool({.threads = 1, .pin = dozer::pinning::compact});
  pool.spawn([&] {
    dozer::blocking([&] {
      blocks = true;
      EXPECT_TRUE(dozer_test::eventually([&] { return over.load(); }));
    });
  });
  EXPECT_TRUE(dozer_test::eventually([&] { return blocks.load(); }));
  const auto [index, where] = pool.submit([] { return std::pair(dozer::current_thread_index(), allowed()); }).get();
  over = true;
  EXPECT_GT(index, 0u) << "not in the worker's seat";
  EXPECT_EQ(where, mask);
}

TEST(Pinning, WorkersAreNotPinnedByDefault) {
  dozer::thread_pool pool(2);
  const std::vector<int> mask = allowed();
  for (const std::vector<int>& where : pool.broadcast([](dozer::broadcast_context) { return allowed(); })) {
    EXPECT_EQ(where, mask);
  }
  EXPECT_EQ(pool.stats().members[0].pinned_to, -1);
}

}  // namespace
