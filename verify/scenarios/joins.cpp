// Joins: what an unstolen one costs, and all the ways in which its job may be gone when the first closure returns.
#include "scenarios.hpp"
#include "support.hpp"

namespace verify {

namespace {

/// Runs `body` as a job of a worker of a pool, from go() on, while another worker, if there is one, looks for work.
template <class Body>
void in_a_worker(unsigned workers, Body body) {
  pool_core& pool = make_pool(workers);
  struct context {
    Body body;
    pool_core& pool;
  } c{body, pool};
  once job([](once& self, seat&) {
    auto& mine = *static_cast<context*>(self.context);
    on().hold_until_go();
    mine.body(mine.pool);
  });
  job.context = &c;
  pool.inject(job);
  on().settle();
  if (workers > 1) {
    wake_workers(pool, 1);
  }
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(job.ran(), "lost latch", "a join has not returned");
  expect_idle(pool);
}

struct ran_once {
  int a = 0, b = 0;

  void check() const { expect(a == 1 && b == 1, "job twice", "a closure of a join ran not once"); }
};

/// What a first closure has left behind: taken from the own deque, or stolen.
void wait_for(const once& left) {
  while (dozer::yield_local() == dozer::yielded::executed) {
  }
  long_leaf();
  on().know_everything();
  expect(left.ran(), "lost job", "what the first closure has left behind is nowhere");
}

}  // namespace

/// The deepest claim about its cost: nobody is hungry, and a join is nothing but loads and stores.
void join_unstolen() {
  in_a_worker(1, [](pool_core&) {
    const machine::tally before = on().did(on().self());
    ran_once of;
    dozer::join([&] { ++of.a; }, [&] { ++of.b; });
    of.check();
    const machine::tally after = on().did(on().self());
    // Where there is no process fence, every take has a fence.
    expect(!now_set.process_fence || (after.rmws == before.rmws && after.fences == before.fences), "cost of a join",
           "an unstolen join has executed an RMW or a fence");
    expect(after.allocations == before.allocations, "cost of a join", "an unstolen join has allocated memory");
  });
}

/// The same where the addresses of slots wrap.
void join_unstolen_far() {
  hooks.deque_start.store((std::uint64_t{1} << 61) - 1, relaxed);
  join_unstolen();
}

void join_with_a_thief() {
  in_a_worker(2, [](pool_core&) {
    ran_once of;
    const auto [a, b] = dozer::join([&] { return ++of.a; }, [&] { return 10 * ++of.b; });
    of.check();
    expect(a == 1 && b == 10, "lost latch", "a join has lost a result");
  });
}

/// A wait inside the first closure takes the second one from the deque.
void join_that_has_run() {
  in_a_worker(2, [](pool_core&) {
    ran_once of;
    dozer::join(
        [&] {
          ++of.a;
          static_cast<void>(dozer::yield_local());
        },
        [&] { ++of.b; });
    of.check();
  });
}

/// The first closure leaves a job behind: above the second one, or, if a wait has run that one, in its place.
template <bool Waits>
void join_that_leaves_a_job() {
  in_a_worker(2, [](pool_core& pool) {
    ran_once of;
    once left(nullptr, &pool);
    dozer::join(
        [&] {
          ++of.a;
          if (Waits) {
            static_cast<void>(dozer::yield_local());
          }
          pool.post(left);
        },
        [&] { ++of.b; });
    of.check();
    wait_for(left);
  });
}
void join_with_a_wait_inside() { join_that_leaves_a_job<true>(); }
void join_with_jobs_left_above() { join_that_leaves_a_job<false>(); }

/// Two jobs are left above, and the join that comes back is long in one of them: somebody else must come for the other.
void join_with_two_jobs_left() {
  in_a_worker(2, [](pool_core&) {
    ran_once of;
    dozer::scope([&](dozer::spawner& s) {
      dozer::join(
          [&] {
            ++of.a;
            s.spawn([] { long_leaf(); });
            s.spawn([] { long_leaf(); });
          },
          [&] { ++of.b; });
    });
    of.check();
  });
}

}  // namespace verify
