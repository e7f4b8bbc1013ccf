// Mutexes that a pool knows of.
#include "scenarios.hpp"
#include "waiting.hpp"

#include <dozer/sync.hpp>

namespace verify {

namespace {

/// Only one may be inside, and all must get there.
struct guarded {
  dozer::mutex m;
  int inside = 0;
  int done = 0;

  void pass() {
    m.lock();
    pass_and_unlock();
  }
  void pass_and_unlock() {
    expect(++inside == 1, "mutual exclusion", "two hold the mutex");
    --inside;
    ++done;
    m.unlock();
  }
};

void expect_passed(const guarded& by, int how_many) {
  expect(by.done == how_many, "lost wake-up", "somebody waits for a mutex that nobody holds");
}

}  // namespace

/// Two workers, one mutex.
void mutex_between_two() {
  count_people();
  pool_core& pool = make_pool(2);
  auto& by = *new guarded;
  put_into(pool, job_after_go([&] { by.pass(); }));
  put_into(pool, job_after_go([&] { by.pass(); }));
  begin(pool);
  rest_then([] {});
  expect_passed(by, 2);
  expect_reports(0);
  expect_idle(pool);
}

/// Two workers, two mutexes in opposite order.
void mutexes_in_opposite_order() {
  count_people();
  pool_core& pool = make_pool(2);
  struct shared {
    dozer::mutex first, second;
    int done = 0;
  }* const s = new shared;
  const auto locks = [s](dozer::mutex& outer, dozer::mutex& inner) {
    outer.lock();
    inner.lock();
    ++s->done;
    inner.unlock();
    outer.unlock();
  };
  put_into(pool, job_after_go([=] { locks(s->first, s->second); }));
  put_into(pool, job_after_go([=] { locks(s->second, s->first); }));
  begin(pool);
  rest_then([] {});
  expect_reports(s->done == 2 ? 0 : 1);
}

/// The same, and the handler throws both out: each unlocks what it holds, and is through in the end.
template <reporter_is Who>
void thrown_out_of_two() {
  count_people(Who, dozer::deadlock_action::throw_error);
  pool_core& pool = make_pool(2);
  struct shared {
    dozer::mutex first, second;
    tally thrown, ended;
  }* const s = new shared;
  const auto locks = [s](dozer::mutex& outer, dozer::mutex& inner) {
    try {
      const dozer::mutex_guard one(outer);
      const dozer::mutex_guard other(inner);
    } catch (const dozer::deadlock_error&) {
      s->thrown.add();
    }
    s->ended.add();
  };
  put_into(pool, job_after_go([=] { locks(s->first, s->second); }));
  put_into(pool, job_after_go([=] { locks(s->second, s->first); }));
  begin(pool);
  rest_then([] {});
  expect(s->ended.now() == 2, "lost wake-up", "a wait that the handler wanted to end goes on");
  expect_reports(s->thrown.now() == 0 ? 0 : 1);
  expect(s->first.try_lock() && s->second.try_lock(), "mutual exclusion", "somebody who is through holds a mutex");
  expect_idle(pool);
}
void thrown_out_of_two_mutexes() { thrown_out_of_two<reporter_is::the_last_victim>(); }
void thrown_out_of_two_mutexes_by_a_thread() { thrown_out_of_two<reporter_is::a_thread>(); }

/// Three workers, one mutex.
void mutex_between_three() {
  count_people();
  pool_core& pool = make_pool(3);
  auto& by = *new guarded;
  for (int i = 0; i < 3; ++i) {
    put_into(pool, job_after_go([&] { by.pass(); }));
  }
  begin(pool);
  rest_then([] {});
  expect_passed(by, 3);
  expect_reports(0);
  expect_idle(pool);
}

/// One holds the mutex, another stands in line, and a third one comes while the first unlocks.
template <bool Outsider>
void mutex_with_a_line() {
  count_people();
  pool_core& pool = make_pool(Outsider ? 2 : 3);
  auto& by = *new guarded;
  put_into(pool, job_that([&] {
             by.m.lock();
             on().hold_until_go();
             by.pass_and_unlock();
           }));
  put_into(pool, job_that([&] { by.pass(); }));
  if (Outsider) {
    outside_after_go("outsider", [&] { by.pass(); });
  } else {
    put_into(pool, job_after_go([&] { by.pass(); }));
  }
  begin(pool);
  rest_then([] {});
  expect_passed(by, 3);
  expect_reports(0);
  expect_idle(pool);
}
void mutex_with_a_line_of_members() { mutex_with_a_line<false>(); }
void mutex_with_an_outsider_in_line() { mutex_with_a_line<true>(); }

/// An outsider locks a mutex that it holds; another one unlocks it: the program is told, and ends.
void mutex_misused() {
  count_people();
  expect_aborts();
  threads_of_the_program();
  auto& m = *new dozer::mutex;
  outside_at_once("holder", [&] {
    m.lock();
    on().hold_until_go();
    m.lock();
  });
  outside_after_go("another", [&] { m.unlock(); });
  on().go();
  on().until_quiet();
  expect(aborts() == 2, "missed abort", "a mutex is locked twice, or unlocked by another, and nobody says so");
}

/// One locks, one tries. The first one destroys the mutex as soon as it knows that the other is through.
void mutex_tried() {
  count_people();
  pool_core& pool = make_pool(2);
  struct shared {
    guarded* by = new guarded;
    atomic<std::uint32_t> left{2};
    int passed = 0;
    void pass(bool locked) {
      if (locked) {
        by->pass_and_unlock();
      }
      if (left.fetch_sub(1, acq_rel) == 1) {
        passed = by->done;
        delete by;
      }
    }
  }* const s = new shared;
  put_into(pool, job_after_go([s] {
             s->by->m.lock();
             s->pass(true);
           }));
  put_into(pool, job_after_go([s] { s->pass(s->by->m.try_lock()); }));
  begin(pool);
  rest_then([] {});
  expect(s->passed == 1 || s->passed == 2, "lost wake-up", "somebody waits for a mutex that nobody holds");
  expect_reports(0);
  expect_idle(pool);
}

/// The last to lock a mutex destroys it: whoever has unlocked it before does not touch it any more.
void mutex_destroyed() {
  count_people();
  pool_core& pool = make_pool(2);
  struct shared {
    guarded* by = new guarded;
    int through = 0;
    void pass() {
      by->m.lock();
      const bool last = ++through == 2;
      by->pass_and_unlock();
      if (last) {
        delete by;
      }
    }
  }* const s = new shared;
  put_into(pool, job_after_go([s] { s->pass(); }));
  put_into(pool, job_after_go([s] { s->pass(); }));
  begin(pool);
  rest_then([] {});
  expect(s->through == 2, "lost wake-up", "somebody waits for a mutex that nobody holds");
  expect_reports(0);
  expect_idle(pool);
}

/// A mutex goes from a member to an outsider, with another member in line.
void mutex_to_an_outsider() {
  count_people();
  pool_core& pool = make_pool(2);
  auto& by = *new guarded;
  put_into(pool, job_after_go([&] { by.pass(); }));
  put_into(pool, job_after_go([&] { by.pass(); }));
  outside_after_go("outsider", [&] { by.pass(); });
  begin(pool);
  rest_then([] {});
  expect_passed(by, 3);
  expect_reports(0);
  expect_idle(pool);
}

/// A guest locks a mutex, leaves with it, and unlocks it outside. A worker waits for it.
void mutex_with_a_guest_that_leaves() {
  count_people();
  pool_core& pool = make_pool(2);
  auto& by = *new guarded;
  outside_at_once("guest", [&] {
    {
      guest_stay here(pool);
      by.m.lock();
      on().hold_until_go();
    }
    by.pass_and_unlock();
  });
  put_into(pool, job_after_go([&] { by.pass(); }));
  begin(pool);
  rest_then([] {});
  expect_passed(by, 2);
  expect_reports(0);
  expect_idle(pool);
}

/// A guest has left with a mutex, comes back for a moment, and unlocks it outside. A worker waits for it. The guest was
/// inside or outside whenever somebody looked: that is no deadlock.
void mutex_with_a_guest_that_comes_back() {
  count_people();
  pool_core& pool = make_pool(2);
  auto& by = *new guarded;
  outside_at_once("guest", [&] {
    {
      guest_stay here(pool);
      by.m.lock();
    }
    on().hold_until_go();
    { guest_stay again(pool); }
    by.pass_and_unlock();
  });
  put_into(pool, job_after_go([&] { by.pass(); }));
  begin(pool);
  rest_then([] {});
  expect_passed(by, 2);
  expect_reports(0);
  expect_idle(pool);
}

/// A guest has left with a mutex. A worker posts a job and waits for the mutex; it has no memory for a spare worker.
/// The reporter has: it finds a job that starves, and the guest with the lock is no reason to leave it alone.
void starved_while_a_guest_has_the_mutex() {
  count_people(reporter_is::a_thread);
  pool_core& pool = make_pool(1, "worker", 1);
  auto& by = *new guarded;
  once queued(nullptr, &pool);
  outside_at_once("guest", [&] {
    {
      guest_stay here(pool);
      by.m.lock();
    }
    on().hold_until_go();
    long_leaf();
    by.pass_and_unlock();
  });
  put_into(pool, job_after_go([&] {
             pool.post(queued);
             on().deny_memory(true);
             by.pass();
             on().deny_memory(false);
           }));
  begin(pool);
  rest_then([&] { expect(queued.ran(), "lost wake-up", "a job starves, and no spare worker comes for it"); });
  expect_passed(by, 2);
  expect_reports(0);
  expect_idle(pool);
}

/// A guest has left with a mutex, and unlocks it while there is a line. A worker may be faster than the line, and keeps
/// it. All who wait must show that one: were it the guest, a deadlock would not be reported.
void mutex_kept_by_one_who_is_faster() {
  pool_core& pool = make_pool(3);
  pool_core& another = make_pool(1, "another");  // the first one has no seat left
  auto& by = *new guarded;
  gate locked, never;
  std::uint64_t keeper = 0;
  put_into(pool, job_that([&] {
             locked.wait();
             by.pass();
             never.wait();  // so that no search for jobs is part of it
           }));
  put_into(pool, job_after_go([&] {
             by.pass();
             never.wait();
           }));
  put_into(pool, job_after_go([&] {
             if (by.m.try_lock()) {
               keeper = thread_number();
             }
             never.wait();
           }));
  outside_at_once("guest", [&] {
    {
      guest_stay here(another);
      by.m.lock();
    }
    expect(!is_outsider(on().peek(&by.m)), "set-up", "the guest had no seat");
    locked.open();
    on().hold_until_go();
    by.pass_and_unlock();
  });
  begin(pool, another);
  on().until_quiet();
  on().know_everything();
  for (std::uint32_t i = 0; i < pool.seats.workers(); ++i) {
    const std::uint64_t shown = pool.seats[i].doing.awaited_holder();
    expect(shown == 0 || shown == keeper, "wrong holder", "a wait shows somebody who does not hold the mutex");
  }
  expect(keeper != 0 || by.done == 3, "lost wake-up", "somebody waits for a mutex that nobody holds");
}

}  // namespace verify
