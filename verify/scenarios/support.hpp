// What the scenarios share: a pool on the model platform, jobs that know how often they ran, and what must be true when
// nothing moves any more.
#pragma once

#include "scenario.hpp"

#include <dozer/detail/pool_core.hpp>
#include <dozer/detail/wait.hpp>
#include <dozer/dozer.hpp>

#include <cstdint>
#include <string>
#include <type_traits>

namespace verify {

using namespace dozer::detail;

/// A job that must run once.
class once : public posted_job {
 public:
  using action = void (*)(once&, seat&);
  explicit once(action a = nullptr, pool_core* held = nullptr) noexcept
      : posted_job(kind_of<once>), action_(a), held_(held) {}

  static void run(job& self, seat& here) noexcept {
    auto& me = static_cast<once&>(self);
    if (++me.runs_ != 1) {
      on().fail("job twice", "a job ran a second time");
    }
    pool_core* const held = me.held_;
    if (me.action_ != nullptr) {
      me.action_(me, here);
    }
    if (held != nullptr) {
      held->let_go();
    }
  }
  static const char* name(const job&) noexcept { return nullptr; }

  [[nodiscard]] bool ran() const noexcept { return runs_ == 1; }
  void* context = nullptr;

 private:
  action action_;
  pool_core* held_;  // a detached job lets go of its pool
  int runs_ = 0;
};

/// A job that does f() or f(seat), once. Made for ever.
template <class F>
[[nodiscard]] once& job_that(F f) {
  struct with_closure : once {
    explicit with_closure(F what) noexcept
        : once([](once& self, seat& here) {
            F& call = static_cast<with_closure&>(self).closure;
            if constexpr (std::is_invocable_v<F&, seat&>) {
              call(here);
            } else {
              call();
            }
          }),
          closure(what) {}
    F closure;
  };
  return *new with_closure(f);
}
/// The same, and it waits for go() first.
template <class F>
[[nodiscard]] once& job_after_go(F f) {
  return job_that([f](seat& here) mutable {
    on().hold_until_go();
    if constexpr (std::is_invocable_v<F&, seat&>) {
      f(here);
    } else {
      f();
    }
  });
}

/// An outside thread of the scenario.
template <class F>
class outsider {
 public:
  /// `waits`: for go(), before anything else.
  explicit outsider(const char* name, F f, bool waits = true) : f_(f), name_(name), waits_(waits) {
    static_cast<void>(thread_.start(&main, this, 0));
  }

 private:
  static void main(void* raw) noexcept {
    auto& me = *static_cast<outsider*>(raw);
    on().name_thread(me.name_);
    if (me.waits_) {
      on().hold_until_go();
    }
    me.f_();
  }

  F f_;
  const char* name_;
  bool waits_;
  dozer::detail::thread thread_;
};

/// An outside thread that does f(), after go() or at once. What f refers to must live on.
template <class F>
void outside_after_go(const char* name, F f) {
  new outsider(name, f);
  on().settle();
}
template <class F>
void outside_at_once(const char* name, F f) {
  new outsider(name, f, false);
  on().settle();
}

/// What several threads count in a scenario: no step of theirs, but part of the state.
class tally {
 public:
  tally() { on().count_as_state(&count_, sizeof count_); }
  void add() noexcept { count_.bump(); }
  [[nodiscard]] std::uint32_t now() const noexcept { return count_.get(); }

 private:
  reported<std::uint32_t> count_{0};
};

/// Keeps steps of a scenario in order.
class gate {
 public:
  void open() noexcept {
    word_.store(1, release);
    unpark_one(&word_, channel::first);
  }
  void wait() noexcept {
    while (word_.load(acquire) == 0) {
      park(word_, 0, channel::first);
    }
  }

