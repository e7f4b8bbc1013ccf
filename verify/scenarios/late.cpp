// Loops by threads of no pool that begin alone: such a thread enters the global pool when it needs a seat.
#include "scenarios.hpp"
#include "waiting.hpp"

#include "../../src/pool/late_stay.hpp"

#include <dozer/join.hpp>
#include <dozer/parallel_for.hpp>
#include <dozer/thread_pool.hpp>

namespace verify {

namespace {

/// So many begin alone.
constexpr int many = loop_many;

void expect_stay_is_over() {
  expect(put_off_stay == nullptr, "guest", "a loop has ended, and its thread may still enter the pool for it");
}

/// A loop by a thread of no pool. `in_one(i)` is called in each iteration.
template <class InOne>
struct late_loop {
  explicit late_loop(InOne f) : in_one(f) {}
  void run() {
    dozer::parallel_for(0, many, [this](int i) {
      ++ran[i];
      in_one(i);
    });
    expect_once_each();
    expect_stay_is_over();
    through = true;
  }
  void expect_once_each() const {
    for (const int times : ran) {
      expect(times == 1, "job twice", "an iteration ran not once");
    }
  }

  InOne in_one;
  int ran[many] = {};
  bool through = false;
};

template <class InOne>
late_loop<InOne>& late_loop_after_go(InOne in_one) {
  auto& made = *new late_loop<InOne>(in_one);
  outside_after_go("caller", [&made] { made.run(); });
  return made;
}

/// In a pool of one, whose worker is about to sleep.
template <class InOne>
void late_loop_beside_a_worker(InOne in_one) {
  pool_core& pool = start_global_pool(1);
  wake_workers(pool, 1);
  const auto& made = late_loop_after_go(in_one);
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(made.through, "lost latch", "a loop has not returned");
  expect_idle(pool);
}

}  // namespace

/// It enters to fork its rest.
void late_loop_that_forks_its_rest() {
  late_loop_beside_a_worker([](int) {});
}
/// It enters in its first iteration.
void late_loop_that_joins() {
  late_loop_beside_a_worker([](int i) {
    if (i == 0) {
      dozer::join([] {}, [] {});
      expect(dozer::current_thread_index().has_value(), "guest", "an iteration is in no pool");
    }
  });
}
/// What follows its second iteration must run beside it.
void late_loop_with_a_leaf() {
  pool_core& pool = start_global_pool(2);
  wake_workers(pool, 1);
  const auto& made = late_loop_after_go([](int i) {
    if (i == 1) {
      long_leaf();
    }
  });
  begin(pool);
  rest_then([&] {
    expect_work_conserved(pool);
    made.expect_once_each();
  });
  expect(made.through, "lost latch", "a loop has not returned");
  expect_idle(pool);
}

/// Two threads. One has the worker's seat, the other one sits beside it.
void two_late_loops() {
  pool_core& pool = start_global_pool(1);
  const auto nothing = [](int) {};
  const auto& one = late_loop_after_go(nothing);
  const auto& other = late_loop_after_go(nothing);
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(one.through && other.through, "lost latch", "a loop has not returned");
  expect_idle(pool);
}

/// An iteration throws before the thread has entered.
void late_loop_that_throws() {
  count_people();
  pool_core& pool = start_global_pool(1);
  bool through = false;
  outside_after_go("caller", [&through] {
    try {
      dozer::parallel_for(0, many, [](int) { throw 1; });
    } catch (int) {
      through = true;
    }
    expect_stay_is_over();
  });
  begin(pool);
  rest_then([] {});
  expect(through, "exception", "an iteration has thrown, and the loop has not");
  expect(people_now().tokens() == 0, "count drift", "a token is left");
  expect_idle(pool);
}

namespace {

/// A job waits for the first iteration, whose thread has not entered yet: that is no deadlock.
template <class InFirst>
void late_loop_for_which_a_job_waits(InFirst in_first) {
  count_people();
  pool_core& pool = start_global_pool(1);
  auto& wait = *new user_wait;
  late_loop loop([&](int i) {
    if (i == 0) {
      on().hold_until_go();
      in_first();
      expect_reports(0);
      wait.release();
    }
  });
  outside_at_once("caller", [&loop] { loop.run(); });
  put_into(pool, waits(wait));
  begin(pool);
  rest_then([] {});
  expect(loop.through && wait.is_over(), "lost wake-up", "a wait was ended, and does not go on");
  expect_reports(0);
  expect_idle(pool);
  delete &wait;
}

}  // namespace

void late_loop_that_releases() {
  late_loop_for_which_a_job_waits([] {});
}
/// There is no moment at which the thread counts neither as an outsider with a token nor as a guest.
void late_loop_that_enters_and_releases() {
  late_loop_for_which_a_job_waits(
      [] { expect(dozer::current_thread_index().has_value(), "guest", "an iteration is in no pool"); });
}

/// The first iteration waits, and nobody is left to end that.
void late_loop_that_waits() {
  count_people();
  pool_core& pool = start_global_pool(1);
  auto& wait = *new user_wait;
  static_cast<void>(late_loop_after_go([&wait](int i) {
    if (i == 0) {
      wait.wait();
    }
  }));
  begin(pool);
  rest_then([] {});
  expect_reports(1);
}

/// Worker and extra seat are taken, so a join in the first iteration is handed over, and the loop goes on alone.
void late_loop_without_a_seat() {
  threads_of_the_program();
  expect(dozer::configure_global_pool(as_set({.threads = 1, .name = "worker", .max_spares = 0, .extra_guests = 1})),
         "set-up", "there is a global pool already");
  pool_core& pool = core_of(dozer::global_pool());
  wake_workers(pool, 1);
  const auto sit = [&pool] {
    const guest_stay here(pool);
    on().hold_until_go();
    long_leaf();
  };
  new outsider("guest", sit, false);
  on().settle();
  int joined = 0;
  const auto& made = late_loop_after_go([&joined](int i) {
    if (i == 0) {
      dozer::join([&joined] { ++joined; }, [] {});
    }
  });
  on().go();
  rest_then([] {});
  expect(made.through && joined == 1, "lost latch", "a loop has not returned");
}

}  // namespace verify
