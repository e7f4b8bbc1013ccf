// The parker's states, and who may move them. Also the set of sleepers.
#include <dozer/detail/parker.hpp>
#include <dozer/detail/sleeper_set.hpp>

#include "support.hpp"

#include <rapidcheck.h>

#include <set>
#include <thread>
#include <vector>

namespace {

using namespace dozer::detail;

TEST(Parker, ADrowsyMemberIsCancelledAndThenCannotFallAsleep) {
  parker p;
  p.get_drowsy(0);
  const parked seen = p.load();
  ASSERT_EQ(seen.at(), parked::drowsy);
  EXPECT_TRUE(p.cancel(seen));
  EXPECT_FALSE(p.fall_asleep(0));
  EXPECT_EQ(p.load().at(), parked::awake);
}

TEST(Parker, AnAsleepMemberIsClaimedOnce) {
  parker p;
  p.get_drowsy(0);
  ASSERT_TRUE(p.fall_asleep(0));
  const parked seen = p.load();
  EXPECT_TRUE(p.claim(seen));
  EXPECT_FALSE(p.claim(seen));
  p.wake_claimed(seen);
  EXPECT_TRUE(p.wait(0, no_deadline));
}

TEST(Parker, WaitEndsWhenWoken) {
  parker p;
  p.get_drowsy(0);
  ASSERT_TRUE(p.fall_asleep(0));
  std::thread waker([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const parked seen = p.load();
    ASSERT_TRUE(p.claim(seen));
    p.wake_claimed(seen);
  });
  EXPECT_TRUE(p.wait(0, no_deadline));
  waker.join();
}

TEST(Parker, WaitWithADeadlineGivesUpAndTheMemberCanClaimItself) {
  parker p;
  p.get_drowsy(parked::bound);
  ASSERT_TRUE(p.fall_asleep(parked::bound));
  EXPECT_FALSE(p.wait(parked::bound, now_ns() + 1'000'000));
  ASSERT_TRUE(p.claim(parked(parked::asleep, parked::bound)));
  p.rise(parked::bound);
  EXPECT_EQ(p.load(), parked(parked::awake, 0));
}

TEST(Parker, OnlyAWorkerThatSleepsOutsideAJobIsBorrowedFrom) {
  parker awake;
  EXPECT_FALSE(awake.borrow());
  for (const std::uint32_t marks : {parked::lent, parked::bound}) {
    parker p;
    p.get_drowsy(marks);
    ASSERT_TRUE(p.fall_asleep(marks));
    EXPECT_FALSE(p.borrow());
  }
  parker p;
  p.get_drowsy(0);
  EXPECT_FALSE(p.borrow());
  ASSERT_TRUE(p.fall_asleep(0));
  EXPECT_TRUE(p.borrow());
  EXPECT_FALSE(p.borrow());
}

TEST(Parker, AWorkerSleepsOnWhileItsSeatIsLentAndAGuestWakesByItself) {
  parker p;
  p.get_drowsy(0);
  ASSERT_TRUE(p.fall_asleep(0));
  std::atomic<bool> worker_up{false};
  std::thread worker([&] {
    EXPECT_TRUE(p.wait(0, no_deadline));
    worker_up = true;
  });
  ASSERT_TRUE(p.borrow());
  EXPECT_EQ(p.load(), parked(parked::claimed, parked::lent));
  p.sit_down();
  // The guest sleeps and is woken; that must not be the worker's wake.
  p.get_drowsy(parked::lent);
  ASSERT_TRUE(p.fall_asleep(parked::lent));
  std::thread waker([&] {
    const parked seen = p.load();
    ASSERT_TRUE(seen.is_lent());
    ASSERT_TRUE(p.claim(seen));
    p.wake_claimed(seen);
  });
  EXPECT_TRUE(p.wait(parked::lent, no_deadline));
  waker.join();
  EXPECT_FALSE(worker_up.load());
  p.give_back_awake();
  worker.join();
  EXPECT_TRUE(worker_up.load());
}

TEST(Parker, AGuestsLastStepFailsIfItWasCancelled) {
  parker p;
  p.get_drowsy(parked::lent);
  ASSERT_TRUE(p.cancel(p.load()));
  EXPECT_FALSE(p.give_back_asleep());
  EXPECT_TRUE(p.load().is_lent());
}

TEST(Parker, ValuesArePrintable) {
  EXPECT_EQ(to_string(parked(parked::asleep, parked::lent)), "asleep, lent");
  EXPECT_EQ(to_string(parked(parked::drowsy, parked::bound)), "drowsy, bound");
}

TEST(SleeperSet, VisitsEveryMemberOnceFromTheNearOneOn) {
  EXPECT_TRUE(rc::check("each member once, starting at `near`", [] {
    const auto size = *rc::gen::inRange<std::uint32_t>(1, 300);
    const auto members = *rc::gen::container<std::set<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, size));
    const auto near = *rc::gen::inRange<std::uint32_t>(0, size);
    sleeper_set set(size);
    for (const std::uint32_t m : members) {
      set.insert(m);
    }
    std::vector<std::uint32_t> expected;
    for (const std::uint32_t m : members) {
      if (m >= near) {
        expected.push_back(m);
      }
    }
    for (const std::uint32_t m : members) {
      if (m < near) {
        expected.push_back(m);
      }
    }
    std::vector<std::uint32_t> visited;
    set.visit_from(near, [&](std::uint32_t m) {
      visited.push_back(m);
      return false;
    });
    RC_ASSERT(visited == expected);
  }));
}

TEST(SleeperSet, StopsWhereTheVisitorSaysAndForgetsTheErased) {
  sleeper_set set(130);
  set.insert(0);
  set.insert(64);
  set.insert(129);
  set.erase(64);
  std::vector<std::uint32_t> visited;
  EXPECT_TRUE(set.visit_from(1, [&](std::uint32_t m) {
    visited.push_back(m);
    return true;
  }));
  EXPECT_EQ(visited, std::vector<std::uint32_t>{129});
}

}  // namespace