 private:
  atomic<std::uint32_t> word_{0};
};

enum class reporter_is {
  the_last_victim,  // the system gives no thread for it: whoever suspects looks into it, as in report_here
  a_thread,
};
/// Before the first pool: the census is part of the run, and standstills are looked into. The handlers of all pools
/// count them, and answer so.
void count_people(reporter_is who = reporter_is::the_last_victim,
                  dozer::deadlock_action answer = dozer::deadlock_action::proceed);
/// So far.
[[nodiscard]] std::uint32_t deadlocks_reported();
/// The same, of standstills in which jobs are left and no spare worker comes.
[[nodiscard]] std::uint32_t starvings_reported();
/// As it is, without a step of anybody.
[[nodiscard]] census people_now();
/// From here on the library may abort: the thread that does stays there. And how often that was so far.
void expect_aborts();
[[nodiscard]] std::uint32_t aborts();
/// The calling thread comes out of fork() in the child, where the others must not run. Before go().
void fork_here();

/// What a pool is made with, whatever else the scenario wants of it.
[[nodiscard]] dozer::pool_options as_set(dozer::pool_options wanted);
/// Makes a pool whose workers sleep, as they are born. The handle is never destroyed: where a pool ends, the scenario
/// says so (pool_core::end).
[[nodiscard]] dozer::thread_pool& make_handle(dozer::pool_options wanted);
/// The global pool, which the free functions use in a thread of no pool.
[[nodiscard]] pool_core& start_global_pool(unsigned workers);
[[nodiscard]] pool_core& start_global_pool(dozer::pool_options wanted);
[[nodiscard]] pool_core& make_pool(unsigned workers, const char* name = "worker", unsigned spares = 0);
[[nodiscard]] pool_core& make_pool(const dozer::pool_options& options);
/// For a scenario that makes its first pool after go().
void threads_of_the_program();
/// Only starts it, as a thread_pool would. May throw.
[[nodiscard]] pool_core& start_pool(const dozer::pool_options& options);
/// What the first of these makes it with.
[[nodiscard]] dozer::pool_options usual_options(unsigned workers, const char* name = "worker", unsigned spares = 0);
/// Puts so many of its workers into a job that ends when the checking begins: they are awake, and about to look for
/// work. For at most three workers.
void wake_workers(pool_core& pool, unsigned count);
/// Puts a worker into a job that waits for the checking to begin and then calls `body`.
template <class Body>
once& put_to_work(pool_core& pool, Body body) {
  struct work : once {
    explicit work(Body b) : once(&begin_work), body(b) {}
    static void begin_work(once& self, seat&) {
      on().hold_until_go();
      static_cast<work&>(self).body();
    }
    Body body;
  };
  auto* const made = new work(body);
  pool.inject(*made);
  on().settle();
  return *made;
}
/// Injects it and lets it get as far as it can.
void put_into(pool_core& pool, once& j);
/// The set-up is over: the jobs event counter is where the setting wants it, and every interleaving is tried.
void start_counter(pool_core& pool);
template <class... Pools>
void begin(Pools&... pools) {
  (start_counter(pools), ...);
  on().go();
}
/// Everything that has to be so when nobody can go on, and nobody is inside a job: all ran, all sleep, counts are
/// right.
void expect_idle(pool_core& pool);
/// Work conservation, when nobody can go on though some are still inside jobs: no job that a sleeper could take.
void expect_work_conserved(pool_core& pool);
/// Waits for rest. Then every thread that was started must be gone, with all that it was counted as.
void expect_all_ended();
/// I4.
void expect_counts(counters word);
/// Fails with "lost wake-up" or "lost latch" or so if not.
void expect(bool holds, const char* property, const char* what);

/// Inside a job: stays there until everything else has come to rest and was looked at.
inline void long_leaf() { on().until_quiet(2); }
/// The main thread: waits for that rest, checks with `look`, then lets the leaves go on and waits for the end.
template <class Look>
void rest_then(Look&& look) {
  on().until_quiet(1);
  on().know_everything();
  look();
  on().until_quiet(3);
  on().know_everything();
}

}  // namespace verify
