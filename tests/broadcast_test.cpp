// broadcast: once in each seat, from everywhere; and worker_local, which gives each member its own.
#include "support.hpp"

#include <chrono>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using dozer::broadcast_context;

TEST(Broadcast, RunsOnceInEachSeatAndGathersInOrder) {
  dozer::thread_pool pool(5);
  const std::vector<unsigned> indices = pool.broadcast([](broadcast_context c) {
    EXPECT_EQ(c.num_threads(), 5u);
    EXPECT_EQ(dozer::current_thread_index(), c.index());
    return c.index();
  });
  EXPECT_EQ(indices, (std::vector<unsigned>{0, 1, 2, 3, 4}));
}

TEST(Broadcast, ReachesAllThreads) {
  dozer::thread_pool pool(4);
  std::set<std::thread::id> ids;
  for (const std::thread::id id : pool.broadcast([](broadcast_context) { return std::this_thread::get_id(); })) {
    ids.insert(id);
  }
  EXPECT_EQ(ids.size(), 4u);
}

TEST(Broadcast, GathersBoolsWithoutARaceAndReturnsNothingForVoid) {
  dozer::thread_pool pool(8);
  for (int i = 0; i < 50; ++i) {
    const std::vector<bool> odd = pool.broadcast([](broadcast_context c) { return c.index() % 2 == 1; });
    EXPECT_EQ(odd, (std::vector<bool>{false, true, false, true, false, true, false, true}));
  }
  static_assert(std::is_void_v<decltype(pool.broadcast([](broadcast_context) {}))>);
}

TEST(Broadcast, WorksFromAWorkerAGuestAndInTheGlobalPool) {
  dozer::thread_pool pool(3);
  const auto sum = [](const std::vector<unsigned>& v) { return std::accumulate(v.begin(), v.end(), 0u); };
  const auto all = [&] { return sum(dozer::broadcast([](broadcast_context c) { return c.index(); })); };
  EXPECT_EQ(pool.submit(all).get(), 3u);
  EXPECT_EQ(pool.install(all), 3u);
  EXPECT_EQ(dozer::broadcast([](broadcast_context) { return 1u; }).size(), dozer::current_num_threads());
}

TEST(Broadcast, AGuestRunsTheOneOfTheSeatItSitsIn) {
  dozer::thread_pool pool(2);
  ASSERT_TRUE(dozer_test::all_asleep(pool));
  pool.install([&] {
    const auto guest = std::this_thread::get_id();
    const unsigned mine = *dozer::current_thread_index();
    ASSERT_LT(mine, 2u);
    const auto ids = dozer::broadcast([](broadcast_context) { return std::this_thread::get_id(); });
    EXPECT_EQ(ids[mine], guest);
    EXPECT_NE(ids[1 - mine], guest);
  });
}

TEST(Broadcast, MailForASeatWhoseGuestLeavesGoesToItsWorker) {
  dozer::thread_pool pool(1);
  ASSERT_TRUE(dozer_test::all_asleep(pool));
  std::atomic<bool> sent{false};
  std::thread sender;
  std::thread::id ran_on;
  pool.install([&] {
    sender = std::thread([&] {
      sent = true;
      pool.broadcast([&](broadcast_context) { ran_on = std::this_thread::get_id(); });
    });
    while (!sent) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // likely in the mailbox by now; right either way
  });
  sender.join();
  EXPECT_NE(ran_on, std::this_thread::get_id());
  EXPECT_NE(ran_on, std::thread::id());
}

TEST(Broadcast, AnExceptionLeavesAfterAllHaveRunThatOfTheLowestIndex) {
  dozer::thread_pool pool(4);
  std::atomic<int> ran{0};
  try {
    pool.broadcast([&](broadcast_context c) {
      ++ran;
      if (c.index() % 2 == 1) {
        throw std::runtime_error(std::to_string(c.index()));
      }
    });
    FAIL() << "it did not throw";
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "1");
  }
  EXPECT_EQ(ran.load(), 4);
}

TEST(Broadcast, MutualBroadcastsOfTwoPoolsDoNotHang) {
  dozer::thread_pool a(3), b(7);
  std::atomic<int> count{0};
  const auto inner = [&](broadcast_context) { ++count; };
  a.install([&] { b.broadcast([&](broadcast_context) { a.broadcast(inner); }); });
  EXPECT_EQ(count.load(), 3 * 7);
}

