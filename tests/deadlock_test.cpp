// Deadlocks that users make: found, named, and recovered from.
#include <dozer/dozer.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "deadlock_support.hpp"
#include "support.hpp"

namespace {

using namespace std::chrono_literals;
using dozer::deadlock_action;
using dozer::deadlock_report;
using dozer::wait_kind;
using dozer_test::eventually;
using dozer_test::reports;
using dozer_test::says;

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
      ASSERT_TRUE(eventually([&] { return both.all_here(); }));
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
  dozer::external_token until_both_wait;
  auto one = pool.submit([&] { never.wait(); });
  auto other = pool.submit([&] { never.wait(); });
  EXPECT_TRUE(dozer_test::both_blocked(pool));
  std::this_thread::sleep_for(5ms);
  EXPECT_EQ(seen.count(), 0u);
  until_both_wait.drop();
  EXPECT_THROW(one.get(), dozer::deadlock_error);
  EXPECT_THROW(other.get(), dozer::deadlock_error);
  const deadlock_report r = seen.only();
  ASSERT_EQ(r.workers.size(), 2u) << r.to_string();
  for (const deadlock_report::worker& worker : r.workers) {
    ASSERT_NE(worker.waits_for(), nullptr);
    EXPECT_EQ(worker.waits_for()->name, "never");
    EXPECT_EQ(worker.waits_for()->what, &never);
    EXPECT_GT(worker.waits_for()->seconds, 0.004);
  }
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
  first->wait();
  second->wait();
  first->get();
  second->get();
  EXPECT_GE(thrown, 1);
  const deadlock_report r = seen.only();
  EXPECT_FALSE(r.cycle.empty()) << r.to_string();
}

/// The trap of https://github.com/rayon-rs/rayon/issues/592: the wait picks up a job that wants the lock that is held.
TEST(Deadlock, ALockHeldAcrossAJoin) {
  reports seen;
  dozer::thread_pool pool(seen.options(2));
  dozer::mutex m("the lock");
  std::atomic<bool> second_half_runs{false}, other_is_queued{false}, other_runs{false};
  auto holder = pool.submit(dozer::named("holder", [&] {
    const dozer::mutex_guard hold(m);
    dozer::join([&] { EXPECT_TRUE(eventually([&] { return second_half_runs && other_is_queued; })); },
                [&] {
                  second_half_runs = true;
                  EXPECT_TRUE(eventually([&] { return other_runs.load(); }));
                });
  }));
  EXPECT_TRUE(eventually([&] { return second_half_runs.load(); }));
  auto other = pool.submit(dozer::named("other", [&] {
    other_runs = true;
    const dozer::mutex_guard hold(m);
  }));
  other_is_queued = true;
  EXPECT_THROW(other.get(), dozer::deadlock_error);
  holder.get();
  const deadlock_report r = seen.only();
  const std::string text = r.to_string();
  for (const char* const what : {"Deadlock: a thread waits for itself", "\"the lock\"",
                                 "held by itself: a job further down on its own stack seems to have locked it",
                                 "runs \"holder\"", "waits for the other half of a join", "runs \"other\""}) {
    EXPECT_TRUE(says(text, what)) << what << " is not in\n" << text;
  }
  for (const deadlock_report::entry& each : r.workers.at(0).stack) {
    EXPECT_TRUE(!each.waits || each.seconds > 0) << "since when is not in\n" << text;
  }
}

/// One job, so there is nothing further down.
TEST(Deadlock, AJobThatLocksTwice) {
  reports seen;
  dozer::thread_pool pool(seen.options(1));
  dozer::mutex m("twice");
  auto job = pool.submit([&] {
    const dozer::mutex_guard hold(m);
    const dozer::mutex_guard again(m);
  });
  try {
    job.get();
    FAIL() << "it got the lock twice";
  } catch (const dozer::deadlock_error& e) {
    EXPECT_TRUE(says(e.what(), "the mutex \"twice\"")) << e.what();
  }
  EXPECT_TRUE(says(seen.only().summary, "held by itself: it has locked it before")) << seen.only().summary;
}

