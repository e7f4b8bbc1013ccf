// pool_stats: who does what and why, and the counts.
#include "support.hpp"

#include <set>
#include <string>

namespace {

using dozer::thread_pool;

TEST(Stats, ShowWhatEachMemberDoesAndWhy) {
  thread_pool pool(2);
  std::atomic<bool> release{false};
  auto f = pool.submit(dozer::named("parse", [&] {
    dozer_test::rendezvous stolen(1);
    dozer::join(
        [&] {
          while (!stolen.all_here()) std::this_thread::yield();
        },
        dozer::named("leaf", [&] {
          stolen.arrive();
          while (!release) std::this_thread::sleep_for(std::chrono::microseconds(100));
        }));
  }));
  EXPECT_TRUE(dozer_test::eventually([&] {
    std::multiset<std::string> seen;
    for (const auto& member : pool.stats().members) {
      seen.insert(std::string(to_string(member.state)) + "/" + std::string(to_string(member.why)) + "/" +
                  (member.job_name != nullptr ? member.job_name : "-"));
    }
    return seen == std::multiset<std::string>{"active/none/leaf", "asleep/join/parse"};
  }));
  release = true;
  f.get();
}

TEST(Stats, CountJobsAndSteals) {
  thread_pool pool(2);
  dozer_test::rendezvous both(2);
  pool.install([&] { dozer::join([&] { both.arrive_and_wait(); }, [&] { both.arrive_and_wait(); }); });
  const auto now = pool.stats();
  EXPECT_EQ(now.total.steals, 1u);
  EXPECT_EQ(now.total.jobs, 1u);
  pool.spawn([] {});
  EXPECT_TRUE(dozer_test::eventually([&] { return pool.stats().total.injected == 1; }));
}

}  // namespace
