// Condition variable, semaphore and event: whoever is released goes on, whoever is not is reported or comes back by
// itself.
#include "scenarios.hpp"
#include "waiting.hpp"

#include <dozer/sync.hpp>

#include <mutex>

namespace verify {

namespace {

using std::chrono::seconds;

/// Things that are handed out one by one, under a mutex.
struct handed_out {
  explicit handed_out(dozer::wait_kind who_notifies) : changed(who_notifies) {}
  dozer::mutex m;
  dozer::condition_variable changed;
  int things = 0;
  tally through;

  void take() {
    std::unique_lock held(m);
    changed.wait(held, [&] { return things != 0; });
    --things;
    through.add();
  }
  void give(int how_many) {
    const dozer::mutex_guard held(m);
    things += how_many;
  }
};

void expect_through(const handed_out& h, std::uint32_t waits) {
  expect(h.through.now() == waits, "lost wake-up", "somebody waits for a condition that is so");
}

}  // namespace

/// Two wait, a member and an outsider; one thing after the other is given.
void condition_for_two() {
  count_people();
  pool_core& pool = make_pool(2);
  auto& h = *new handed_out(dozer::wait_kind::pool);
  put_into(pool, job_after_go([&] { h.take(); }));
  put_into(pool, job_after_go([&] {
             h.give(1);
             h.changed.notify_one();
             h.give(1);
             h.changed.notify_one();
           }));
  outside_after_go("outsider", [&] { h.take(); });
  begin(pool);
  rest_then([] {});
  expect_through(h, 2);
  expect_reports(0);
  expect_idle(pool);
}

/// The same, and both are notified at once.
void condition_for_all() {
  count_people();
  pool_core& pool = make_pool(2);
  auto& h = *new handed_out(dozer::wait_kind::pool);
  put_into(pool, job_after_go([&] { h.take(); }));
  put_into(pool, job_after_go([&] {
             h.give(2);
             h.changed.notify_all();
           }));
  outside_after_go("outsider", [&] { h.take(); });
  begin(pool);
  rest_then([] {});
  expect_through(h, 2);
  expect_reports(0);
  expect_idle(pool);
}

/// A wait for a time: if that is up first, the next wait is for ever. The waiter destroys the condition variable as
/// soon as it is through.
void condition_for_a_time() {
  count_people();
  pool_core& pool = make_pool(2);
  struct shared {
    dozer::mutex m;
    dozer::condition_variable* changed = new dozer::condition_variable(dozer::wait_kind::pool);
    bool is_so = false;
    bool through = false;
  }* const s = new shared;
  put_into(pool, job_after_go([s] {
             {
               std::unique_lock held(s->m);
               const auto over = [&] { return s->is_so; };
               if (!s->changed->wait_for(held, seconds(1), over)) {
                 s->changed->wait(held, over);
               }
             }
             delete s->changed;
             s->through = true;
           }));
  put_into(pool, job_after_go([s] {
             const dozer::mutex_guard held(s->m);
             s->is_so = true;
             s->changed->notify_one();
           }));
  begin(pool);
  rest_then([] {});
  expect(s->through, "lost wake-up", "somebody waits for a condition that is so");
  expect_reports(0);
  expect_idle(pool);
}

/// A notification before the condition is so does not end the wait: neither as over nor as late.
void condition_not_yet_so() {
  count_people();
  pool_core& pool = make_pool(2);
  struct shared {
    dozer::mutex m;
    dozer::condition_variable changed{dozer::wait_kind::pool};
    int step = 0;
    bool through = false;
  }* const s = new shared;
  put_into(pool, job_after_go([s] {
             std::unique_lock held(s->m);
             const bool is_so = s->changed.wait_for(held, seconds(1), [&] { return s->step == 2; });
             expect(is_so == (s->step == 2), "early end of a wait", "a wait for a condition says what is not so");
             expect(is_so || !now_set.never, "early end of a wait", "a wait for a time is over before its time");
             s->through = true;
           }));
  put_into(pool, job_after_go([s] {
             for (int step = 1; step <= 2; ++step) {
               const dozer::mutex_guard held(s->m);
               s->step = step;
               s->changed.notify_one();
             }
           }));
  begin(pool);
  rest_then([] {});
  expect(s->through, "lost wake-up", "somebody waits for a condition that is so");
  expect_reports(0);
  expect_idle(pool);
}

namespace {

/// A member waits in a T, and destroys it as soon as it is through. Whoever releases it must be done with the T by
/// then.
template <class T, class Wait, class Release>
void destroyed_by_the_waiter(T* what, Wait wait, Release release) {
  pool_core& pool = make_pool(1);
  bool through = false;
  put_into(pool, job_that([what, wait, &through] {
             wait(*what);
             delete what;
             through = true;
           }));
  outside_after_go("releaser", [what, release] { release(*what); });
  begin(pool);
  rest_then([] {});
  expect(through, "lost wake-up", "somebody waits, and was released");
  expect_idle(pool);
}

const auto wait_with_a_mutex = [](dozer::condition_variable& changed) {
  dozer::mutex m;
  std::unique_lock held(m);
  changed.wait(held);
};

}  // namespace

void condition_destroyed() {
  destroyed_by_the_waiter(new dozer::condition_variable, wait_with_a_mutex,
                          [](dozer::condition_variable& changed) { changed.notify_one(); });
}
void condition_destroyed_by_all() {
  destroyed_by_the_waiter(new dozer::condition_variable, wait_with_a_mutex,
                          [](dozer::condition_variable& changed) { changed.notify_all(); });
}
void semaphore_destroyed() {
  destroyed_by_the_waiter(
      new dozer::semaphore(0), [](dozer::semaphore& s) { s.acquire(); }, [](dozer::semaphore& s) { s.release(); });
}

/// Nobody notifies a member, which is thrown out; or a job does that an outsider injects at the last moment.
void condition_interrupted() {
  count_people(reporter_is::a_thread, dozer::deadlock_action::throw_error);
  pool_core& pool = make_pool(2);
  auto& h = *new handed_out(dozer::wait_kind::pool);
  bool thrown = false;
  put_into(pool, job_after_go([&] {
             std::unique_lock held(h.m);
             try {
               h.changed.wait(held, [&] { return h.things != 0; });
             } catch (const dozer::deadlock_error&) {
               thrown = true;
             }
             expect(held.owns_lock(), "mutual exclusion", "a wait is over, and its mutex is not held");
             h.through.add();
           }));
  once& gives = job_that([&] {
    h.give(1);
    h.changed.notify_one();
  });
  outside_after_go("injector", [&] { pool.inject(gives); });
  begin(pool);
  rest_then([] {});
  expect_through(h, 1);
  expect(deadlocks_reported() <= 1 && starvings_reported() == 0, "false deadlock", "a standstill is reported twice");
  expect(!thrown || deadlocks_reported() == 1, "false deadlock", "a wait is thrown out, and nothing was reported");
  expect_idle(pool);
}

/// Two wait, one of them an outsider, and two are released at once.
void semaphore_for_two() {
  count_people();
  pool_core& pool = make_pool(2);
  auto& free = *new dozer::semaphore(0, dozer::wait_kind::pool);
  tally through;
  int payload = 0;
  const auto acquire_one = [&] {
    free.acquire();
    expect(payload == 1, "latch payload", "it was released, and what was done before cannot be seen");
    through.add();
  };
  put_into(pool, job_after_go(acquire_one));
  put_into(pool, job_after_go([&] {
             payload = 1;
             free.release(2);
           }));
  outside_after_go("outsider", acquire_one);
  begin(pool);
  rest_then([] {});
  expect(through.now() == 2, "lost wake-up", "somebody waits for what was released");
  expect(!free.try_acquire(), "count drift", "more was released than there was");
  expect_reports(0);
  expect_idle(pool);
}

/// One waits, another one tries, and gives back what it gets.
void semaphore_tried() {
  count_people();
  pool_core& pool = make_pool(2);
  auto& free = *new dozer::semaphore(0, dozer::wait_kind::pool);
  bool through = false;
  put_into(pool, job_after_go([&] {
             free.acquire();
             through = true;
           }));
  put_into(pool, job_after_go([&] {
             free.release();
             if (free.try_acquire()) {
               free.release();
             }
           }));
  begin(pool);
  rest_then([] {});
  expect(through, "lost wake-up", "somebody waits for what was released");
  expect(!free.try_acquire(), "count drift", "more was released than there was");
  expect_reports(0);
  expect_idle(pool);
}

/// One is taken without waiting while another is given back.
void semaphore_taken_and_given() {
  auto& free = *new dozer::semaphore(1);
  threads_of_the_program();
  outside_after_go("taker", [&] { free.acquire(); });
  outside_after_go("giver", [&] { free.release(); });
  on().go();
  on().until_quiet();
  on().know_everything();
  expect(free.try_acquire(), "count drift", "what was released is lost");
  expect(!free.try_acquire(), "count drift", "more was released than there was");
}

/// One takes two, the other one gives them one by one: whoever has one without waiting is in no line any more.
void semaphore_taken_twice() {
  auto& free = *new dozer::semaphore(0);
  tally taken;
  threads_of_the_program();
  outside_after_go("taker", [&] {
    free.acquire();
    taken.add();
    free.acquire();
    taken.add();
  });
  outside_after_go("giver", [&] {
    free.release();
    free.release();
  });
  on().go();
  on().until_quiet();
  on().know_everything();
  expect(taken.now() == 2, "lost wake-up", "somebody waits for what was released");
  expect(!free.try_acquire(), "count drift", "more was released than there was");
}

/// A wait for a time, by a member or an outsider: if that is up first, what is released is still there.
template <bool Member>
void semaphore_for_a_time() {
  count_people();
  pool_core& pool = make_pool(2);
  auto& free = *new dozer::semaphore(0, dozer::wait_kind::pool);
  bool got_it = false;
  const auto acquire_one = [&] { got_it = free.try_acquire_for(seconds(1)); };
  put_into(pool, job_after_go([&] { free.release(); }));
  if (Member) {
    put_into(pool, job_after_go(acquire_one));
  } else {
    outside_after_go("outsider", acquire_one);
  }
  begin(pool);
  rest_then([] {});
  expect(free.try_acquire() != got_it, "count drift", "what was released is lost, or there twice");
  expect(got_it || !now_set.never, "lost wake-up", "somebody waits for what was released");
  expect_reports(0);
  expect_idle(pool);
}
void semaphore_for_a_time_inside() { semaphore_for_a_time<true>(); }
void semaphore_for_a_time_outside() { semaphore_for_a_time<false>(); }

/// Two wait, one of them an outsider. The one that is through last destroys the event.
void event_for_two() {
  count_people();
  pool_core& pool = make_pool(2);
  struct shared {
    dozer::event* happened = new dozer::event(dozer::wait_kind::pool);
    atomic<std::uint32_t> through{0};
    void wait() {
      happened->wait();
      if (through.fetch_add(1, acq_rel) == 1) {
        delete happened;
      }
    }
  }* const s = new shared;
  put_into(pool, job_after_go([s] { s->wait(); }));
  put_into(pool, job_after_go([s] { s->happened->set(); }));
  outside_after_go("outsider", [s] { s->wait(); });
  begin(pool);
  rest_then([] {});
  expect(on().peek(&s->through) == 2, "lost wake-up", "somebody waits for what has happened");
  expect_reports(0);
  expect_idle(pool);
}

/// Whoever sees that it has happened sees what came before.
void event_seen() {
  auto& happened = *new dozer::event;
  int payload = 0;
  threads_of_the_program();
  outside_after_go("setter", [&] {
    payload = 1;
    happened.set();
  });
  on().go();
  if (happened.is_set()) {
    expect(payload == 1, "latch payload", "it has happened, and what was done before cannot be seen");
  }
  on().until_quiet();
  on().know_everything();
  expect(happened.is_set(), "lost wake-up", "it has not happened");
}

/// Set once more: whoever was let through by the first is in no line any more.
void event_set_again() {
  auto& happened = *new dozer::event;
  tally through;
  threads_of_the_program();
  outside_after_go("waiter", [&] {
    happened.wait();
    through.add();
  });
  outside_after_go("setter", [&] {
    happened.set();
    happened.set();
  });
  on().go();
  on().until_quiet();
  on().know_everything();
  expect(through.now() == 1, "lost wake-up", "somebody waits for what has happened");
}

/// Set, reset and set again: each of the two waits sees a set of its own.
void event_set_twice() {
  count_people();
  pool_core& pool = make_pool(2);
  struct shared {
    dozer::event happened{dozer::wait_kind::pool}, seen{dozer::wait_kind::pool};
    bool through = false;
  }* const s = new shared;
  put_into(pool, job_after_go([s] {
             s->happened.wait();
             s->happened.reset();
             s->seen.set();
             s->happened.wait();
             s->through = true;
           }));
  put_into(pool, job_after_go([s] {
             s->happened.set();
             s->seen.wait();
             s->happened.set();
           }));
  begin(pool);
  rest_then([] {});
  expect(s->through, "lost wake-up", "an event was set, and its waiter sleeps");
  expect_reports(0);
  expect_idle(pool);
}

/// A wait for a time: if that is up first, the next one is for ever.
void event_for_a_time() {
  count_people();
  pool_core& pool = make_pool(2);
  struct shared {
    dozer::event* happened = new dozer::event(dozer::wait_kind::pool);
    bool through = false;
  }* const s = new shared;
  put_into(pool, job_after_go([s] {
             if (!s->happened->wait_for(seconds(1))) {
               s->happened->wait();
             }
             delete s->happened;
             s->through = true;
           }));
  put_into(pool, job_after_go([s] { s->happened->set(); }));
  begin(pool);
  rest_then([] {});
  expect(s->through, "lost wake-up", "somebody waits for what has happened");
  expect_reports(0);
  expect_idle(pool);
}

/// All waits are notified, and then the condition variable is destroyed: the waiter, which may not even sleep yet, does
/// not touch it any more.
void condition_destroyed_by_the_notifier() {
  count_people();
  pool_core& pool = make_pool(2);
  struct shared {
    dozer::mutex m;
    dozer::condition_variable* changed = new dozer::condition_variable(dozer::wait_kind::pool);
    bool is_so = false;
    bool through = false;
  }* const s = new shared;
  put_into(pool, job_after_go([s] {
             std::unique_lock held(s->m);
             while (!s->is_so) {
               s->changed->wait(held);
             }
             s->through = true;
           }));
  put_into(pool, job_after_go([s] {
             {
               const dozer::mutex_guard held(s->m);
               s->is_so = true;
               s->changed->notify_all();
             }
             delete s->changed;
           }));
  begin(pool);
  rest_then([] {});
  expect(s->through, "lost wake-up", "somebody waits for a condition that is so");
  expect_reports(0);
  expect_idle(pool);
}

}  // namespace verify