/// It is in a pool when it locks again: the holder is the thread, wherever it was before.
TEST(Deadlock, AThreadThatLocksOutsideAndAgainInsideInstall) {
  reports seen;
  dozer::thread_pool pool(seen.options(1));
  dozer::mutex m("twice");
  const dozer::mutex_guard hold(m);
  EXPECT_THROW(pool.install([&] { const dozer::mutex_guard again(m); }), dozer::deadlock_error);
  EXPECT_TRUE(says(seen.only().summary, "Deadlock: a thread waits for itself")) << seen.only().summary;
}

/// What has no name is told apart by its address; what is on top of its stack is under nothing; a wait for a future
/// says where it is.
TEST(Deadlock, TheSentencesAreTrue) {
  reports seen;
  dozer::thread_pool pool(seen.options(1));
  std::optional<dozer::future<void>> own;
  dozer::event is_there;
  own.emplace(pool.submit([&] {
    is_there.wait();
    own->wait();
  }));
  is_there.set();
  EXPECT_TRUE(eventually([&] { return seen.count() == 1; }));
  const deadlock_report r = seen.only();
  EXPECT_FALSE(says(r.summary, "begun since")) << r.summary;
  EXPECT_TRUE(says(r.workers.at(0).waits_for()->where, "deadlock_test.cpp")) << r.to_string();
  EXPECT_THROW(own->get(), dozer::deadlock_error);

  dozer::mutex nameless;
  auto twice = pool.submit([&] {
    const dozer::mutex_guard hold(nameless);
    const dozer::mutex_guard again(nameless);
  });
  EXPECT_THROW(twice.get(), dozer::deadlock_error);
  EXPECT_TRUE(says(seen.last().summary, "the mutex at 0x")) << seen.last().summary;
}

TEST(Deadlock, AScopeWaitsForAJobThatWaitsForTheScope) {
  reports seen;
  dozer::thread_pool pool(seen.options(2));
  std::optional<dozer::future<void>> outer;
  dozer::event it_is_there("it is there");
  outer.emplace(pool.submit(dozer::named("outer", [&] {
    dozer::scope([&](dozer::spawner& s) {
      s.spawn(dozer::named("inner", [&] {
        it_is_there.wait();
        EXPECT_THROW(outer->wait(), dozer::deadlock_error);
      }));
    });
  })));
  it_is_there.set();
  outer->get();
  const std::string text = seen.only().to_string();
  for (const char* const what :
       {"Deadlock: ", "\"outer\"", "\"inner\"", "waits for a future", "waits for the jobs of a scope", "The circle:"}) {
    EXPECT_TRUE(says(text, what)) << what << " is not in\n" << text;
  }
}

TEST(Deadlock, ACircleThroughTwoPools) {
  reports seen;
  dozer::pool_options left_options = seen.options(1);
  left_options.name = "left";
  dozer::pool_options right_options = seen.options(1);
  right_options.name = "right";
  dozer::thread_pool left(left_options), right(right_options);
  dozer::mutex a("a"), b("b");
  dozer_test::rendezvous both(2);
  const auto take = [&](dozer::mutex& first, dozer::mutex& second) {
    const dozer::mutex_guard hold(first);
    both.arrive();
    EXPECT_TRUE(eventually([&] { return both.all_here(); }));
    const dozer::mutex_guard also(second);
  };
  auto one = left.submit([&] { take(a, b); });
  auto other = right.submit([&] { take(b, a); });
  int thrown = 0;
  for (auto* const each : {&one, &other}) {
    try {
      each->get();
    } catch (const dozer::deadlock_error&) {
      ++thrown;
    }
  }
  EXPECT_GE(thrown, 1);
  const deadlock_report r = seen.only();
  EXPECT_EQ(r.cycle.size(), 2u) << r.to_string();
  EXPECT_TRUE(says(r.summary, "left-0 waits for the mutex \"b\" held by right-0")) << r.summary;
}

TEST(Deadlock, ASecondOneIsReportedAgain) {
  reports seen;
  dozer::thread_pool pool(seen.options(2));
  dozer::event never(wait_kind::pool, "never");
  for (std::size_t episode = 1; episode <= 3; ++episode) {
    auto one = pool.submit([&] { never.wait(); });
    EXPECT_THROW(one.get(), dozer::deadlock_error);
    EXPECT_EQ(seen.count(), episode);
  }
}

