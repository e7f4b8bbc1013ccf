// The sleep module step by step, on one thread: what a member sees before it sleeps, and whom it wakes.
#include <dozer/detail/sleep.hpp>

#include <gtest/gtest.h>

#include <chrono>

namespace {

using namespace dozer::detail;
using dozer::wait_reason;
using dozer::wake_policy;

constexpr job_kind no_kind{nullptr, nullptr, nullptr};

/// Seats without threads. Who "sleeps" does so with a deadline that has passed.
class made_up_pool {
 public:
  explicit made_up_pool(std::uint32_t workers, wake_policy policy = wake_policy::frugal)
      : made_up_pool(workers, dozer::idle_options{.search_for = std::chrono::nanoseconds(0), .wake = policy}) {}
  made_up_pool(std::uint32_t workers, const dozer::idle_options& options)
      : seats(workers, 0), sleep(home, seats, injected, isolated, options, 0) {
    for (std::uint32_t i = 0; i < seats.capacity(); ++i) {
      seats[i].sleep = &sleep;
    }
  }

  /// All workers are asleep, as at birth.
  void all_born_asleep() {
    for (std::uint32_t i = 0; i < seats.workers(); ++i) {
      sleep.born_asleep(seats[i]);
    }
  }
  [[nodiscard]] bool is_asleep(std::uint32_t i) { return seats[i].parker.load().at() == parked::asleep; }

