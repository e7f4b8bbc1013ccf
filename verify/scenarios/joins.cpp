// Joins: what an unstolen one costs, and all the ways in which its job may be gone when the first closure returns.
#include "scenarios.hpp"
#include "support.hpp"

#include <memory>
#include <tuple>

namespace verify {

namespace {

/// Runs `body` as a job of a worker of a pool, from go() on, while another worker, if there is one, looks for work, and
/// a third one sleeps.
template <class Body>
void in_a_worker(unsigned workers, Body body) {
  pool_core& pool = make_pool(workers);
  const once& job = put_to_work(pool, [&pool, body] { body(pool); });
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

/// The job that is left above leaves another one: when the join has run the first, its own is not on top yet.
void join_with_a_job_that_leaves_another() {
  in_a_worker(2, [](pool_core&) {
    ran_once of;
    int left = 0;
    dozer::scope([&](dozer::spawner& s) {
      dozer::join(
          [&] {
            ++of.a;
            s.spawn([&] { s.spawn([&left] { ++left; }); });
          },
          [&] { ++of.b; });
    });
    of.check();
    expect(left == 1, "lost job", "a job that was left above a join has not run once");
  });
}

/// Joins inside joins, so that the deque grows while a thief is at it.
void join_without_room_in_the_deque() {
  in_a_worker(2, [](pool_core&) {
    int ran[3] = {};
    const auto innermost = [&] { dozer::join([] {}, [&] { ++ran[2]; }); };
    dozer::join([&] { dozer::join(innermost, [&] { ++ran[1]; }); }, [&] { ++ran[0]; });
    expect(ran[0] == 1 && ran[1] == 1 && ran[2] == 1, "job twice", "a closure of a join ran not once");
  });
}

// ---- more than two closures ---------------------------------------------------------------------

namespace {

void join_three_beside(unsigned workers) {
  in_a_worker(workers, [](pool_core&) {
    int ran[3] = {};
    const auto results =
        dozer::join([&] { return ++ran[0]; }, [&] { return 10 * ++ran[1]; }, [&] { return 100 * ++ran[2]; });
    expect(ran[0] == 1 && ran[1] == 1 && ran[2] == 1, "job twice", "a closure of a join ran not once");
    expect(results == std::tuple(1, 10, 100), "lost latch", "a join has lost a result");
  });
}

}  // namespace

/// A thief takes the third closure, or all but the first.
void join_of_three() { join_three_beside(2); }
/// Two thieves.
void join_of_three_two_thieves() { join_three_beside(3); }

// ---- exceptions ---------------------------------------------------------------------------------

namespace {

/// What leaves `f`, an int.
template <class F>
[[nodiscard]] int thrown_by(F&& f) {
  try {
    f();
  } catch (const int what) {
    return what;
  }
  return 0;
}

}  // namespace

/// The first closure throws: the second one, stolen or not, has finished when that leaves.
void join_whose_first_throws() {
  in_a_worker(2, [](pool_core&) {
    ran_once of;
    const auto first = [&] {
      ++of.a;
      throw 1;
    };
    const int thrown = thrown_by([&] { dozer::join(first, [&] { ++of.b; }); });
    of.check();
    expect(thrown == 1, "lost exception", "the exception of a join's first closure does not leave it");
  });
}

/// The second one throws, perhaps in another thread.
void join_whose_second_throws() {
  in_a_worker(2, [](pool_core&) {
    ran_once of;
    const auto second = [&] {
      ++of.b;
      throw 2;
    };
    const int thrown = thrown_by([&] { dozer::join([&] { ++of.a; }, second); });
    of.check();
    expect(thrown == 2, "lost exception", "the exception of a join's second closure does not leave it");
  });
}

/// Both throw: the first closure's exception leaves, the other one is dropped.
void join_whose_both_throw() {
  in_a_worker(2, [](pool_core&) {
    ran_once of;
    const auto first = [&] {
      ++of.a;
      throw 1;
    };
    const auto second = [&] {
      ++of.b;
      throw 2;
    };
    const int thrown = thrown_by([&] { dozer::join(first, second); });
    of.check();
    expect(thrown == 1, "lost exception", "of two exceptions the first closure's does not leave");
  });
}

/// The closure in the middle throws: the last one has finished when that leaves, and the first one's result is gone.
void join_whose_middle_throws() {
  in_a_worker(2, [](pool_core&) {
    int ran[3] = {};
    const auto middle = [&]() -> int {
      ++ran[1];
      throw 2;
    };
    const int thrown = thrown_by([&] {
      dozer::join([&] { return std::make_unique<int>(++ran[0]); }, middle,
                  [&] { return std::make_unique<int>(++ran[2]); });
    });
    expect(ran[0] == 1 && ran[1] == 1 && ran[2] == 1, "job twice", "a closure of a join ran not once");
    expect(thrown == 2, "lost exception", "the exception of a join's second closure does not leave it");
  });
}

}  // namespace verify