/// Whoever is thrown out may lock again at once: the other one was thrown out as well, or has got its lock.
TEST(Deadlock, ThrownOutTheyTryAgainInTheRightOrderAndMeetNoSecondOne) {
  reports seen;
  dozer::thread_pool pool(seen.options(2));
  for (std::size_t round = 1; round <= 200; ++round) {
    dozer::mutex a("a"), b("b");
    dozer_test::rendezvous both(2);
    const auto take = [&](dozer::mutex& first, dozer::mutex& second) {
      try {
        const dozer::mutex_guard hold(first);
        both.arrive();
        EXPECT_TRUE(eventually([&] { return both.all_here(); }));
        const dozer::mutex_guard also(second);
      } catch (const dozer::deadlock_error&) {
        const dozer::mutex_guard hold(a);
        const dozer::mutex_guard also(b);
      }
    };
    auto one = pool.submit([&] { take(a, b); });
    auto other = pool.submit([&] { take(b, a); });
    EXPECT_NO_THROW(one.get());
    EXPECT_NO_THROW(other.get());
    EXPECT_EQ(seen.count(), round);
  }
}

TEST(Deadlock, TheHandlerMayReleaseSomebody) {
  reports seen;
  dozer::event happened(wait_kind::pool, "happened");
  dozer::pool_options options = seen.options(2);
  options.on_deadlock = [&](const deadlock_report& r) {
    seen.keep(r);
    happened.set();
    return deadlock_action::proceed;
  };
  dozer::thread_pool pool(options);
  for (std::size_t episode = 1; episode <= 3; ++episode) {
    pool.submit([&] { happened.wait(); }).get();
    happened.reset();
    EXPECT_EQ(seen.count(), episode);
  }
}

/// As a user does who has a way to wait of its own.
TEST(Deadlock, AWaitSlotThatNobodyIsLeftToUnblock) {
  reports seen;
  dozer::pool_options options = seen.options(2);
  std::mutex lock;
  std::condition_variable changed;
  dozer::wait_slot slot;
  bool over = false;
  options.on_deadlock = [&](const deadlock_report& r) {
    seen.keep(r);
    const std::lock_guard hold(lock);
    slot.mark_unblocked();
    over = true;
    changed.notify_one();
    return deadlock_action::proceed;
  };
  dozer::thread_pool pool(options);
  pool.submit([&] {
        std::unique_lock hold(lock);
        slot.mark_blocked("a turn of one's own", &changed);
        changed.wait(hold, [&] { return over; });
      })
      .get();
  EXPECT_TRUE(says(seen.only().to_string(), "a turn of one's own")) << seen.only().to_string();
}

TEST(Deadlock, IsNotHiddenByAnOutsiderThatLooksInNowAndThen) {
  reports seen;
  dozer::thread_pool pool(seen.options(2));
  dozer::event never(wait_kind::pool, "never");
  auto waiting = pool.submit([&] { never.wait(); });
  EXPECT_TRUE(eventually([&] { return waiting.wait_for(1ms); }));
  EXPECT_THROW(waiting.get(), dozer::deadlock_error);
}

/// The mutex that a wait for a condition wants back has a part in the next deadlock: still one error leaves, not two.
TEST(Deadlock, AConditionWhoseMutexIsHeldByAnother) {
  reports seen;
  dozer::thread_pool pool(seen.options(2));
  dozer::mutex m("m");
  dozer::condition_variable never_notified(wait_kind::pool, "never notified");
  dozer::event never(wait_kind::pool, "never");
  std::atomic<bool> waits{false};
  dozer::external_token until_both_wait;
  auto condition = pool.submit([&] {
    std::unique_lock hold(m);
    waits = true;
    never_notified.wait(hold);
  });
  auto holder = pool.submit([&] {
    EXPECT_TRUE(eventually([&] { return waits.load(); }));
    const dozer::mutex_guard hold(m);
    EXPECT_THROW(never.wait(), dozer::deadlock_error);
    EXPECT_THROW(never.wait(), dozer::deadlock_error);
  });
  EXPECT_TRUE(dozer_test::both_blocked(pool));
  until_both_wait.drop();
  EXPECT_THROW(condition.get(), dozer::deadlock_error);
  holder.get();
  EXPECT_EQ(seen.count(), 2u);
}

