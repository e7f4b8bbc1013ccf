// Latches: each state, each kind.
#include <dozer/detail/latch.hpp>
#include <dozer/detail/outcome.hpp>

#include "support.hpp"

#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

using namespace dozer::detail;

TEST(CoreLatch, SettingAnAwakeOwnersLatchWakesNobody) {
  core_latch latch;
  EXPECT_FALSE(latch.probe());
  EXPECT_FALSE(latch.set());
  EXPECT_TRUE(latch.probe());
}

TEST(CoreLatch, SettingASleepyOwnersLatchWakesNobodyAndTheOwnerStaysUp) {
  core_latch latch;
  ASSERT_TRUE(latch.get_sleepy());
  EXPECT_FALSE(latch.set());
  EXPECT_FALSE(latch.fall_asleep());
}

TEST(CoreLatch, SettingASleepingOwnersLatchAsksForAWake) {
  core_latch latch;
  ASSERT_TRUE(latch.get_sleepy());
  ASSERT_TRUE(latch.fall_asleep());
  EXPECT_FALSE(latch.probe());
  EXPECT_TRUE(latch.set());
}

TEST(CoreLatch, AWokenOwnerCanSleepAgainAndIsNotOwedAWakeMeanwhile) {
  core_latch latch;
  ASSERT_TRUE(latch.get_sleepy());
  ASSERT_TRUE(latch.fall_asleep());
  latch.wake_up();
  EXPECT_FALSE(latch.probe());
  ASSERT_TRUE(latch.get_sleepy());
  latch.wake_up();
  EXPECT_FALSE(latch.set());
}

TEST(CoreLatch, WakingUpDoesNotUndoASet) {
  core_latch latch;
  ASSERT_TRUE(latch.get_sleepy());
  ASSERT_TRUE(latch.fall_asleep());
  EXPECT_TRUE(latch.set());
  latch.wake_up();
  EXPECT_TRUE(latch.probe());
  EXPECT_FALSE(latch.get_sleepy());
}

TEST(BlockingLatch, WaitsForTheSetterAndSeesWhatItWrote) {
  for (int i = 0; i < 200; ++i) {
    const dozer::external_token for_the_setter;
    blocking_latch latch;
    int payload = 0;
    std::thread setter([&] {
      payload = 7;
      latch.set();
    });
    EXPECT_TRUE(latch.wait());
    EXPECT_EQ(payload, 7);
    setter.join();
  }
}

TEST(BlockingLatch, ATimedWaitGivesUpAndALaterOneSucceeds) {
  blocking_latch latch;
  EXPECT_FALSE(latch.wait(now_ns() + 1'000'000));
  latch.set();
  EXPECT_TRUE(latch.wait(now_ns()));
}

TEST(BlockingLatch, MayDieAsSoonAsItsOwnerIsThrough) {
  for (int i = 0; i < 500; ++i) {
    const dozer::external_token for_the_setter;
    auto latch = std::make_unique<blocking_latch>();
    std::thread setter([l = latch.get()] { l->set(); });
    latch->wait();
    latch.reset();
    setter.join();
  }
}

struct counting_stub {
  int sets = 0;
  void set(int) { ++sets; }
};

TEST(CountingLatch, SetsOnceWhenTheCountIsDown) {
  counting_latch<counting_stub> latch(1);
  latch.add();
  latch.add();
  latch.count_down(0);
  latch.count_down(0);
  EXPECT_EQ(latch.latch().sets, 0);
  latch.count_down(0);
  EXPECT_EQ(latch.latch().sets, 1);
}

TEST(CallerLatch, BlocksAThreadThatIsNoMember) {
  const dozer::external_token for_the_setter;
  caller_latch latch;
  EXPECT_FALSE(latch.wait(dozer::wait_reason::future, nullptr, now_ns() + 1'000'000));
  std::thread setter([&] { latch.set(nullptr); });
  EXPECT_TRUE(latch.wait(dozer::wait_reason::future, nullptr));
  setter.join();
}

TEST(CrossPoolLatch, AMemberHelpsAtHomeUntilAThreadFromNowhereSetsIt) {
  const dozer::external_token for_the_setter;
  dozer::thread_pool pool(1);
  std::atomic<bool> helped{false};
  pool.submit([&] {
        dozer::spawn([&] { helped = true; });
        caller_latch latch;
        std::thread setter([&] {
          EXPECT_TRUE(dozer_test::eventually([&] { return helped.load(); }));
          latch.set(nullptr);
        });
        EXPECT_TRUE(latch.wait(dozer::wait_reason::install, nullptr));
        setter.join();
      })
      .get();
  EXPECT_TRUE(helped.load());
}

TEST(CrossPoolLatch, TheOwnersPoolMayEndRightAfterTheSet) {
  // The setter, a thread of no pool, may still be inside set() when the owner's pool is destroyed.
  const dozer::external_token for_the_setter;
  for (int i = 0; i < 200; ++i) {
    std::atomic<caller_latch*> where{nullptr};
    std::thread setter([&] {
      caller_latch* latch = nullptr;
      while ((latch = where.load()) == nullptr) {
        std::this_thread::yield();
      }
      latch->set(nullptr);
    });
    {
      dozer::thread_pool pool(1);
      pool.spawn([&] {
        caller_latch latch;
        where = &latch;
        latch.wait(dozer::wait_reason::install, nullptr);
      });
    }
    setter.join();
  }
}

// ---- outcome: what a latch guards ---------------------------------------------------------------

TEST(Outcome, KeepsValuesReferencesMoveOnlyTypesAndNothing) {
  outcome<int> value;
  value.run([] { return 3; });
  EXPECT_EQ(value.take(), 3);

  int x = 0;
  outcome<int&> reference;
  reference.run([&]() -> int& { return x; });
  EXPECT_EQ(&reference.take(), &x);

  outcome<std::unique_ptr<int>> moved;
  moved.run([] { return std::make_unique<int>(4); });
  EXPECT_EQ(*moved.take(), 4);

  outcome<void> nothing;
  nothing.run([] {});
  nothing.take();
  EXPECT_FALSE(nothing.failed());
}

TEST(Outcome, ThrowsWhatTheCallThrew) {
  outcome<std::string> failed;
  failed.run([]() -> std::string { throw std::runtime_error("no"); });
  EXPECT_TRUE(failed.failed());
  EXPECT_THROW(failed.take(), std::runtime_error);
}

TEST(Outcome, DestroysAResultThatNobodyTakes) {
  const auto shared = std::make_shared<int>(1);
  {
    outcome<std::shared_ptr<int>> kept;
    kept.run([&] { return shared; });
    EXPECT_EQ(shared.use_count(), 2);
  }
  EXPECT_EQ(shared.use_count(), 1);
}

}  // namespace
