// What must not become dear: counted in wakes and in heavy fences.
#include <dozer/detail/pool_core.hpp>

#include "support.hpp"

namespace {

using dozer::thread_pool;
using dozer::wake_cause;
using dozer_test::all_asleep;
using dozer_test::eventually;

std::uint64_t heavy_fences(thread_pool& pool) { return pool.stats().total.heavy_fences; }

/// How many heavy fences 200 lone jobs cost, each into a sleeping pool.
std::uint64_t heavy_fences_of_lone_jobs(thread_pool& pool) {
  const std::uint64_t before = heavy_fences(pool);
  for (int i = 0; i < 200; ++i) {
    EXPECT_TRUE(all_asleep(pool));
    pool.submit([] {}).get();
  }
  EXPECT_TRUE(all_asleep(pool));
  return heavy_fences(pool) - before;
}

TEST(Cliffs, OneUseOfAnExtraSeatDoesNotMakeLoneJobsDear) {
  thread_pool fresh(2);
  const std::uint64_t usual = heavy_fences_of_lone_jobs(fresh);
  thread_pool pool(2);
  pool.submit([] { dozer::blocking([] {}); }).get();
  ASSERT_GT(dozer::detail::core_of(pool).seats.bound(), 2u) << "no spare has come";
  EXPECT_TRUE(eventually([&] { return dozer::detail::core_of(pool).seats.seated() == 2; }));
  EXPECT_LE(heavy_fences_of_lone_jobs(pool), usual + 5);
}

/// A worker in a long job that forks nothing.
class busy_worker {
 public:
  explicit busy_worker(thread_pool& pool)
      : job_(pool.submit([this] {
          begun_ = true;
          while (!over_) {
            std::this_thread::yield();
          }
        })) {
    EXPECT_TRUE(eventually([&] { return begun_.load(); }));
  }
  ~busy_worker() {
    over_ = true;
    job_.get();
  }
  busy_worker(const busy_worker&) = delete;
  busy_worker& operator=(const busy_worker&) = delete;

 private:
  std::atomic<bool> begun_{false}, over_{false};
  dozer::future<void> job_;
};

TEST(Cliffs, AnOutsidersSmallCallsBesideABusyWorkerTakeNoHeavyFence) {
  thread_pool pool(2);
  const busy_worker one(pool);
  EXPECT_TRUE(eventually([&] { return pool.stats().asleep == 1; }));
  const std::uint64_t before = heavy_fences(pool);
  for (int i = 0; i < 1000; ++i) {
    pool.install([&] { EXPECT_LT(*dozer::current_thread_index(), 2u); });
  }
  EXPECT_EQ(heavy_fences(pool), before);
}

/// The counterpart: where the guest has forked, others may have kept jobs private meanwhile.
TEST(Cliffs, AGuestThatHasForkedLooksForAllOnLeaving) {
  thread_pool pool(2);
  const busy_worker one(pool);
  EXPECT_TRUE(eventually([&] { return pool.stats().asleep == 1; }));
  const std::uint64_t before = heavy_fences(pool);
  pool.install([&] { dozer::join([] {}, [] {}); });
  EXPECT_EQ(heavy_fences(pool), before + 1);
}

/// Seats without threads: what is woken stays awake, so each wake can be told from the next.
TEST(Cliffs, AJoinOfEightWakesSevenByTheForkAlone) {
  using namespace dozer::detail;
  for (const bool held_jobs : {false, true}) {
    domain home;
    seating seats(8, 0);
    injector injected;
    isolations isolated;
    sleep_module sleep(home, seats, injected, isolated, {}, 0);
    for (std::uint32_t i = 0; i < seats.capacity(); ++i) {
      seats[i].sleep = &sleep;
      seats[i].hunger = &sleep.hunger();
    }
    for (std::uint32_t i = 1; i < 8; ++i) {
      sleep.born_asleep(seats[i]);
    }
    seat& me = seats[0];
    constexpr job_kind nothing{[](job&, seat&) noexcept {}, [](const job&) noexcept -> const char* { return nullptr; },
                               [](const job&) noexcept -> const void* { return nullptr; }};
    job older(nothing);
    if (held_jobs) {
      me.own().push(older);
    }
    sit_down(me);
    int ran = 0;
    std::uint64_t sent = 0;
    const auto run = [&] { ++ran; };
    dozer::join(
        [&] {
          run();
          sent = me.counts.read().wakes_sent[static_cast<std::size_t>(wake_cause::job_forked)];
        },
        run, run, run, run, run, run, run);
    get_up();
    EXPECT_EQ(ran, 8);
    EXPECT_EQ(sent, 7u);
  }
}

/// With searchers enough for all but two, it wakes two: also where publishing makes more than one job public at once.
TEST(Cliffs, AJoinReliesOnSearchers) {
  using namespace dozer::detail;
  domain home;
  seating seats(8, 0);
  injector injected;
  isolations isolated;
  sleep_module sleep(home, seats, injected, isolated, {}, 0);
  for (std::uint32_t i = 0; i < seats.capacity(); ++i) {
    seats[i].sleep = &sleep;
  }
  core_latch latch;
  for (std::uint32_t i = 1; i < 8; ++i) {
    if (i < 3) {
      static_cast<void>(sleep.start_looking(seats[i], latch, dozer::wait_reason::work, no_deadline));
    } else {
      sleep.born_asleep(seats[i]);
    }
  }
  constexpr job_kind nothing{nullptr, nullptr, nullptr};
  job j[4] = {job(nothing), job(nothing), job(nothing), job(nothing)};
  for (job& each : j) {
    seats[0].own().push(each);
  }
  sleep.jobs_forked(seats[0], 4);
  EXPECT_EQ(sleep.now().asleep(), 3u);
}

}  // namespace
