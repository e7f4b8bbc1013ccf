// The reporter: who answers a suspicion, and what it does about it.
#include "scenarios.hpp"
#include "waiting.hpp"

#include <dozer/detail/waiter.hpp>
#include <dozer/sync.hpp>

namespace verify {

/// A wait is released and interrupted at the same time.
void interrupted_and_released() {
  count_people();
  pool_core& pool = make_pool(1);
  struct shared {
    dozer::event happened{dozer::wait_kind::pool};
    bool over = false;
  }* const s = new shared;
  put_into(pool, job_after_go([s] {
             try {
               s->happened.wait();
             } catch (const dozer::deadlock_error&) {
             }
             s->over = true;
           }));
  auto* const tokens = new dozer::external_token[2];
  outside_after_go("setter", [&] {
    s->happened.set();
    tokens[0].drop();
  });
  outside_after_go("reporter", [&] {
    bool moves = false;
    if (waiter* const w = waiter::claim_in(pool.seats[0], moves)) {
      w->interrupt();
    }
    tokens[1].drop();
  });
  begin(pool);
  rest_then([] {});
  expect(s->over, "lost wake-up", "somebody waits for what has happened");
  expect_reports(0);
  expect_idle(pool);
}

/// The reporter may come too early, but then the wait is still there to be interrupted.
template <tokens Held>
void interrupted_early_or_late() {
  count_people();
  pool_core& pool = make_pool(1);
  auto& never = *new dozer::event(dozer::wait_kind::pool);
  bool thrown = false;
  held_token<Held> held;
  const auto interrupt = [&] {
    bool moves = false;
    if (waiter* const w = waiter::claim_in(pool.seats[0], moves)) {
      w->interrupt();
    }
  };
  put_into(pool, job_after_go([&] {
             try {
               never.wait();
             } catch (const dozer::deadlock_error&) {
               thrown = true;
             }
           }));
  outside_after_go("reporter", interrupt);
  begin(pool);
  rest_then(interrupt);
  expect(thrown, "lost wake-up", "a wait that the reporter has found cannot be interrupted any more");
  held.check();
  expect_idle(pool);
}
void interrupted_early_or_late_beside_others() { interrupted_early_or_late<tokens::throughout>(); }
/// It stands still until then, and another one may report that.
void interrupted_early_or_late_bare() { interrupted_early_or_late<tokens::none>(); }

/// The reporter marks a wait that is over by then: the next one must not be taken for it.
void interrupted_when_over() {
  auto* const of = new innermost_wait;
  outside_after_go("reporter", [of] { static_cast<void>(of->interrupt()); });
  on().go();
  of->end(of->begin(true));
  const std::uint64_t outer = of->begin(false);
  on().until_quiet();
  on().know_everything();
  expect(!of->is_interrupted(), "wrong wait", "a wait is interrupted in the place of the one before it");
  of->end(outer);
}

/// Two wait for ever, and the handler throws both out.
void two_thrown_out() {
  count_people(reporter_is::a_thread, dozer::deadlock_action::throw_error);
  pool_core& pool = make_pool(2);
  struct shared {
    dozer::event happened[2] = {dozer::event(dozer::wait_kind::pool), dozer::event(dozer::wait_kind::pool)};
    tally thrown;
    void wait(dozer::event& e) {
      try {
        e.wait();
      } catch (const dozer::deadlock_error&) {
        thrown.add();
      }
    }
  }* const s = new shared;
  put_into(pool, job_after_go([s] { s->wait(s->happened[0]); }));
  put_into(pool, job_after_go([s] { s->wait(s->happened[1]); }));
  begin(pool);
  rest_then([] {});
  expect(s->thrown.now() == 2, "lost wake-up", "a wait that the handler wanted to end goes on");
  expect_reports(1);
  expect_idle(pool);
}

/// A job that an outsider injects releases the only one that waits, while that is reported and thrown out.
template <reporter_is Who>
void thrown_out_and_released() {
  count_people(Who, dozer::deadlock_action::throw_error);
  pool_core& pool = make_pool(2);
  struct shared {
    dozer::event happened{dozer::wait_kind::pool};
    bool over = false, thrown = false;
  }* const s = new shared;
  put_into(pool, job_after_go([s] {
             try {
               s->happened.wait();
             } catch (const dozer::deadlock_error&) {
               s->thrown = true;
             }
             s->over = true;
           }));
  once& sets = job_that([s] { s->happened.set(); });
  outside_after_go("injector", [&] { pool.inject(sets); });
  begin(pool);
  rest_then([] {});
  expect(s->over && sets.ran(), "lost wake-up",
         "a wait that was released, and that the handler wanted to end, goes on");
  expect(deadlocks_reported() <= 1 && starvings_reported() == 0, "false deadlock", "a standstill is reported twice");
  expect(!s->thrown || deadlocks_reported() == 1, "false deadlock", "a wait is thrown out, and nothing was reported");
  expect_idle(pool);
}
void thrown_out_by_a_victim_and_released() { thrown_out_and_released<reporter_is::the_last_victim>(); }
void thrown_out_by_a_thread_and_released() { thrown_out_and_released<reporter_is::a_thread>(); }

/// The same, and the handler lets it be.
template <reporter_is Who>
void reported_and_released() {
  count_people(Who);
  pool_core& pool = make_pool(2);
  auto& wait = *new user_wait;
  put_into(pool, waits(wait));
  once& releasing = releases(wait);
  outside_after_go("injector", [&] { pool.inject(releasing); });
  begin(pool);
  rest_then([] {});
  expect(wait.is_over(), "lost wake-up", "the job that releases was not run");
  expect(deadlocks_reported() <= 1 && starvings_reported() == 0, "false deadlock", "a standstill is reported twice");
  expect_idle(pool);
}
void reported_by_a_victim_and_released() { reported_and_released<reporter_is::the_last_victim>(); }
void reported_by_a_thread_and_released() { reported_and_released<reporter_is::a_thread>(); }

/// A job waits for the future of another, which waits for the first in a way that cannot be thrown out. The wait for
/// the future can; it runs a job meanwhile that waits as well.
template <reporter_is Who>
void future_thrown_out() {
  count_people(Who, dozer::deadlock_action::throw_error);
  pool_core& pool = make_pool(2);
  auto& wait = *new user_wait;
  bool inner_ran = false, thrown = false;
  once& inner = job_that([&](seat& here) {
    core_latch nothing;
    static_cast<void>(nothing.set());
    wait_until(here, nothing, dozer::wait_reason::join, nullptr);
    inner_ran = true;
  });
  put_into(pool, job_that([&] {
             auto later = dozer::submit([&] { wait.wait(); });
             on().hold_until_go();
             pool.post(inner);
             try {
               later.get();
             } catch (const dozer::deadlock_error&) {
               thrown = true;
             }
             wait.release();
           }));
  begin(pool);
  rest_then([] {});
  expect(wait.is_over() && inner_ran, "lost wake-up", "a wait that the handler wanted to end goes on");
  expect(thrown, "missed deadlock", "a wait has ended by itself");
  expect_reports(1);
  expect_idle(pool);
}
void future_thrown_out_by_a_victim() { future_thrown_out<reporter_is::the_last_victim>(); }
void future_thrown_out_by_a_thread() { future_thrown_out<reporter_is::a_thread>(); }

namespace {

/// A job waits for ever, in a way that cannot be thrown out: if the handler wants that, or has no other idea, or if
/// there is none, the program ends.
void aborted(dozer::deadlock_action answer, bool has_handler, once& waits_for_ever) {
  count_people(reporter_is::a_thread, answer);
  expect_aborts();
  dozer::pool_options options = usual_options(1);
  if (!has_handler) {
    options.on_deadlock = {};
  }
  pool_core& pool = make_pool(options);
  put_into(pool, waits_for_ever);
  begin(pool);
  rest_then([] {});
  expect(aborts() == 1, "missed abort", "nobody can go on, and the program does");
  expect_reports(has_handler ? 1 : 0);
}

}  // namespace

void aborted_since_nothing_can_throw() { aborted(dozer::deadlock_action::throw_error, true, waits(*new user_wait)); }
void aborted_by_the_handler() { aborted(dozer::deadlock_action::abort, true, waits(*new user_wait)); }
void aborted_without_a_handler() { aborted(dozer::deadlock_action::proceed, false, waits(*new user_wait)); }

/// The same for a wait that a member sleeps in.
void aborted_since_a_sleeper_cannot_throw() {
  aborted(dozer::deadlock_action::throw_error, true, job_after_go([](seat& here) {
            auto* const never_set = new core_latch;
            wait_until(here, *never_set, dozer::wait_reason::join, nullptr);
          }));
}

/// The handler lets the first standstill be. An outsider that nobody knows of releases the wait, and the job waits
/// again: that is another one.
template <reporter_is Who>
void stands_still_twice() {
  count_people(Who);
  pool_core& pool = make_pool(1);
  struct shared {
    user_wait first, second;
  }* const s = new shared;
  put_into(pool, job_after_go([s] {
             s->first.wait();
             s->second.wait();
           }));
  outside_after_go("outsider", [s] {
    on().until_quiet(1);
    s->first.release();
  });
  begin(pool);
  rest_then([] {});
  expect_reports(2);
}
void stands_still_twice_without_a_thread() { stands_still_twice<reporter_is::the_last_victim>(); }
void stands_still_twice_with_a_thread() { stands_still_twice<reporter_is::a_thread>(); }

/// The same for one that a member is in while it waits for a future, which could throw, further down on its stack.
void aborted_since_what_is_on_top_cannot_throw() {
  aborted(dozer::deadlock_action::throw_error, true, job_after_go([] {
            auto later = dozer::submit([] { (new user_wait)->wait(); });
            later.wait();
          }));
}

/// A job waits for its own future, and is thrown out of that while a job from outside wakes it. Either way things move:
/// the program must not end because nothing could throw.
void future_thrown_out_and_woken() {
  count_people();
  static gate* asked;
  asked = new gate;
  dozer::pool_options options = usual_options(1);
  options.on_deadlock = [](const dozer::deadlock_report&) {
    asked->open();
    return dozer::deadlock_action::throw_error;
  };
  dozer::thread_pool& handle = make_handle(options);
  pool_core& pool = core_of(handle);
  dozer::external_token token;
  bool thrown = false;
  dozer::future<void> own;
  own = handle.submit([&] {
    try {
      own.wait();
    } catch (const dozer::deadlock_error&) {
      thrown = true;
    }
  });
  on().settle();
  once nothing;
  outside_after_go("injector", [&] {
    asked->wait();
    pool.inject(nothing);
  });
  begin(pool);
  token.drop();
  rest_then([] {});
  expect(thrown && nothing.ran(), "lost wake-up", "a wait that the handler wanted to end goes on");
  expect_idle(pool);
}

/// The same for an event that a thread of no pool sets.
void event_thrown_out_and_set() {
  count_people(reporter_is::the_last_victim, dozer::deadlock_action::throw_error);
  pool_core& pool = make_pool(1);
  dozer::external_token token;
  dozer::event happened{dozer::wait_kind::pool};
  bool over = false;
  put_into(pool, job_that([&] {
             try {
               happened.wait();
             } catch (const dozer::deadlock_error&) {
             }
             over = true;
           }));
  outside_after_go("setter", [&] { happened.set(); });
  begin(pool);
  token.drop();
  rest_then([] {});
  expect(over, "lost wake-up", "a wait that was released, and that the handler wanted to end, goes on");
  expect_idle(pool);
}

/// A member waits for one thing, and then for another that never comes. The first is reported, or ends before that: no
/// report shows what is between.
void reported_in_between() {
  count_people();
  struct shared {
    dozer::event first{dozer::wait_kind::pool, "first"}, second{dozer::wait_kind::pool, "second"};
    tally firsts, seconds, others;
  };
  static shared* s;
  s = new shared;
  dozer::pool_options options = usual_options(1);
  options.on_deadlock = [](const dozer::deadlock_report& report) {
    const auto* const wait = report.workers.empty() ? nullptr : report.workers[0].waits_for();
    (wait == nullptr ? s->others : wait->name == "first" ? s->firsts : s->seconds).add();
    return dozer::deadlock_action::proceed;
  };
  pool_core& pool = make_pool(options);
  dozer::external_token token;
  put_into(pool, job_that([] {
             s->first.wait();
             s->second.wait();
           }));
  outside_after_go("setter", [] { s->first.set(); });
  begin(pool);
  token.drop();
  rest_then([] {});
  expect(s->others.now() == 0 && s->firsts.now() <= 1, "false deadlock", "what is reported was over before");
  expect(s->seconds.now() == 1, "missed deadlock", "nobody can go on, and nobody says so, or twice");
}

/// Two threads of no pool drop their tokens, the last of which was all that could still act: the handler sees what they
/// did before.
void tokens_dropped_are_seen() {
  count_people();
  struct shared {
    std::uint32_t done[2] = {};
    dozer::external_token tokens[2];
    std::uint32_t seen = 0;
  };
  static shared* s;
  s = new shared;
  dozer::pool_options options = usual_options(1);
  options.on_deadlock = [](const dozer::deadlock_report&) {
    s->seen = s->done[0] + s->done[1];
    return dozer::deadlock_action::proceed;
  };
  pool_core& pool = make_pool(options);
  put_into(pool, waits_already(*new user_wait));
  for (const int which : {0, 1}) {
    outside_after_go(which == 0 ? "first" : "second", [which] {
      s->done[which] = 1;
      s->tokens[which].drop();
    });
  }
  begin(pool);
  rest_then([] {});
  expect(s->seen == 2, "missed deadlock", "nobody can go on, and nobody says so");
}

/// A token that is moved onto another leaves one of the two. When that is dropped as well, nobody can act any more.
void token_moved_onto_another() {
  count_people();
  struct shared {
    dozer::external_token tokens[2];
    bool moved = false;
    std::uint32_t reports = 0;
  };
  static shared* s;
  s = new shared;
  dozer::pool_options options = usual_options(1);
  options.on_deadlock = [](const dozer::deadlock_report&) {
    expect(s->moved, "false deadlock", "a token is held, and a deadlock reported");
    ++s->reports;
    return dozer::deadlock_action::proceed;
  };
  pool_core& pool = make_pool(options);
  put_into(pool, waits_already(*new user_wait));
  outside_after_go("outsider", [] {
    s->tokens[0] = std::move(s->tokens[1]);
    s->moved = true;
    s->tokens[0].drop();
  });
  begin(pool);
  rest_then([] {});
  expect(s->reports == 1, "missed deadlock", "nobody can go on, and nobody says so");
}

/// An outsider without a token broadcasts while the last member that was able comes to rest. The mail that is on its
/// way is no lost wake-up.
void reported_beside_a_broadcast() {
  count_people();
  pool_core& pool = make_pool(2);
  put_into(pool, waits(*new user_wait));
  outside_after_go("outsider", [&pool] {
    const auto nothing = [](dozer::broadcast_context) {};
    broadcast_in(pool, nothing);
  });
  begin(pool);
  rest_then([] {});
}

/// Two call for the reporter. Whoever has the duty answers, and leaves; or, if there is a thread for it, that stays. An
/// answer sees what a caller has done, and what the answer before has.
template <reporter_is Who>
void two_summons() {
  struct shared {
    summons calls;
    atomic<std::uint32_t> came[2];
    bool answered[2] = {};  // whoever is on duty

    void call(unsigned which) {
      came[which].store(1, relaxed);
      if (calls.call()) {
        expect(on().did(on().self()).wakes == 0, "needless wake", "no thread is on duty, and it is woken");
        Who == reporter_is::a_thread ? start() : calls.answer_and_leave([this] { answer(); });
      }
    }
    void answer() {
      for (unsigned which = 0; which < 2; ++which) {
        answered[which] |= came[which].load(relaxed) != 0;
      }
    }
    void start() {
      static_cast<void>(reporter.start(
          [](void* self) noexcept {
            auto& me = *static_cast<shared*>(self);
            me.calls.answer_for_ever([&me] { me.answer(); });
          },
          this, 0));
    }
    dozer::detail::thread reporter;
  }* const s = new shared;
  outside_after_go("first", [s] { s->call(0); });
  outside_after_go("second", [s] { s->call(1); });
  on().go();
  on().until_quiet();
  on().know_everything();
  expect(s->answered[0] && s->answered[1], "lost summons",
         "a call came after the last answer began, and no thread is on duty");
}
void two_summons_without_a_thread() { two_summons<reporter_is::the_last_victim>(); }
void two_summons_of_a_thread() { two_summons<reporter_is::a_thread>(); }

/// Two release one wait at once: it counts as one.
void slot_released_by_two() {
  count_people();
  pool_core& pool = make_pool(1);
  struct shared {
    dozer::wait_slot slot;
    gate over[2];
    tally through;
  }* const s = new shared;
  auto* const tokens = new dozer::external_token[2];
  put_into(pool, job_that([s] {
             s->slot.mark_blocked("something");
             s->over[0].wait();
             s->over[1].wait();
             s->through.add();
           }));
  for (const int which : {0, 1}) {
    outside_after_go(which == 0 ? "first" : "second", [=] {
      s->slot.mark_unblocked();
      s->over[which].open();
      tokens[which].drop();
    });
  }
  begin(pool);
  rest_then([] {});
  expect(s->through.now() == 1, "lost wake-up", "a wait is released and goes on");
  expect_reports(0);
  expect_idle(pool);
}

/// Two waits mark one slot, and it is destroyed in use: the program is told, and ends.
template <tokens Held>
void slot_that_is_in_use() {
  count_people();
  expect_aborts();
  pool_core& pool = make_pool(2);
  auto* const slot = new dozer::wait_slot;
  const held_token<Held> held;
  const auto use = [&] {
    slot->mark_blocked("something");
    on().until_quiet(2);
    slot->mark_unblocked();
  };
  put_into(pool, job_after_go(use));
  put_into(pool, job_after_go(use));
  outside_after_go("owner", [&] {
    on().until_quiet(1);
    on().know_everything();
    delete slot;
  });
  begin(pool);
  on().until_quiet(3);
  expect(aborts() == 2, "missed abort", "a slot is used twice, or gone while it is used, and nobody says so");
}
void slot_in_use_beside_others() { slot_that_is_in_use<tokens::throughout>(); }
void slot_in_use_bare() { slot_that_is_in_use<tokens::none>(); }

/// The handler itself ends the wait that stands still. Its thread is the waiter, which has marked the slot; or the
/// reporter, while the waiter comes out of that.
template <reporter_is Who>
void slot_released_by_the_handler() {
  count_people(Who);
  struct shared {
    dozer::wait_slot slot;
    gate over;
    std::uint32_t reports = 0;
    bool through = false;
  };
  static shared* s;
  s = new shared;
  dozer::pool_options options = usual_options(1);
  options.on_deadlock = [](const dozer::deadlock_report&) {
    ++s->reports;
    s->slot.mark_unblocked();
    s->over.open();
    return dozer::deadlock_action::proceed;
  };
  pool_core& pool = make_pool(options);
  put_into(pool, job_after_go([] {
             s->slot.mark_blocked("something");
             s->over.wait();
             expect(people_now().waiting() == 0, "count drift", "a wait is over, and counts still");
             s->through = true;
           }));
  begin(pool);
  rest_then([] {});
  expect(s->reports == 1, "missed deadlock", "nobody can go on, and nobody says so");
  expect(s->through, "lost wake-up", "a wait is released and does not go on");
  expect_idle(pool);
}
void slot_released_by_its_last_victim() { slot_released_by_the_handler<reporter_is::the_last_victim>(); }
void slot_released_by_the_reporter() { slot_released_by_the_handler<reporter_is::a_thread>(); }

}  // namespace verify