  domain home;
  seating seats;
  injector injected;
  isolations isolated;
  sleep_module sleep;
};

/// A member that has searched, announced and searched again, and now tries to sleep. True: it parked.
bool tries_to_sleep(made_up_pool& p, seat& who, core_latch& latch, wait_reason why = wait_reason::join) {
  const auto before = who.counts.read().parks;
  idle_state idle = p.sleep.start_looking(who, latch, why, now_ns());
  p.sleep.no_work_found(idle);  // announces
  p.sleep.no_work_found(idle);  // falls asleep, unless something is in sight
  p.sleep.stop_looking(idle);
  return who.counts.read().parks != before;
}

TEST(SleepModule, WithNothingInSightAMemberSleepsAndTheCountsComeBack) {
  made_up_pool p(2);
  core_latch latch;
  EXPECT_TRUE(tries_to_sleep(p, p.seats[0], latch));
  EXPECT_EQ(p.sleep.now().asleep(), 0u);
  EXPECT_EQ(p.sleep.now().inactive(), 0u);
}

TEST(SleepModule, ASetLatchKeepsItsOwnerUp) {
  made_up_pool p(2);
  core_latch latch;
  EXPECT_FALSE(latch.set());
  EXPECT_FALSE(tries_to_sleep(p, p.seats[0], latch));
}

TEST(SleepModule, EverySleeperSeesAnInjectedJob) {
  for (const bool another_searches : {false, true}) {
    made_up_pool p(2);
    core_latch latch, other;
    if (another_searches) {
      static_cast<void>(p.sleep.start_looking(p.seats[1], other, wait_reason::work, no_deadline));
    }
    posted_job j(no_kind);
    p.injected.push(j);
    EXPECT_FALSE(tries_to_sleep(p, p.seats[0], latch));
    EXPECT_EQ(p.sleep.now().asleep(), 0u);
  }
}

TEST(SleepModule, EverySleeperSeesItsOwnMailAndNobodyElses) {
  made_up_pool p(2);
  core_latch latch;
  posted_job j(no_kind);
  p.seats[0].mail.push(j);
  EXPECT_FALSE(tries_to_sleep(p, p.seats[0], latch));
  EXPECT_TRUE(tries_to_sleep(p, p.seats[1], latch));
}

TEST(SleepModule, TheLastSearcherSeesEveryInternalJob) {
  made_up_pool p(3);
  core_latch latch;
  job j(no_kind);
  p.seats[2].own().push(j);  // its poster saw somebody searching, and relied on it
  EXPECT_FALSE(tries_to_sleep(p, p.seats[0], latch));
  EXPECT_EQ(p.seats[0].counts.read().heavy_fences, 1u);
}

TEST(SleepModule, WhoIsNotTheLastSearcherLeavesInternalJobsToTheOthers) {
  made_up_pool p(3);
  core_latch latch, other;
  static_cast<void>(p.sleep.start_looking(p.seats[1], other, wait_reason::work, no_deadline));
  job j(no_kind);
  p.seats[2].own().push(j);
  EXPECT_TRUE(tries_to_sleep(p, p.seats[0], latch));
  EXPECT_EQ(p.seats[0].counts.read().heavy_fences, 0u);
}

TEST(SleepModule, WorkAnnouncedSinceTheAnnouncementMeansOneMoreSearch) {
  made_up_pool p(2);
  core_latch latch;
  idle_state idle = p.sleep.start_looking(p.seats[0], latch, wait_reason::join, now_ns());
  p.sleep.no_work_found(idle);      // announces
  p.sleep.jobs_forked(p.seats[1]);  // a job that is gone again by now
  p.sleep.no_work_found(idle);      // the counter has moved: announces again
  EXPECT_EQ(p.seats[0].counts.read().parks, 0u);
  EXPECT_EQ(p.sleep.now().asleep(), 0u);
  p.sleep.no_work_found(idle);
  EXPECT_EQ(p.seats[0].counts.read().parks, 1u);
  p.sleep.stop_looking(idle);
}

TEST(SleepModule, WhoBlocksMakesItsJobsPublicAndWakesSomebodyForThem) {
  made_up_pool p(2);
  p.sleep.born_asleep(p.seats[1]);
  p.sleep.about_to_block(p.seats[0]);
  EXPECT_TRUE(p.is_asleep(1)) << "woken for nothing";
  job j(no_kind);
  p.seats[0].own().push(j);
  EXPECT_FALSE(p.seats[0].others().steal().stolen) << "public before";
  p.sleep.about_to_block(p.seats[0]);
  EXPECT_FALSE(p.is_asleep(1));
  EXPECT_EQ(p.seats[0].others().steal().stolen.what(), &j);
}

TEST(SleepModule, PostersRelyOnSearchersAndWakeOnlyWhatIsMissing) {
  made_up_pool p(4);
  core_latch latch;
  for (std::uint32_t i = 1; i < 4; ++i) {
    p.sleep.born_asleep(p.seats[i]);
  }
  static_cast<void>(p.sleep.start_looking(p.seats[0], latch, wait_reason::work, no_deadline));
  p.sleep.jobs_injected(1, false);
  EXPECT_EQ(p.sleep.now().asleep(), 3u);
  p.sleep.jobs_injected(3, false);
  EXPECT_EQ(p.sleep.now().asleep(), 1u);
  p.sleep.jobs_injected(1, true);  // jobs stood there already: the searchers are not enough as it is
  EXPECT_EQ(p.sleep.now().asleep(), 0u);
}

TEST(SleepModule, AfterAWakeUpThatLedToNothingTheBudgetIsNotSpent) {
  using dozer::search_policy;
  for (const auto policy : {search_policy::budget, search_policy::always_budget}) {
    made_up_pool p(2, dozer::idle_options{.search = policy, .search_for = std::chrono::hours(1)});
    p.sleep.born_asleep(p.seats[0]);
    p.sleep.wake_seat(p.seats[0], nullptr, dozer::wake_cause::job_injected);
    idle_state idle = p.sleep.wait_at_birth(p.seats[0]);
    p.sleep.no_work_found(idle);
    EXPECT_EQ(idle.insists(), policy == search_policy::budget);  // who insists after one round is sleepy already
    EXPECT_EQ(p.seats[0].counts.read().wakes_fruitless, 1u);
    p.sleep.stop_looking(idle);
  }
}

// ---- leaving the search --------------------------------------------------------------------------

TEST(SleepModule, TheLastSearcherToLeaveWakesOneIfThereIsMore) {
  for (const bool forked : {true, false}) {
    made_up_pool p(4);  // seat 3 is active
    p.sleep.born_asleep(p.seats[1]);
    p.sleep.born_asleep(p.seats[2]);
    core_latch latch;
    idle_state idle = p.sleep.start_looking(p.seats[0], latch, wait_reason::work, no_deadline);
    posted_job j(no_kind);
    forked ? static_cast<void>(p.seats[3].own().push(j)) : static_cast<void>(p.injected.push(j));
    p.sleep.stop_looking(idle);
    EXPECT_EQ(p.sleep.now().asleep(), 1u);
    EXPECT_EQ(p.seats[0].counts.read().heavy_fences, 0u);  // it saw the job without
  }
}

TEST(SleepModule, AndNobodyIfThereIsNothing) {
  for (const bool somebody_is_active : {true, false}) {
    made_up_pool p(somebody_is_active ? 3 : 2);
    p.sleep.born_asleep(p.seats[1]);
    core_latch latch;
    idle_state idle = p.sleep.start_looking(p.seats[0], latch, wait_reason::work, no_deadline);
    p.sleep.stop_looking(idle);
    EXPECT_EQ(p.sleep.now().asleep(), 1u);
    // Where all are inactive nobody can be forking.
    EXPECT_EQ(p.seats[0].counts.read().heavy_fences, somebody_is_active ? 1u : 0u);
  }
}

TEST(SleepModule, WhoLeavesOthersSearchingWakesNobody) {
  made_up_pool p(3);
  p.sleep.born_asleep(p.seats[2]);
  core_latch latch, other;
  static_cast<void>(p.sleep.start_looking(p.seats[1], other, wait_reason::work, no_deadline));
  idle_state idle = p.sleep.start_looking(p.seats[0], latch, wait_reason::work, no_deadline);
  posted_job j(no_kind);
  p.injected.push(j);
  p.sleep.stop_looking(idle);
  EXPECT_EQ(p.sleep.now().asleep(), 1u);
}

// ---- guests --------------------------------------------------------------------------------------

TEST(SleepModule, ABorrowedSeatIsNeitherAsleepNorInactive) {
  made_up_pool p(2);
  p.all_born_asleep();
  seat* const s = p.sleep.borrow_seat();
  ASSERT_NE(s, nullptr);
  EXPECT_TRUE(s->guest);
  EXPECT_EQ(p.sleep.now().asleep(), 1u);
  EXPECT_EQ(p.sleep.now().inactive(), 1u);
  EXPECT_FALSE(p.sleep.give_back(*s));
  EXPECT_FALSE(s->guest);
  EXPECT_TRUE(p.is_asleep(s->index));
  EXPECT_EQ(p.sleep.now().asleep(), 2u);
  EXPECT_EQ(p.sleep.now().inactive(), 2u);
}

TEST(SleepModule, ASeatIsNotLentTwiceNorWhileItsWorkerIsUp) {
  made_up_pool p(2);
  p.sleep.born_asleep(p.seats[1]);
  ASSERT_EQ(p.sleep.borrow_seat(), &p.seats[1]);
  EXPECT_EQ(p.sleep.borrow_seat(), nullptr);
}

TEST(SleepModule, ALeavingGuestWakesItsWorkerForWhatItLeavesBehind) {
  enum class left { in_the_deque, in_another_deque, in_the_mailbox, in_the_injector };
  for (const left where : {left::in_the_deque, left::in_another_deque, left::in_the_mailbox, left::in_the_injector}) {
    made_up_pool p(2);
    p.sleep.born_asleep(p.seats[0]);
    seat* const s = p.sleep.borrow_seat();
    ASSERT_EQ(s, &p.seats[0]);
    posted_job j(no_kind);
    switch (where) {
      case left::in_the_deque:
        s->own().push(j);
        break;
      case left::in_another_deque:
        p.seats[1].own().push(j);
        break;
      case left::in_the_mailbox:
        s->mail.push(j);
        break;
      case left::in_the_injector:
        p.injected.push(j);
        break;
    }
    EXPECT_TRUE(p.sleep.give_back(*s));
    EXPECT_EQ(s->parker.load(), parked(parked::awake, 0)) << static_cast<int>(where);
    EXPECT_EQ(p.sleep.now().inactive(), 1u);
    EXPECT_EQ(p.sleep.now().asleep(), 0u);
  }
}

TEST(SleepModule, AGuestThatSleepsPassesInjectedJobsOnToAWorkerAndSleeps) {
  made_up_pool p(2);
  p.all_born_asleep();
  seat* const s = p.sleep.borrow_seat();
  ASSERT_EQ(s, &p.seats[0]);
  core_latch latch;
  posted_job j(no_kind);
  p.injected.push(j);  // its poster saw the guest search, and relied on it
  EXPECT_TRUE(tries_to_sleep(p, *s, latch));
  EXPECT_FALSE(p.is_asleep(1));
}

TEST(SleepModule, IfAllSeatsAreLentAGuestDoesNotSleepOverAnInjectedJob) {
  made_up_pool p(1);
  p.all_born_asleep();
  seat* const s = p.sleep.borrow_seat();
  ASSERT_NE(s, nullptr);
  EXPECT_TRUE(p.seats.all_lent());
  core_latch latch;
  posted_job j(no_kind);
  p.injected.push(j);
  EXPECT_FALSE(tries_to_sleep(p, *s, latch));
}

}  // namespace
