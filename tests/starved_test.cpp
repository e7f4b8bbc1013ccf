// Jobs that are queued while all of a pool wait: a spare worker runs them, or they starve and it is said.
#include <dozer/dozer.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <thread>
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

int blocked(dozer::thread_pool& pool) {
  int count = 0;
  for (const dozer::member_snapshot& m : pool.stats().members) {
    count += m.state == dozer::activity::blocked ? 1 : 0;
  }
  return count;
}

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

// ---- waits for the world outside beside waits that only the pool can end ------------------------

/// Pool of one. The worker waits outside, with a lock; its spare waits for the lock; the job that would end the first
/// wait comes last.
TEST(Starved, AJobThatComesBesideBothKindsOfWaitIsRunByAnotherSpare) {
  for (const bool as_a_guest : {false, true}) {
    reports seen;
    dozer::mutex m("the lock");
    dozer::event outside("the world");  // an ordinary one
    std::atomic<bool> waits_outside{false};
    dozer::thread_pool pool(seen.options(1));
    const auto hold_and_wait = [&] {
      const dozer::mutex_guard hold(m);
      waits_outside = true;
      outside.wait();
    };
    std::thread guest;
    std::optional<dozer::future<void>> a;
    if (as_a_guest) {
      guest = std::thread([&] { pool.install(hold_and_wait); });
    } else {
      a = pool.submit(hold_and_wait);
    }
    EXPECT_TRUE(eventually([&] { return waits_outside.load(); }));
    auto b = pool.submit([&] { const dozer::mutex_guard hold(m); });
    EXPECT_TRUE(eventually([&] { return blocked(pool) == 2; }));
    auto c = pool.submit([&] { outside.set(); });
    c.get();
    b.get();
    as_a_guest ? guest.join() : std::move(*a).get();
    EXPECT_EQ(seen.count(), 0u);
  }
}

/// Two workers wait outside, one spare is allowed. When one wait is over its worker goes into a long job: the spare
/// must have gone to the other worker's place.
TEST(Starved, ASpareGoesToAWaitThatLacksOne) {
  int tried = 0;
  for (int round = 0; round < 20; ++round) {
    const int first = round % 2;
    dozer::pool_options options;
    options.threads = 2;
    options.max_spares = 1;
    dozer::event over[2];
    std::atomic<bool> ran{false};
    dozer::thread_pool pool(options);
    std::vector<dozer::future<void>> waiting;
    std::atomic<unsigned> highest{0};
    for (int i = 0; i < 2; ++i) {
      waiting.push_back(pool.submit([&, i] {
        highest = std::max(highest.load(), *dozer::current_thread_index());
        over[i].wait();
        if (i == first) {
          EXPECT_TRUE(eventually([&] { return ran.load(); }));
        }
      }));
      EXPECT_TRUE(eventually([&] { return blocked(pool) == i + 1; }));
    }
    tried += highest < 2 ? 1 : 0;  // else the spare itself has run the second one
    over[first].set();
    pool.submit([&] { ran = true; }).get();
    over[1 - first].set();
    for (auto& each : waiting) {
      each.get();
    }
  }
  EXPECT_GT(tried, 0);
}

/// The system refuses a thread, so a job is left with nobody to run it; it is tried again when the next one comes.
TEST(Starved, ACallForASpareThatWasRefusedIsTriedAgain) {
  dozer::event outside("the world");
  std::atomic<int> ran{0};
  dozer::thread_pool pool(1);
  dozer::detail::hooks.threads_until_failure.store(0, dozer::detail::relaxed);
  auto waiting = pool.submit([&] { outside.wait(); });
  EXPECT_TRUE(eventually([&] { return blocked(pool) == 1; }));
  auto left = pool.submit([&] { ++ran; });
  const char* const shortage =
      "dozer has no spare worker: the system refuses a thread. 1 wait for the world outside lacks one. "
      "No thread is left to run the queued jobs.";
  EXPECT_TRUE(eventually([&] { return says(dozer::dump_state(), shortage); }));
  EXPECT_EQ(ran, 0);
  dozer::detail::hooks.threads_until_failure.store(-1, dozer::detail::relaxed);
  pool.submit([&] { ++ran; }).get();
  left.get();
  EXPECT_EQ(ran, 2);
  EXPECT_TRUE(dozer::current_state().shortages.empty());
  outside.set();
  waiting.get();
}

/// The same at the limit, where nothing else can move: it is reported as starved, and says why.
TEST(Starved, AtTheLimitItIsReportedWithTheReason) {
  reports seen;
  dozer::pool_options options = seen.options(1);
  options.max_spares = 0;
  dozer::event happened(wait_kind::pool, "happened");
  dozer::external_token we_still_come;
  dozer::thread_pool pool(options);
  auto waiting = pool.submit([&] { happened.wait(); });
  EXPECT_TRUE(eventually([&] { return blocked(pool) == 1; }));
  auto left = pool.submit([&] { happened.set(); });
  we_still_come.drop();
  EXPECT_THROW(waiting.get(), dozer::deadlock_error);
  left.get();
  EXPECT_EQ(seen.only().what_is_wrong, deadlock_report::trouble::starved);
  EXPECT_PRED2(says, seen.only().to_string(), "as many as max_spares allows are busy");
}

}  // namespace
