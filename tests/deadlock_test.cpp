// Deadlocks that users make, which must be found and named; and what only looks like one, which must not.
#include <dozer/dozer.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
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
  std::atomic<int> thrown{0};
  const auto wait_for = [&](std::optional<dozer::future<void>>& other) {
    both_are_there.wait();
    try {
      other->wait();
    } catch (const dozer::deadlock_error&) {
      ++thrown;
    }
  };
  first.emplace(pool.submit([&] { wait_for(second); }));
  second.emplace(pool.submit([&] { wait_for(first); }));
  both_are_there.set();
  first->get();
  second->get();
  EXPECT_GE(thrown, 1);
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

TEST(Deadlock, RandomRoundsOfBlockingAndReleasingAreNone) {
  reports seen;
  dozer::thread_pool pool(seen.options(4));
  dozer::mutex m("counter");
  dozer::semaphore turns(2, wait_kind::pool, "turns");
  int counter = 0;
  constexpr int jobs = 64, rounds = 200;
  pool.install([&] {
    dozer::scope([&](dozer::spawner& s) {
      for (int j = 0; j < jobs; ++j) {
        s.spawn([&] {
          for (int i = 0; i < rounds; ++i) {
            turns.acquire();
            {
              const dozer::mutex_guard hold(m);
              ++counter;
            }
            turns.release();
          }
        });
      }
    });
  });
  EXPECT_EQ(counter, jobs * rounds);
  EXPECT_EQ(seen.count(), 0u);
}

TEST(ConditionVariable, ConsumersGetEverythingOnce) {
  dozer::thread_pool pool(4);
  dozer::mutex m("queue");
  dozer::condition_variable filled(wait_kind::pool, "filled");
  std::vector<int> queue;
  std::atomic<int> sum{0};
  std::vector<dozer::future<void>> consumers;
  for (int c = 0; c < 2; ++c) {
    consumers.push_back(pool.submit([&] {
      for (;;) {
        std::unique_lock hold(m);
        filled.wait(hold, [&] { return !queue.empty(); });
        const int got = queue.back();
        queue.pop_back();
        if (got == 0) {
          return;
        }
        sum += got;
      }
    }));
  }
  pool.submit([&] {
        for (int i = 1; i <= 1000; ++i) {
          const dozer::mutex_guard hold(m);
          queue.insert(queue.begin(), i);
          filled.notify_one();
        }
        const dozer::mutex_guard hold(m);
        queue.insert(queue.begin(), {0, 0});
        filled.notify_all();
      })
      .get();
  for (auto& each : consumers) {
    each.get();
  }
  EXPECT_EQ(sum, 500'500);
}

TEST(Event, MayBeDestroyedAsSoonAsTheWaitIsOver) {
  dozer::thread_pool pool(2);
  for (int i = 0; i < 2000; ++i) {
    auto happened = std::make_unique<dozer::event>(wait_kind::pool);
    auto setter = pool.submit([e = happened.get()] { e->set(); });
    pool.install([&] { happened->wait(); });
    happened.reset();
    setter.get();
  }
}

TEST(Blocking, OthersTakeThePlaceOfWhoWaitsForTheWorldOutside) {
  dozer::thread_pool pool(2);
  // All eight are inside at once, though there are two workers.
  dozer_test::rendezvous all(8);
  pool.install([&] {
    dozer::scope([&](dozer::spawner& s) {
      for (int i = 0; i < 8; ++i) {
        s.spawn([&] {
          dozer::blocking("for the others", [&] {
            all.arrive();
            EXPECT_TRUE(dozer_test::eventually([&] { return all.all_here(); }));
          });
        });
      }
    });
  });
  EXPECT_TRUE(all.all_here());
}

TEST(Blocking, IsLegalOutsideAPool) {
  EXPECT_EQ(dozer::blocking([] { return 7; }), 7);
  dozer::wait_slot slot;
  slot.mark_blocked("nothing");
  slot.mark_unblocked();
  dozer::mutex m;
  const dozer::mutex_guard hold(m);
  EXPECT_FALSE(m.try_lock());
}

TEST(DumpState, ShowsWhoRunsWhatAndWaitsForWhat) {
  dozer::thread_pool pool({.threads = 2, .name = "shown"});
  dozer::event go("the signal");
  auto one = pool.submit(dozer::named("sleeper", [&] { go.wait(); }));
  std::string text;
  EXPECT_TRUE(dozer_test::eventually([&] {
    text = dozer::dump_state();
    return says(text, "the signal");
  })) << text;
  EXPECT_TRUE(says(text, "shown-")) << text;
  EXPECT_TRUE(says(text, "\"sleeper\"")) << text;
  go.set();
  one.get();
  EXPECT_TRUE(says(dozer::current_state().to_json(), "\"trouble\": \"none\""));
}

}  // namespace
