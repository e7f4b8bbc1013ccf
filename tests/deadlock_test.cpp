// Deadlocks that users make, which must be found and named; and what only looks like one, which must not.
#include <dozer/dozer.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "support.hpp"

namespace {

using namespace std::chrono_literals;
using dozer::deadlock_action;
using dozer::deadlock_report;
using dozer::wait_kind;

/// Keeps the reports of a pool.
class reports {
 public:
  dozer::pool_options options(unsigned threads, deadlock_action answer = deadlock_action::throw_error) {
    dozer::pool_options o;
    o.threads = threads;
    o.on_deadlock = [this, answer](const deadlock_report& r) {
      const std::lock_guard hold(lock_);
      all_.push_back(r);
      return answer;
    };
    return o;
  }
  [[nodiscard]] std::size_t count() const {
    const std::lock_guard hold(lock_);
    return all_.size();
  }
  [[nodiscard]] deadlock_report only() const {
    const std::lock_guard hold(lock_);
    EXPECT_EQ(all_.size(), 1u);
    return all_.empty() ? deadlock_report{} : all_.front();
  }

 private:
  mutable std::mutex lock_;
  std::vector<deadlock_report> all_;
};

bool says(const std::string& text, const char* what) { return text.find(what) != std::string::npos; }

TEST(Deadlock, TwoMutexesInOppositeOrder) {
  reports seen;
  dozer::thread_pool pool(seen.options(2));
  dozer::mutex a("accounts"), b("log");
  dozer_test::rendezvous both(2);
  std::atomic<int> thrown{0};
  const auto take = [&](dozer::mutex& first, dozer::mutex& second) {
    try {
      const dozer::mutex_guard hold(first);
      both.arrive();
      ASSERT_TRUE(dozer_test::eventually([&] { return both.all_here(); }));
      const dozer::mutex_guard also(second);
    } catch (const dozer::deadlock_error&) {
      ++thrown;
    }
  };
  auto one = pool.submit(dozer::named("transfer", [&] { take(a, b); }));
  auto other = pool.submit(dozer::named("audit", [&] { take(b, a); }));
  one.get();
  other.get();
  EXPECT_GE(thrown, 1) << "one is enough: it lets go of what the other wants";
  const deadlock_report r = seen.only();
  EXPECT_EQ(r.what_is_wrong, deadlock_report::trouble::deadlock);
  EXPECT_EQ(r.cycle.size(), 2u);
  const std::string text = r.to_string();
  for (const char* const what : {"Deadlock: 2 threads wait for each other", "\"accounts\"", "\"log\"", "\"transfer\"",
                                 "\"audit\"", "held by dozer-", "deadlock_test.cpp:"}) {
    EXPECT_TRUE(says(text, what)) << what << " is not in\n" << text;
  }
}

TEST(Deadlock, AnEventOfThePoolThatNobodyWillSet) {
  reports seen;
  dozer::thread_pool pool(seen.options(2));
  dozer::event never(wait_kind::pool, "never");
  auto one = pool.submit([&] { never.wait(); });
  auto other = pool.submit([&] { never.wait(); });
  EXPECT_THROW(one.get(), dozer::deadlock_error);
  EXPECT_THROW(other.get(), dozer::deadlock_error);
  EXPECT_GE(seen.count(), 1u);
}

TEST(Deadlock, AFutureOfAJobThatWaitsForThisOne) {
  reports seen;
  dozer::thread_pool pool(seen.options(2));
  std::optional<dozer::future<void>> first, second;
  dozer::event both_are_there("both are there");
  first.emplace(pool.submit([&] {
    both_are_there.wait();
    second->get();
  }));
  second.emplace(pool.submit([&] {
    both_are_there.wait();
    first->wait();
  }));
  both_are_there.set();
  EXPECT_THROW(first->get(), dozer::deadlock_error);
  const deadlock_report r = seen.only();
  EXPECT_FALSE(r.cycle.empty()) << r.to_string();
}

TEST(Deadlock, AnOrdinaryEventThatAThreadSetsLateIsNone) {
  reports seen;
  dozer::thread_pool pool(seen.options(2));
  dozer::event late("late");
  std::thread setter([&] {
    std::this_thread::sleep_for(50ms);
    late.set();
  });
  auto one = pool.submit([&] { late.wait(); });
  auto other = pool.submit([&] { late.wait(); });
  one.get();
  other.get();
  setter.join();
  EXPECT_EQ(seen.count(), 0u);
}

TEST(Deadlock, AnOutsiderWithATokenMayStillComeAndRelease) {
  reports seen;
  dozer::thread_pool pool(seen.options(2));
  dozer::event late(wait_kind::pool, "late");
  std::thread setter([&, token = dozer::external_token()]() mutable {
    std::this_thread::sleep_for(50ms);
    pool.spawn([&] { late.set(); });
    token.drop();
  });
  pool.install([&] { late.wait(); });
  setter.join();
  EXPECT_EQ(seen.count(), 0u);
}

}  // namespace
