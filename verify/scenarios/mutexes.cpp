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

}  // namespace verify