TEST(DeadlockDeathTest, IfNothingCanThrowItAborts) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        dozer::thread_pool pool(
            {.threads = 1, .on_deadlock = [](const deadlock_report&) { return deadlock_action::throw_error; }});
        pool.submit([] {
              dozer::wait_slot slot;
              slot.mark_blocked("nothing that could throw");
              std::this_thread::sleep_for(1h);
            })
            .get();
      },
      "nothing of what is waited for here can throw");
}

TEST(DeadlockDeathTest, WithoutAHandlerItPrintsAndAborts) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        dozer::thread_pool pool(2);
        dozer::event never(wait_kind::pool, "the end of time");
        pool.submit(dozer::named("waiter", [&] { never.wait(); })).get();
      },
      "dozer: Deadlock: nobody is left who could end what is waited for: dozer-[01] waits for the event "
      "\"the end of time\"");
}

/// The thread that calls the handler looks at the pool, so it would wait for itself.
TEST(DeadlockDeathTest, AHandlerThatDestroysItsOwnPoolIsToldSo) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        std::unique_ptr<dozer::thread_pool> pool;
        dozer::event never(wait_kind::pool, "never");
        pool = std::make_unique<dozer::thread_pool>(
            dozer::pool_options{.threads = 1, .on_deadlock = [&](const deadlock_report&) {
                                  never.set();
                                  pool.reset();
                                  return deadlock_action::proceed;
                                }});
        pool->spawn([&] { never.wait(); });
        std::this_thread::sleep_for(1h);
      },
      "dozer: a pool was destroyed by its own on_deadlock handler");
  EXPECT_DEATH(
      {
        std::unique_ptr<dozer::thread_pool> pool;
        std::atomic<bool> over{false};
        pool = std::make_unique<dozer::thread_pool>(dozer::pool_options{.threads = 1,
                                                                        .on_stall =
                                                                            [&](const deadlock_report&) {
                                                                              over = true;
                                                                              pool.reset();
                                                                            },
                                                                        .stall_after = 10ms});
        pool->spawn([&] { EXPECT_TRUE(eventually([&] { return over.load(); })); });
        pool->spawn([] {});
        std::this_thread::sleep_for(1h);
      },
      "dozer: a pool was destroyed by its own on_stall handler");
}

/// The JSON of a report with everything in it, read by somebody else's reader.
TEST(Deadlock, TheReportAsJson) {
  reports seen;
  dozer::thread_pool pool(seen.options(2));
  dozer::mutex m("a \"quoted\" \\ name\n \xff \xc3\xa9 \xed\xa0\x80");
  auto one = pool.submit([&] {
    const dozer::mutex_guard hold(m);
    const dozer::mutex_guard again(m);
  });
  EXPECT_THROW(one.get(), dozer::deadlock_error);
  const auto parsed = nlohmann::json::parse(seen.only().to_json());
  EXPECT_EQ(parsed["trouble"], "deadlock");
  EXPECT_EQ(parsed["cycle"].size(), 1u);
  ASSERT_EQ(parsed["workers"].size(), 1u);
  const auto& worker = parsed["workers"][0];
  EXPECT_EQ(worker["state"], "blocked");
  EXPECT_GT(worker["thread"].get<long>(), 0);
  const auto& wait = worker["stack"].back();
  EXPECT_EQ(wait["waits_for"], "mutex");
  EXPECT_EQ(wait["name"], "a \"quoted\" \\ name\n \xef\xbf\xbd \xc3\xa9 \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(wait["held_by"], worker["name"]);
  EXPECT_TRUE(says(wait["where"].get<std::string>(), "deadlock_test.cpp:"));
  EXPECT_EQ(parsed["idle"], 1);
}

}  // namespace
