// Jobs that spawn themselves again keep no other job waiting for ever. What counts is jobs, not time.
#include <dozer/detail/pool_core.hpp>

#include "support.hpp"

#include <array>
#include <functional>

namespace {

using dozer::thread_pool;
using dozer_test::eventually;

constexpr long most_respawns = 1000;  // of each worker, before another job is served

/// One job for each worker, which spawns itself again until it is told to end. The jobs can be held up, so that what is
/// posted meanwhile is there before the counting begins.
class respawning {
 public:
  explicit respawning(thread_pool& pool) : pool_(pool) {
    for (unsigned i = 0; i < pool.threads(); ++i) {
      pool_.spawn([this] { again(); });
    }
  }
  ~respawning() {
    over_ = true;
    EXPECT_TRUE(eventually([&] { return ended_ == pool_.threads(); }));
  }
  respawning(const respawning&) = delete;
  respawning& operator=(const respawning&) = delete;

  /// Posts by `post`, in a thread of its own; the jobs go on when `is_posted`.
  template <class Post, class IsPosted>
  void run_beside(Post post, IsPosted is_posted) {
    EXPECT_TRUE(eventually([&] { return waiting_ == 0; }));  // none is left from the round before
    held_up_ = true;
    EXPECT_TRUE(eventually([&] { return waiting_ == pool_.threads(); }));
    std::thread poster(post);
    EXPECT_TRUE(eventually(is_posted));
    for (auto& count : since_) {
      count = 0;
    }
    held_up_ = false;
    poster.join();
  }
  /// By the calling worker, since the jobs went on.
  [[nodiscard]] long respawns() const { return since_.at(*dozer::current_thread_index()); }

 private:
  void again() {
    if (held_up_) {
      ++waiting_;
      while (held_up_) {
        std::this_thread::yield();
      }
      --waiting_;
    }
    ++since_.at(*dozer::current_thread_index());
    if (over_) {
      ++ended_;
    } else {
      pool_.spawn([this] { again(); });
    }
  }

  thread_pool& pool_;
  std::atomic<bool> held_up_{false}, over_{false};
  std::atomic<unsigned> waiting_{0}, ended_{0};
  std::array<std::atomic<long>, 2> since_{};
};

[[nodiscard]] bool something_is_injected(thread_pool& pool) { return !dozer::detail::core_of(pool).injected.empty(); }

TEST(Fairness, ASubmittedJobIsServedBesideJobsThatSpawnThemselvesAgain) {
  thread_pool pool(2);
  respawning busy(pool);
  for (int round = 0; round < 20; ++round) {
    long after = -1;
    busy.run_beside([&] { after = pool.submit([&] { return busy.respawns(); }).get(); },
                    [&] { return something_is_injected(pool); });
    EXPECT_GE(after, 0);
    EXPECT_LT(after, most_respawns);
  }
}

TEST(Fairness, AnInstallFromAnotherPoolIsServed) {
  thread_pool pool(2), other(1);
  respawning busy(pool);
  for (int round = 0; round < 20; ++round) {
    long after = -1;
    busy.run_beside([&] { after = other.submit([&] { return pool.install([&] { return busy.respawns(); }); }).get(); },
                    [&] { return something_is_injected(pool); });
    EXPECT_GE(after, 0);
    EXPECT_LT(after, most_respawns);
  }
}

TEST(Fairness, ABroadcastIsServedByEachWorker) {
  thread_pool pool(2);
  respawning busy(pool);
  for (int round = 0; round < 20; ++round) {
    std::vector<long> after;
    busy.run_beside([&] { after = pool.broadcast([&](dozer::broadcast_context) { return busy.respawns(); }); },
                    [&] {
                      auto& seats = dozer::detail::core_of(pool).seats;
                      return seats[0].mail.has_come() && seats[1].mail.has_come();
                    });
    ASSERT_EQ(after.size(), 2u);
    EXPECT_LT(after[0], most_respawns);
    EXPECT_LT(after[1], most_respawns);
  }
}

/// In a pool of one, where no thief can help: spawns itself again until `over`, and returns how often.
class respawning_alone {
 public:
  explicit respawning_alone(std::function<bool()> over) : over_(std::move(over)) {}
  void operator()() {
    if (!over_() && ++times_ < 10 * most_respawns) {
      dozer::spawn([this] { (*this)(); });
    }
  }
  [[nodiscard]] long times() const { return times_; }

