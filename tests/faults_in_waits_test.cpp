// Every allocation fails in turn, and every start of a thread: waits, and reports of those that never end.
#include "faults.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <exception>
#include <functional>
#include <mutex>
#include <string>

namespace {

using dozer::wait_kind;
using dozer_test::expect_usable;
using dozer_test::fail_each;
using dozer_test::fault;
using dozer_test::trial;

/// Of a pool that throws waits out of a deadlock. What is counted here outlives the pool.
class watched {
 public:
  dozer::pool_options options(unsigned threads, dozer::deadlock_action answer = dozer::deadlock_action::throw_error) {
    dozer::pool_options o;
    o.threads = threads;
    o.name = "a name that is too long to be kept without memory";
    o.on_thread_start = [this, threads](unsigned index) { spares += index >= threads ? 1 : 0; };
    o.on_unhandled = [](std::exception_ptr error) {
      try {
        std::rethrow_exception(std::move(error));
      } catch (const std::bad_alloc&) {
      } catch (const dozer::deadlock_error&) {
      }
    };
    o.on_deadlock = [this, answer](const dozer::deadlock_report& r) {
      note(r);
      if (when_stuck) {
        when_stuck();
      }
      return answer;
    };
    return o;
  }
  void note(const dozer::deadlock_report& r) {
    EXPECT_GT(r.summary.size(), 20u);
    EXPECT_NE(r.what_is_wrong, dozer::deadlock_report::trouble::none);
    full += r.summary.find("no memory") == std::string::npos ? 1 : 0;
    try {
      EXPECT_EQ(r.to_string().find(r.summary), 0u);
    } catch (const std::bad_alloc&) {  // as one that allocates must
    }
    ++reports;
  }