TEST(Broadcast, MutualBroadcastsOfTwoSleepingPoolsDoNotHang) {
  dozer::thread_pool a(3), b(7);
  std::atomic<int> count{0};
  ASSERT_TRUE(dozer_test::all_asleep(a));
  ASSERT_TRUE(dozer_test::all_asleep(b));
  a.submit([&] { b.broadcast([&](broadcast_context) { a.broadcast([&](broadcast_context) { ++count; }); }); }).get();
  EXPECT_EQ(count.load(), 3 * 7);
}

TEST(Broadcast, RacesWithFallingAsleepWithoutALostWakeUp) {
  dozer::thread_pool pool(7);
  // As many as there is time for; a lost wake-up hangs.
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(700);
  do {
    // A spread of durations makes it likely that some worker is just falling asleep when the next one comes.
    pool.broadcast([](broadcast_context c) { std::this_thread::sleep_for(std::chrono::microseconds(c.index())); });
  } while (std::chrono::steady_clock::now() < end);
}

// ---- worker_local -------------------------------------------------------------------------------

TEST(WorkerLocal, GivesEachMemberItsOwnOnItsOwnCacheLine) {
  dozer::thread_pool pool(4);
  dozer::worker_local<long> counts(pool);
  const auto addresses = pool.broadcast([&](broadcast_context) { return &counts.local(); });
  for (std::size_t i = 1; i < addresses.size(); ++i) {
    EXPECT_GE(reinterpret_cast<std::uintptr_t>(addresses[i]) - reinterpret_cast<std::uintptr_t>(addresses[i - 1]), 64u);
  }
}

TEST(WorkerLocal, CombinesWhatTheMembersCounted) {
  dozer::thread_pool pool(3);
  dozer::worker_local<long> counts(pool);
  pool.install([&] {
    dozer::scope([&](dozer::spawner& s) {
      for (int i = 0; i < 1000; ++i) {
        s.spawn([&] { ++counts.local(); });
      }
    });
  });
  EXPECT_EQ(counts.combine([](long a, long b) { return a + b; }), 1000);
  long sum = 0;
  counts.for_each([&](long& c) { sum += c; });
  EXPECT_EQ(sum, 1000);
}

TEST(WorkerLocal, MakesValuesWithItsInitialiserWhenTheyAreFirstAskedFor) {
  dozer::thread_pool pool(2);
  std::atomic<int> made{0};
  dozer::worker_local<std::string> texts(pool, [&] {
    ++made;
    return std::string("start");
  });
  EXPECT_EQ(made.load(), 0);
  EXPECT_EQ(pool.submit([&] { return texts.local(); }).get(), "start");
  EXPECT_EQ(made.load(), 1);
  dozer::worker_local<int> unused(pool, [] { return 7; });
  EXPECT_EQ(unused.combine([](int a, int b) { return a + b; }), 7);
}

TEST(WorkerLocal, FromAThreadThatIsNotInThePoolThrows) {
  dozer::thread_pool pool(1), other(1);
  dozer::worker_local<int> mine(pool);
  EXPECT_THROW(static_cast<void>(mine.local()), std::logic_error);
  EXPECT_THROW(other.submit([&] { return mine.local(); }).get(), std::logic_error);
}

/// A job that waits on top of what another has in hand. Returns what is left of the 1 that it wrote into its own value
/// before it waited; the job that the wait can run writes a 2.
template <class Waits>
long left_after_a_wait(Waits waits) {
  dozer::thread_pool pool(1);
  dozer::worker_local<long> values(pool);
  return pool
      .submit([&] {
        auto awaited = dozer::submit([] {});
        auto stranger = dozer::submit([&] { values.local() = 2; });  // the newer one: a wait runs it first
        const long left = waits(values, awaited);
        stranger.wait();
        return left;
      })
      .get();
}

long keep_a_reference(dozer::worker_local<long>& values, dozer::future<void>& awaited) {
  long& mine = values.local();
  mine = 1;
  awaited.wait();
  return mine;
}

/// What the next two are good for.
TEST(WorkerLocal, AReferenceKeptAcrossAWaitIsOverwrittenByAJobThatTheWaitRuns) {
  EXPECT_EQ(left_after_a_wait(keep_a_reference), 2);
}

TEST(WorkerLocal, InsideIsolateAReferenceMayBeKeptAcrossAWait) {
  EXPECT_EQ(left_after_a_wait([](auto& values, auto& awaited) {
              return dozer::isolate([&] { return keep_a_reference(values, awaited); });
            }),
            1);
}

TEST(WorkerLocal, AskedForAfterTheWaitItIsTheCallersUntilTheNext) {
  EXPECT_EQ(left_after_a_wait([](auto& values, auto& awaited) {
              awaited.wait();
              long& mine = values.local();
              mine = 1;
              return mine;
            }),
            1);
}

}  // namespace
