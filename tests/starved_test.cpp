// Jobs that are queued while all of a pool wait: a spare worker runs them, or they starve and it is said.
#include <dozer/dozer.hpp>

#include <gtest/gtest.h>

#include <vector>

#include "deadlock_support.hpp"
#include "support.hpp"

namespace {

using dozer::deadlock_action;
using dozer::deadlock_report;
using dozer::wait_kind;
using dozer_test::eventually;
using dozer_test::reports;
using dozer_test::says;

/// All wait for what is still queued: a spare worker runs it.
TEST(Deadlock, JobsQueuedWhileAllWaitAreRunByASpare) {
  reports seen;
  dozer::event happened(wait_kind::pool, "happened");
  dozer::thread_pool pool(seen.options(2));
  pool.install([&] {
    dozer::scope([&](dozer::spawner& s) {
      for (int i = 0; i < 3; ++i) {
        s.spawn([&] { happened.wait(); });
      }
      pool.spawn([&] { happened.set(); });
      happened.wait();
    });
  });
  EXPECT_EQ(seen.count(), 0u);
}

/// Also if it comes when all wait already, and though another pool runs, so that nothing stands still.
TEST(Deadlock, AJobThatComesWhileAllWaitIsRunByASpare) {
  reports seen;
  dozer::event happened(wait_kind::pool, "happened");
  const dozer::external_token we_still_come;
  dozer::thread_pool pool(seen.options(2));
  std::vector<dozer::future<void>> waiting;
  for (int i = 0; i < 2; ++i) {
    waiting.push_back(pool.submit([&] { happened.wait(); }));
  }
  EXPECT_TRUE(dozer_test::both_blocked(pool));
  pool.spawn([&] { happened.set(); });
  for (auto& each : waiting) {
    each.get();
  }
  EXPECT_EQ(seen.count(), 0u);
}

TEST(Deadlock, WithoutSparesItSaysThatTheQueuedJobsStarve) {
  reports seen;
  dozer::pool_options options = seen.options(1);
  options.max_spares = 0;
  dozer::event happened(wait_kind::pool, "happened");
  dozer::thread_pool pool(options);
  auto waiting = pool.submit([&] {
    pool.spawn([&] { happened.set(); });
    happened.wait();
  });
  EXPECT_THROW(waiting.get(), dozer::deadlock_error);
  const deadlock_report r = seen.only();
  EXPECT_EQ(r.what_is_wrong, deadlock_report::trouble::starved);
  EXPECT_EQ(r.jobs_left, 1u);
  EXPECT_TRUE(says(r.summary, "Starved: 1 job is queued, no worker is free")) << r.summary;
}

/// It has been told, and nobody was released; but now there is a job to run, and nobody free to run it.
TEST(Deadlock, AfterAReportJobsThatComeAreRun) {
  reports seen;
  dozer::event happened(wait_kind::pool, "happened");
  dozer::thread_pool pool(seen.options(1, deadlock_action::proceed));
  auto waiting = pool.submit([&] { happened.wait(); });
  EXPECT_TRUE(eventually([&] { return seen.count() == 1; }));
  pool.spawn([&] { happened.set(); });
  waiting.get();
  EXPECT_EQ(seen.count(), 1u);
}

}  // namespace
