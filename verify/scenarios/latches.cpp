// Latches, and what is built on them, against owners that go to sleep.
#include "scenarios.hpp"
#include "support.hpp"

namespace verify {

namespace {

/// A worker that waits for a latch, which is gone as soon as it is through; and what came with it.
struct waiting {
  one_shot_latch* latch = nullptr;
  int payload = 0;
  bool through = false;
  reported<bool> slept{false};  // when the latch was set, its owner slept on it
};

void latch_changed(void* self, std::uint64_t before, std::uint64_t now, thread_id) {
  constexpr std::uint64_t unset = 0, sleepy = 1, sleeping = 2, is_set = 3;
  const bool legal = (before == unset && now == sleepy) || (before == sleepy && now == sleeping) ||
                     (before != is_set && now == unset) || (before != is_set && now == is_set);
  expect(legal, "latch transition", "a latch went from one state to another that does not follow");
  if (now == is_set) {
    static_cast<waiting*>(self)->slept.set(before == sleeping);
  }
}

/// Sets a latch by `set`. An owner that did not sleep on it may be asleep for another reason by now: it is left alone.
template <class Set>
void set_and_count(const reported<bool>& slept, Set set) {
  const std::uint32_t before = on().did(on().self()).wakes;
  set();
  const std::uint32_t wakes = on().did(on().self()).wakes - before;
  expect(wakes <= (slept.get() ? 1 : 0) || !now_set.costs, "needless wake", "nobody slept on the latch that was set");
}

void wait_for_latch(once& self, seat& me) {
  auto& w = *static_cast<waiting*>(self.context);
  // On the heap, where its end is sure to be noticed: whoever touches it after that has used it after free.
  auto* const latch = new one_shot_latch(me);
  on().name(latch, "the latch");
  on().watch(latch, &latch_changed, &w);
  w.latch = latch;
  on().hold_until_go();
  static_cast<void>(wait_until(me, latch->core(), dozer::wait_reason::join, nullptr));
  expect(w.payload == 1, "latch payload", "the latch is set, and what was done before cannot be seen");
  delete latch;
  w.through = true;
}

void set_latch(once& self, seat& me) {
  auto& w = *static_cast<waiting*>(self.context);
  on().hold_until_go();
  w.payload = 1;
  set_and_count(w.slept, [&] { w.latch->set(me); });
}

void latch_with(bool noise) {
  pool_core& pool = make_pool(2);
  waiting w;
  once owner(&wait_for_latch), setter(&set_latch), more;
  owner.context = setter.context = &w;
  pool.inject(owner);
  on().settle();
  pool.inject(setter);
  on().settle();
  const auto inject = [&] { pool.inject(more); };
  if (noise) {
    new outsider("injector", inject);
    on().settle();
  }
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(w.through, "lost latch", "the latch is set and its owner sleeps on it");
  expect(!noise || more.ran(), "lost wake-up", "an injected job was not run");
  expect_idle(pool);
}

}  // namespace

void latch_against_sleep() { latch_with(false); }
void latch_with_a_poster() { latch_with(true); }

/// A wait with a deadline: in some runs the time is up at the worst moment.
void latch_with_a_deadline() {
  pool_core& pool = make_pool(2);
  waiting w;
  once owner([](once& self, seat& me) {
    auto& in = *static_cast<waiting*>(self.context);
    one_shot_latch latch(me);
    in.latch = &latch;
    on().watch(&latch, &latch_changed, &in);
    on().hold_until_go();
    if (!wait_until(me, latch.core(), dozer::wait_reason::join, nullptr, deadline_after(1))) {
      static_cast<void>(wait_until(me, latch.core(), dozer::wait_reason::join, nullptr));
    }
    expect(in.payload == 1, "latch payload", "the latch is set, and what was done before cannot be seen");
    in.through = true;
  });
  once setter(&set_latch);
  owner.context = setter.context = &w;
  pool.inject(owner);
  on().settle();
  pool.inject(setter);
  on().settle();
  begin(pool);
  rest_then([] {});
  expect(w.through, "lost latch", "the latch is set and its owner sleeps on it");
  expect_idle(pool);
}

/// A thread of no pool sets the latch of a worker, which goes on, and may sleep again before the setter is through.
void cross_pool_latch_against_sleep() {
  pool_core& pool = make_pool(1);
  waiting w;
  cross_pool_latch* latch = nullptr;
  put_into(pool, job_that([&](seat& me) {
             latch = new cross_pool_latch(me);
             on().watch(latch, &latch_changed, &w);
             on().hold_until_go();
             static_cast<void>(wait_until(me, latch->core(), dozer::wait_reason::install, nullptr));
             expect(w.payload == 1, "latch payload", "the latch is set, and what was done before cannot be seen");
             delete latch;
             w.through = true;
           }));
  outside_after_go("setter", [&] {
    w.payload = 1;
    set_and_count(w.slept, [&] { latch->set(nullptr); });
  });
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(w.through, "lost latch", "the latch is set and its owner sleeps on it");
  expect_idle(pool);
}

/// A thread of no pool blocks until a worker sets its latch.
void blocking_latch_against_set() {
  pool_core& pool = make_pool(1);
  struct shared {
    blocking_latch* latch = nullptr;
    int payload = 0;
    reported<bool> awaited{false};
  } s;
  once setter([](once& self, seat&) {
    auto& in = *static_cast<shared*>(self.context);
    on().hold_until_go();
    in.payload = 1;
    set_and_count(in.awaited, [&] { in.latch->set(); });
  });
  setter.context = &s;
  pool.inject(setter);
  on().settle();
  bool through = false;
  const auto wait = [&] {
    // Where a stack frame would be: gone as soon as the wait is over.
    auto* const latch = new blocking_latch;
    s.latch = latch;
    on().watch(
        latch,
        [](void* awaited, std::uint64_t before, std::uint64_t, thread_id) {
          static_cast<reported<bool>*>(awaited)->set(before != 0);
        },
        &s.awaited);
    on().hold_until_go();
    latch->wait();
    expect(s.payload == 1, "latch payload", "the latch is set, and what was done before cannot be seen");
    delete latch;
    through = true;
  };
  new outsider("waiter", wait, false);
  on().settle();
  begin(pool);
  rest_then([] {});
  expect(through, "lost latch", "the latch is set and its owner sleeps on it");
  expect_idle(pool);
}

/// A scope whose two jobs another worker may steal.
void scope_with_thieves() {
  pool_core& pool = make_pool(2);
  struct shared {
    int done[2] = {};
    bool through = false;
  } s;
  once opener([](once& self, seat&) {
    auto& in = *static_cast<shared*>(self.context);
    on().hold_until_go();
    dozer::scope([&in](dozer::spawner& spawn) {
      spawn.spawn([&in] { in.done[0] = 1; });
      spawn.spawn([&in] { in.done[1] = 1; });
    });
    expect(in.done[0] == 1 && in.done[1] == 1, "latch payload", "a scope ended before its jobs");
    in.through = true;
  });
  opener.context = &s;
  pool.inject(opener);
  on().settle();
  wake_workers(pool, 1);
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(s.through, "lost latch", "all jobs of a scope are done and its owner sleeps");
  expect_idle(pool);
}

/// A broadcast from outside, while the workers go to sleep.
template <unsigned Workers>
void broadcast_against_sleep() {
  pool_core& pool = make_pool(Workers);
  wake_workers(pool, Workers);
  struct shared {
    int runs[Workers] = {};
    bool through = false;
  } s;
  const auto send = [&] {
    const auto count = [&s](dozer::broadcast_context here) { ++s.runs[here.index()]; };
    broadcast_in(pool, count);
    s.through = true;
  };
  new outsider("sender", send);
  on().settle();
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(s.through, "lost wake-up", "a broadcast was not answered");
  for (const int runs : s.runs) {
    expect(runs == 1, "job twice", "a broadcast did not run once in each seat");
  }
  expect_idle(pool);
}
void broadcast_to_one() { broadcast_against_sleep<1>(); }
void broadcast_to_two() { broadcast_against_sleep<2>(); }

/// A worker broadcasts where its stack is short, and waits. It runs its own part, and sends the job that was spawned
/// meanwhile to the other one.
template <std::size_t StackLeft>
void broadcast_with_a_short_stack() {
  dozer::pool_options options = usual_options(2);
  options.stack_headroom = 64;
  pool_core& pool = make_pool(options);
  hooks.stack_left.store(StackLeft, relaxed);
  struct shared {
    int runs[2] = {};
    reported<bool> through{false};
    const seat* sender = nullptr;
  }* const s = new shared;
  put_to_work(pool, [&pool, s] {
    s->sender = current_seat();
    dozer::spawn(
        [s] { expect(s->through.get() || current_seat() != s->sender, "stack", "a wait at its end runs a job"); });
    const auto count = [s](dozer::broadcast_context here) { ++s->runs[here.index()]; };
    broadcast_in(pool, count);
    s->through.set(true);
  });
  begin(pool);
  rest_then([] {});
  expect(s->through.get() && s->runs[0] == 1 && s->runs[1] == 1, "lost wake-up", "a broadcast was not answered");
  expect_idle(pool);
}
void broadcast_near_the_end_of_a_stack() { broadcast_with_a_short_stack<32>(); }
void broadcast_at_the_end_of_a_stack() { broadcast_with_a_short_stack<8>(); }

/// A worker of one pool hands a closure to another and waits at home; its own pool ends as soon as it is through, while
/// the other one may still be setting the latch.
namespace {

void cross_pool(bool noise) {
  pool_core& home = make_pool(1, "home");
  pool_core& away = make_pool(1, "away");
  struct shared {
    pool_core* away;
    int payload = 0;
  } s{&away};
  home.hold();
  once caller(
      [](once& self, seat&) {
        auto& in = *static_cast<shared*>(self.context);
        on().hold_until_go();
        auto closure = [&in] { in.payload = 1; };
        hand_over<decltype(closure)&>(*in.away, closure);
        expect(in.payload == 1, "latch payload", "a closure was handed over, and what it did cannot be seen");
      },
      &home);
  caller.context = &s;
  home.inject(caller);
  on().settle();
  once more(nullptr, &home);
  const auto inject = [&] { home.inject(more); };
  if (noise) {
    home.hold();  // the job's
    new outsider("injector", inject);
    on().settle();
  }
  begin(home, away);
  home.end();
  on().until_quiet();
  on().know_everything();
  expect(s.payload == 1, "lost wake-up", "a closure that was handed over did not run");
  expect(!noise || more.ran(), "lost wake-up", "an injected job was not run");
  expect_idle(away);
}

}  // namespace

void cross_pool_latch_and_the_end() { cross_pool(false); }
/// The same, with a job injected at home, which may wake the owner before the latch does.
void cross_pool_latch_with_a_poster() { cross_pool(true); }

namespace {

enum class patience { endless, for_a_time, none };

}  // namespace

/// A future that is waited for from outside while its job completes; both let go of it at the end.
template <patience Has>
void future_against_wait() {
  count_people();
  pool_core& pool = make_pool(1);
  wake_workers(pool, 1);
  const auto closure = [] { return 7; };
  using job_type = submitted_job<std::decay_t<decltype(closure)>, int>;
  bool through = false;
  const auto wait = [&] {
    auto* const state = new job_type(pool, closure);
    pool.post(*state);
    const std::uint64_t until = Has == patience::endless ? no_deadline : Has == patience::none ? 0 : deadline_after(1);
    if (!state->wait(until)) {
      expect(now_ns() >= until, "early end of a wait", "a wait for a time has ended before the future and the time");
      state->wait(no_deadline);
    }
    const std::uint32_t rmws = on().did(on().self()).rmws;
    expect(state->wait(no_deadline) && on().did(on().self()).rmws == rmws, "cost of a wait",
           "a wait for a future that is ready has executed an RMW");
    expect(state->result.take() == 7, "latch payload", "a future is ready without its value");
    state->let_go(true);
    through = true;
  };
  new outsider("waiter", wait);
  on().settle();
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(through, "lost latch", "a future is ready and who waits for it sleeps");
  expect_idle(pool);
}
void future_from_outside() { future_against_wait<patience::endless>(); }
void future_with_a_deadline() { future_against_wait<patience::for_a_time>(); }
void future_looked_at() { future_against_wait<patience::none>(); }

/// The owner sees what both have done, also what they have stored without an order. The latch dies when it is through.
void late_count() {
  struct shared {
    late_counting_latch* latch = new late_counting_latch;
    atomic<int> done[2];
    bool through = false;
  };
  auto* const s = new shared;
  const auto end = [s](int which) {
    s->done[which].store(1, relaxed);
    expect(!s->latch->count_down(), "needless wake", "nobody sleeps on this latch");
  };
  new outsider("one", [end] { end(0); });
  new outsider("other", [end] { end(1); });
  new outsider("owner", [s] {
    if (s->latch->expect(2) && !s->latch->probe()) {
      return;  // it would look again
    }
    for (const atomic<int>& done : s->done) {
      expect(done.load(relaxed) == 1, "lost latch", "not all have ended");
    }
    delete s->latch;
    s->through = true;
  });
  on().settle();
  on().go();
  rest_then([] {});
  expect(s->through || s->latch->probe(), "lost latch", "all have ended, and the owner would wait for ever");
}

/// Two workers wait for one future: each has a latch of its own.
void future_with_two_waiters() {
  pool_core& pool = make_pool(2);
  const auto closure = [] { return 7; };
  using job_type = submitted_job<std::decay_t<decltype(closure)>, int>;
  struct shared {
    job_type* state;
    atomic<int> count{0};
  } s{new job_type(pool, closure)};
  const auto wait = [](once& self, seat&) {
    auto& in = *static_cast<shared*>(self.context);
    on().hold_until_go();
    in.state->wait(no_deadline);
    in.count.fetch_add(1, acq_rel);
  };
  once one(wait), other(wait);
  one.context = other.context = &s;
  pool.inject(one);
  on().settle();
  pool.inject(other);
  on().settle();
  const auto submit = [&] { pool.post(*s.state); };
  new outsider("submitter", submit);
  on().settle();
  begin(pool);
  rest_then([] {});
  expect(on().peek(&s.count) == 2, "lost latch", "a future is ready and one who waits for it sleeps");
  expect_idle(pool);
}

}  // namespace verify
