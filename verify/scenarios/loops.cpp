// Loops: whose pieces are stolen, from outside, inside each other, with iterations that throw.
#include "scenarios.hpp"
#include "support.hpp"

namespace verify {

namespace {

/// How often each iteration ran. Plain memory: an iteration that runs twice at once is a race.
template <int Count>
struct iterations {
  int ran[Count] = {};

  void expect_once_each() const {
    for (const int times : ran) {
      expect(times == 1, "job twice", "an iteration ran not once");
    }
  }
};

}  // namespace

/// A loop of three: half of it, and the half of a half, may be stolen.
void loop_with_a_thief() {
  pool_core& pool = make_pool(2);
  iterations<3> of;
  const once& caller = put_to_work(pool, [&of] {
    dozer::parallel_for(0, 3, [&of](int i) { ++of.ran[i]; });
    of.expect_once_each();
  });
  wake_workers(pool, 1);
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(caller.ran(), "lost latch", "a loop has not returned");
  expect_idle(pool);
}

/// A thread of no pool runs its loop as a guest, while the worker whose seat it does not get goes to sleep.
void loop_from_outside() {
  dozer::thread_pool& handle = make_handle({.threads = 2, .name = "worker", .max_spares = 0});
  pool_core& pool = core_of(handle);
  wake_workers(pool, 1);
  iterations<2> of;
  bool through = false;
  const auto run = [&] {
    handle.install([&of] { dozer::parallel_for(0, 2, [&of](int i) { ++of.ran[i]; }); });
    of.expect_once_each();
    through = true;
  };
  new outsider("caller", run);
  on().settle();
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(through, "lost latch", "a loop has not returned");
  expect_idle(pool);
}

/// A loop in each iteration of a loop.
void loop_in_a_loop() {
  pool_core& pool = make_pool(2);
  iterations<4> of;
  const once& caller = put_to_work(pool, [&of] {
    dozer::parallel_for(0, 2, [&of](int i) { dozer::parallel_for(0, 2, [&of, i](int k) { ++of.ran[2 * i + k]; }); });
    of.expect_once_each();
  });
  wake_workers(pool, 1);
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(caller.ran(), "lost latch", "a loop has not returned");
  expect_idle(pool);
}

/// One iteration throws. What was begun has ended when the exception leaves, and nothing of the loop runs afterwards.
template <int Thrower>
void loop_that_throws() {
  pool_core& pool = make_pool(2);
  struct shared {
    iterations<3> of;
    bool over = false;
  };
  auto* const s = new shared;
  const once& caller = put_to_work(pool, [s] {
    int thrown = -1;
    try {
      dozer::parallel_for(0, 3, [s](int i) {
        expect(!s->over, "lost latch", "an iteration runs though its loop is over");
        ++s->of.ran[i];
        if (i == Thrower) {
          throw i;
        }
      });
    } catch (const int which) {
      thrown = which;
    }
    s->over = true;
    expect(thrown == Thrower, "lost exception", "the exception of an iteration does not leave its loop");
    for (const int times : s->of.ran) {
      expect(times <= 1, "job twice", "an iteration ran twice");
    }
  });
  wake_workers(pool, 1);
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(caller.ran(), "lost latch", "a loop has not returned");
  expect_idle(pool);
}
void loop_whose_first_throws() { loop_that_throws<0>(); }
void loop_whose_last_throws() { loop_that_throws<2>(); }

/// Loops like this one were short so often that it begins alone. This time it is long: what is left after the first
/// iteration is for others.
void loop_that_was_short_before() {
  struct body {
    iterations<3>* of;
    void operator()(std::uint64_t i) const {
      ++of->ran[i];
      if (i == 1) {
        long_leaf();
      }
    }
  };
  pool_core& pool = make_pool(2);
  iterations<3> of;
  const once& caller = put_to_work(pool, [&of] {
    for (int i = 0; i < 16; ++i) {  // in each run: what is known of loops is no part of the checked memory
      history_of<body>.ran(3, 0);
    }
    expect(history_of<body>.promises_a_short_one(3), "set-up", "the loop does not begin alone");
    run_loop(3, body{&of});
    of.expect_once_each();
  });
  wake_workers(pool, 1);
  begin(pool);
  rest_then([&] {
    expect_work_conserved(pool);
    expect(of.ran[2] == 1, "lost wake-up", "an iteration was not run while another one was long");
  });
  expect(caller.ran(), "lost latch", "a loop has not returned");
  expect_idle(pool);
}

}  // namespace verify