  std::atomic<int> spares{0}, reports{0}, full{0};
  std::function<void()> when_stuck = {};
};

// First: once it is there, the reporter's thread stays.
TEST(Faults, ADeadlockIsReportedAlsoWithoutAThreadForIt) {
  for (int i = 0; i < 3; ++i) {
    watched seen;
    dozer::thread_pool pool(seen.options(1));
    trial now(fault::all_threads, 1);
    now.run([&] {
      EXPECT_THROW(pool.submit([] { dozer::event(wait_kind::pool, "never").wait(); }).get(), dozer::deadlock_error);
    });
    EXPECT_EQ(seen.reports, 1);
    EXPECT_EQ(seen.full, 1);
    expect_usable(pool);
  }
}

constexpr fault every_fault[] = {fault::allocation, fault::thread, fault::all_threads};

TEST(Faults, ABlockedJobGetsASpareOrGoesWithout) {
  for (const fault what : every_fault) {
    fail_each(what, [](trial& now) {
      watched seen;
      dozer::thread_pool pool(seen.options(1));
      now.run([&] {
        auto blocked = pool.submit([&seen] {
          dozer::blocking([&] {
            // While a spare comes up, if one comes.
            static_cast<void>(dozer_test::comes([&] { return seen.spares != 0; }));
          });
        });
        auto other = pool.submit([] { return dozer_test::fib(8); });
        EXPECT_EQ(other.get(), 21);
        blocked.get();
      });
      expect_usable(pool);
    });
  }
}

TEST(Faults, AJobThatAllWaitForIsRunByASpareOrReported) {
  for (const fault what : every_fault) {
    fail_each(what, [](trial& now) {
      watched seen;
      dozer::event done(wait_kind::pool, "done");
      dozer::thread_pool pool(seen.options(1));
      now.run([&] {
        dozer::external_token both_come;
        auto waits = pool.submit([&] { done.wait(); });
        auto sets = pool.submit([&] { done.set(); });
        both_come.drop();
        try {
          waits.get();
          EXPECT_TRUE(done.is_set());
        } catch (const dozer::deadlock_error&) {
          EXPECT_GE(seen.reports, 1);
        }
        sets.get();
      });
      expect_usable(pool);
    });
  }
}

TEST(Faults, LocksAndSignalsWorkWithoutMemory) {
  for (const fault what : every_fault) {
    fail_each(what, [](trial& now) {
      watched seen;
      dozer::mutex lock("lock");
      dozer::condition_variable came("came");
      dozer::semaphore free(0, "free");
      dozer::event begun("begun");
      int shared = 0;
      bool ready = false;
      const auto let_all_go = [&] {
        const dozer::mutex_guard hold(lock);
        ready = true;
        came.notify_all();
        begun.set();
        free.release(2);
      };
      dozer::thread_pool pool(seen.options(2));
      now.run([&] {
        const auto wait_for_all = [&] {
          begun.wait();
          free.acquire();
          std::unique_lock hold(lock);
          came.wait(hold, [&] { return ready; });
          for (int i = 0; i < 100; ++i) {
            ++shared;
            hold.unlock();
            hold.lock();
          }
        };
        auto one = pool.submit(wait_for_all);
        auto other = pool.submit(wait_for_all);
        static_cast<void>(dozer_test::comes([&] { return seen.spares == 2; }));
        let_all_go();
        one.get();
        other.get();
        EXPECT_EQ(shared, 200);
      });
      let_all_go();
      expect_usable(pool);
    });
  }
}

TEST(Faults, TheStateIsToldOrThereIsNoMemoryForIt) {
  dozer_test::start_the_reporter();  // before there is a wait that somebody outside may end
  watched seen;
  dozer::event over("an event with a name that needs memory");
  dozer::thread_pool pool(seen.options(2));
  auto blocked = pool.submit(dozer::named("a job with a name that needs memory", [&] { over.wait(); }));
  ASSERT_TRUE(dozer_test::eventually([&] { return seen.spares == 1 && pool.stats().asleep == 2; }));
  fail_each(fault::allocation, [&](trial& now) {
    const bool told = now.run([&] {
      EXPECT_NE(dozer::dump_state().find("waits for the event"), std::string::npos);
      EXPECT_NE(dozer::current_state().to_json().find("a job with a name"), std::string::npos);
      EXPECT_GE(pool.stats().members.size(), 3u);
    });
    EXPECT_EQ(told, !now.has_failed());
  });
  over.set();
  blocked.get();
}

/// Runs `wait`, which is part of a deadlock, in a worker of two, and expects that it is thrown out.
template <class Wait>
void expect_thrown_out(Wait wait) {
  fail_each(fault::allocation, [&](trial& now) {
    watched seen;
    {
      dozer::thread_pool pool(seen.options(2));
      now.run([&] {
        pool.submit([&wait, &pool] {
              try {
                wait(pool);
                ADD_FAILURE() << "nothing was thrown";
              } catch (const dozer::deadlock_error& e) {
                EXPECT_NE(std::strstr(e.what(), "part of a deadlock"), nullptr) << e.what();
              } catch (const std::bad_alloc&) {
                ADD_FAILURE() << "no memory in place of a deadlock";
              }
            })
            .get();
        EXPECT_GE(seen.reports, 1);
      });
      expect_usable(pool);
    }
    EXPECT_LE(seen.reports, 2);
    EXPECT_TRUE(seen.full == seen.reports || now.has_failed());
  });
}

TEST(Faults, AnEventThatNeverComesIsReportedAlsoWithoutMemory) {
  expect_thrown_out(
      [](dozer::thread_pool&) { dozer::event(wait_kind::pool, "an event with a name that needs memory").wait(); });
}

TEST(Faults, AMutexLockedTwiceIsReportedAlsoWithoutMemory) {
  expect_thrown_out([](dozer::thread_pool&) {
    dozer::mutex twice("twice");
    const dozer::mutex_guard hold(twice);
    const dozer::mutex_guard again(twice);
  });
}

TEST(Faults, AConditionVariableIsThrownOutOfWithItsMutexHeldAlsoWithoutMemory) {
  expect_thrown_out([](dozer::thread_pool&) {
    dozer::mutex lock("lock");
    dozer::condition_variable never(wait_kind::pool, "never");
    std::unique_lock hold(lock);
    try {
      never.wait(hold);
    } catch (const dozer::deadlock_error&) {
      EXPECT_TRUE(hold.owns_lock());
      throw;
    }
  });
}

TEST(Faults, AFutureThatNeverComesIsReportedAlsoWithoutMemory) {
  // The one waits for the job of the other, which has been handed what it waits for in turn.
  struct circle {
    std::atomic<int> come{0};
    dozer::future<void> first, second;
  };
  fail_each(fault::allocation, [&](trial& now) {
    watched seen;
    circle all;
    const auto wait_for = [&all](dozer::future<void>& other) {
      ++all.come;
      while (all.come < 3) {
        std::this_thread::yield();
      }
      try {
        if (other.valid()) {
          other.wait();
        }
      } catch (const std::bad_alloc&) {
        ADD_FAILURE() << "no memory in place of a deadlock";
      }
    };
    {
      dozer::thread_pool pool(seen.options(2));
      now.run([&] {
        dozer::external_token both_come;
        all.first = pool.submit([&] { wait_for(all.second); });
        all.second = pool.submit([&] { wait_for(all.first); });
        EXPECT_TRUE(dozer_test::eventually([&] { return all.come == 2; }));
        all.come = 3;
        both_come.drop();
        all.first.wait();
        all.second.wait();
        EXPECT_GE(seen.reports, 1);
      });
      all.come = 3;
      EXPECT_TRUE(seen.full == seen.reports || now.has_failed());
      expect_usable(pool);
    }
    all.first = {};
    all.second = {};
  });
}

TEST(Faults, AHandlerMayReleaseWhatWaitsAlsoWithoutMemory) {
  fail_each(fault::allocation, [](trial& now) {
    watched seen;
    dozer::event done(wait_kind::pool, "done");
    seen.when_stuck = [&] { done.set(); };
    dozer::thread_pool pool(seen.options(1, dozer::deadlock_action::proceed));
    now.run([&] {
      pool.submit([&] { done.wait(); }).get();
      EXPECT_EQ(seen.reports, 1);
    });
    expect_usable(pool);
  });
}

TEST(Faults, AStallIsReportedAlsoWithoutMemory) {
  fail_each(fault::allocation, [](trial& now) {
    watched seen;
    std::atomic<bool> alone{false};  // nothing is queued behind it
    dozer::pool_options options = seen.options(1);
    options.stall_after = std::chrono::milliseconds(2);
    options.on_stall = [&](const dozer::deadlock_report& r) { seen.note(r); };
    dozer::thread_pool pool(std::move(options));
    now.run([&] {
      auto stalls = pool.submit(dozer::named("a job with a name that needs memory", [&] {
        EXPECT_TRUE(dozer_test::eventually([&] { return seen.reports != 0 || alone; }));
      }));
      pool.submit([] {}).get();
      stalls.get();
    });
    alone = true;
    EXPECT_TRUE(seen.full >= 1 || now.has_failed());
    expect_usable(pool);
  });
}

#if !defined(DOZER_PLATFORM_TSAN)

constexpr int with_a_failure = 42, without_a_failure = 43;
trial* current = nullptr;

/// In a child: a deadlock that nobody handles, and the k-th allocation fails.
[[noreturn]] void deadlock_with(std::uint64_t k) {
  std::set_terminate([] { _exit(1); });
  std::signal(SIGABRT, [](int) {
    current->disarm();
    _exit(current->has_failed() ? with_a_failure : without_a_failure);
  });
  dozer::thread_pool pool(1);
  trial now(fault::allocation, k);
  current = &now;
  now.run([&] { pool.submit([] { dozer::event(wait_kind::pool, "never").wait(); }).wait(); });
  _exit(with_a_failure);  // no memory for the job
}

TEST(FaultsDeathTest, ADeadlockWithoutAHandlerIsSaidAlsoWithoutMemory) {
  bool failed = true;
  for (std::uint64_t k = 2; failed && !HasFailure(); ++k) {  // the first is for the job
    const auto ended = [&](int status) {
      failed = WIFEXITED(status) && WEXITSTATUS(status) == with_a_failure;
      return failed || (WIFEXITED(status) && WEXITSTATUS(status) == without_a_failure);
    };
    EXPECT_EXIT(deadlock_with(k), ended, "dozer: Deadlock: nobody is left who could end what is waited for");
  }
}

/// In a child that forks: the k-th allocation of its own child fails.
[[noreturn]] void fork_with(std::uint64_t k) {
  auto* const pool = new dozer::thread_pool(1);
  trial now(fault::allocation, k);
  int status = 0;
  now.run([&] {
    const pid_t child = fork();
    if (child == 0) {
      delete pool;  // which was left behind
      _exit(0);
    }
    waitpid(child, &status, 0);
  });
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

TEST(FaultsDeathTest, AChildOfForkWithoutMemorySaysSo) {
  EXPECT_EXIT(fork_with(1), testing::ExitedWithCode(SIGABRT), "dozer: .*no memory");
  EXPECT_EXIT(fork_with(2), testing::ExitedWithCode(0), "");
}

#endif

}  // namespace
