// Waits that run nothing but what was forked inside an isolation.
#include "scenarios.hpp"
#include "support.hpp"

namespace verify {

namespace {

/// Must not be run by somebody who is in an isolation.
once::action from_outside() {
  return [](once&, seat& here) {
    expect(!here.own().isolated_in().any(), "isolation", "a wait inside has run a job from outside");
  };
}

struct context {
  pool_core& pool;
  once older{from_outside(), &pool};
  int a = 0, b = 0;
};

}  // namespace

/// A join in an isolation, its second half stolen or not, with an injected job in reach.
void isolated_join() {
  pool_core& pool = make_pool(2);
  auto* const in = new context{pool};
  once job([](once& self, seat&) {
    auto& mine = *static_cast<context*>(self.context);
    on().hold_until_go();
    dozer::isolate([&] { dozer::join([&] { ++mine.a; }, [&] { ++mine.b; }); });
  });
  job.context = in;
  pool.inject(job);
  on().settle();
  wake_workers(pool, 1);
  once injected(from_outside());
  const auto inject = [&] { pool.inject(injected); };
  new outsider("injector", inject);
  on().settle();
  begin(pool);
  rest_then([] {});
  expect(job.ran() && in->a == 1 && in->b == 1, "lost latch", "a join has not returned");
  expect(injected.ran(), "lost wake-up", "an injected job was not run");
  expect_idle(pool);
}

/// An older job in the own deque: it is the other worker's.
void isolated_join_above_a_job() {
  pool_core& pool = make_pool(2);
  auto* const in = new context{pool};
  once job([](once& self, seat&) {
    auto& mine = *static_cast<context*>(self.context);
    on().hold_until_go();
    mine.pool.post(mine.older);
    dozer::isolate([&] {
      dozer::join(
          [&] {
            ++mine.a;
            while (dozer::yield_now() == dozer::yielded::executed) {
            }
          },
          [&] { ++mine.b; });
    });
  });
  job.context = in;
  pool.inject(job);
  on().settle();
  begin(pool);
  rest_then([] {});
  expect(job.ran() && in->a == 1 && in->b == 1, "lost latch", "a join has not returned");
  expect(in->older.ran(), "lost wake-up", "the older job was not run");
  expect_idle(pool);
}

/// It waits for a job that it may not run, and nobody else is there.
void isolated_and_starved() {
  count_people();
  pool_core& pool = make_pool(1);
  auto* const in = new context{pool};
  auto* const done = new core_latch;
  struct both {
    context* in;
    core_latch* done;
  } c{in, done};
  once job([](once& self, seat& here) {
    auto& mine = *static_cast<both*>(self.context);
    on().hold_until_go();
    mine.in->pool.post(mine.in->older);
    const isolated_stay inside(here);
    wait_until(here, *mine.done, dozer::wait_reason::future, nullptr);
  });
  job.context = &c;
  pool.inject(job);
  on().settle();
  begin(pool);
  rest_then([] {});
  expect(!in->older.ran(), "isolation", "a wait inside has run a job from outside");
  expect(deadlocks_reported() == 0, "false deadlock", "a job is left that would go on");
  expect(starvings_reported() == 1, "missed deadlock", "a job starves, and nobody says so");
}

}  // namespace verify
