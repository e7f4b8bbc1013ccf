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

namespace {

/// Worker and extra seat are taken.
template <class InFirst>
void late_loop_beside_full_seats(InFirst in_first) {
  count_people();
  dozer::pool_options options = usual_options(1);
  options.extra_guests = 1;
  pool_core& pool = start_global_pool(std::move(options));
  wake_workers(pool, 1);
  const auto sit = [&pool] {
    const guest_stay here(pool);
    on().hold_until_go();
    long_leaf();
  };
  new outsider("guest", sit, false);
  on().settle();
  const auto& made = late_loop_after_go([in_first](int i) {
    if (i == 0) {
      in_first();
    }
  });
  on().go();
  rest_then([] {});
  expect(made.through, "lost latch", "a loop has not returned");
  expect(people_now().tokens() == 0, "count drift", "a token is left");
}

}  // namespace

/// A join in the first iteration is handed over, and the loop goes on alone.
void late_loop_without_a_seat() {
  int joined = 0;
  late_loop_beside_full_seats([&joined] { dozer::join([&joined] { ++joined; }, [] {}); });
  expect(joined == 1, "lost latch", "a join that was handed over has not run");
}
/// A loop in the first iteration puts off no second stay.
void late_loop_in_a_late_loop() {
  int inner = 0;
  late_loop_beside_full_seats([&inner] { dozer::parallel_for(0, 1, [&inner](int) { ++inner; }); });
  expect(inner == 1, "lost latch", "a loop that was handed over has not run");
}

/// Into a pool that is a limit, whose only thread runs a body: the loop has to wait for its place.
void late_loop_in_a_limit() {
  dozer::pool_options options = usual_options(1);
  options.extra_guests = 0;
  pool_core& pool = start_global_pool(std::move(options));
  auto& bodies = *new reported<std::uint32_t>(0);
  on().count_as_state(&bodies, sizeof bodies);
  put_to_work(pool, [&bodies] {
    bodies.bump();
    long_leaf();
    bodies.set(bodies.get() - 1);
  });
  const auto& made = late_loop_after_go(
      [&bodies](int) { expect(bodies.get() == 0, "limit", "more bodies run at once than the pool has threads"); });
  begin(pool);
  rest_then([] {});
  expect(made.through, "lost latch", "a loop has not returned");
  expect_idle(pool);
}

}  // namespace verify