 private:
  std::function<bool()> over_;
  std::atomic<long> times_{0};
};

enum class posted { newest_first, in_order, in_a_scope, in_a_scope_in_order, as_second_half };

TEST(Fairness, AWorkersOwnOldestJobIsServedHoweverItWasPosted) {
  for (const posted how : {posted::newest_first, posted::in_order, posted::in_a_scope, posted::in_a_scope_in_order,
                           posted::as_second_half}) {
    std::atomic<bool> served{false};
    respawning_alone busy([&] { return served.load(); });
    thread_pool pool(1);
    pool.submit([&] {
          const auto serve = [&] { served = true; };
          const auto keep_busy = [&] { dozer::spawn([&] { busy(); }); };
          const auto both = [&](dozer::spawner& s) {
            s.spawn(serve);
            keep_busy();
          };
          switch (how) {
            case posted::newest_first:
              dozer::spawn(serve);
              return keep_busy();
            case posted::in_order:
              dozer::spawn(dozer::fifo, serve);
              return keep_busy();
            case posted::in_a_scope:
              return dozer::scope(both);
            case posted::in_a_scope_in_order:
              return dozer::scope(dozer::fifo, both);
            case posted::as_second_half:
              return dozer::join(keep_busy, serve);
          }
        })
        .get();
    EXPECT_TRUE(eventually([&] { return served.load(); }));
    EXPECT_LT(busy.times(), most_respawns) << static_cast<int>(how);
  }
}

/// What respawns was spawned in the first closure, and goes on until the call has returned.
TEST(Fairness, JoinsAndLoopsReturnBesideJobsThatWereSpawnedInThem) {
  enum { a_join, a_loop_of_two, a_loop_of_sixteen, a_loop_of_fifty, a_loop_that_throws };
  for (const int what : {a_join, a_loop_of_two, a_loop_of_sixteen, a_loop_of_fifty, a_loop_that_throws}) {
    std::atomic<bool> returned{false};
    respawning_alone busy([&] { return returned.load(); });
    thread_pool pool(1);
    const auto loop = [&](int count, bool throws) {
      dozer::parallel_for(0, count, [&](int i) {
        if (i == 0) {
          dozer::spawn([&] { busy(); });
          if (throws) {
            throw std::runtime_error("the first iteration");
          }
        }
      });
    };
    pool.submit([&] {
          switch (what) {
            case a_join:
              dozer::join([&] { dozer::spawn([&] { busy(); }); }, [] {});
              break;
            case a_loop_that_throws:
              EXPECT_THROW(loop(4, true), std::runtime_error);
              break;
            default:
              loop(what == a_loop_of_two ? 2 : what == a_loop_of_sixteen ? 16 : 50, false);
          }
          returned = true;
        })
        .get();
    EXPECT_LT(busy.times(), 4 * most_respawns) << what;  // a loop has up to 16 forks, and each waits for its turn
    EXPECT_TRUE(dozer_test::all_asleep(pool));           // `busy` has ended
  }
}

/// A job that its owner keeps private, in a long job, beside a worker that always finds an injected one.
TEST(Fairness, APrivateJobIsServedBesideInjectedOnes) {
  std::atomic<bool> busy{false}, forked{false}, served{false}, over{false};
  std::atomic<long> injected{0};
  thread_pool pool(2);
  std::function<void()> inject_again = [&] {
    busy = true;
    EXPECT_TRUE(eventually([&] { return forked.load(); }));  // so that the fork finds no member hungry
    if (!served && ++injected < 10 * most_respawns) {
      // From outside, so that it goes to the injector.
      std::thread([&] { pool.spawn([&] { inject_again(); }); }).join();
    } else {
      over = true;
    }
  };
  pool.spawn([&] { inject_again(); });
  EXPECT_TRUE(eventually([&] { return busy.load(); }));
  pool.submit([&] {
        dozer::join(
            [&] {
              forked = true;
              EXPECT_TRUE(eventually([&] { return over.load(); }));
            },
            [&] { served = true; });
      })
      .get();
  EXPECT_TRUE(served);
  EXPECT_LT(injected, most_respawns);
}

}  // namespace
