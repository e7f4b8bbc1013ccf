// Loops by threads of no pool that begin alone: such a thread sits down in the global pool when it needs a seat.
#include "scenarios.hpp"
#include "waiting.hpp"

#include "../../src/pool/late_stay.hpp"

#include <dozer/blocking.hpp>
#include <dozer/join.hpp>
#include <dozer/parallel_for.hpp>
#include <dozer/sync.hpp>
#include <dozer/thread_pool.hpp>

namespace verify {

namespace {

/// So many begin alone.
constexpr int many = loop_many;

void expect_stay_is_over() {
  expect(put_off_stay == nullptr, "guest", "a loop has ended, and its thread may still sit down for it");
}

void expect_inside() { expect(dozer::current_thread_index().has_value(), "guest", "an iteration is in no pool"); }

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

/// It sits down to fork its rest.
void late_loop_that_forks_its_rest() {
  late_loop_beside_a_worker([](int) {});
}
/// It sits down in its first iteration.
void late_loop_that_joins() {
  late_loop_beside_a_worker([](int i) {
    if (i == 0) {
      dozer::join([] {}, [] {});
      expect_inside();
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

/// Two threads. One has the worker's seat, the other one the seat that was kept for it.
void two_late_loops() {
  pool_core& pool = start_global_pool(1);
  const auto& one = late_loop_after_go([](int) {});
  const auto& other = late_loop_after_go([](int) {});
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(one.through && other.through, "lost latch", "a loop has not returned");
  expect_idle(pool);
}

/// An iteration throws before the thread has sat down.
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
  expect(pool.seats.seated() == 1, "count drift", "a guest that has gone is counted");
  expect_idle(pool);
}

namespace {

/// A job waits for the first iteration, whose thread has no seat yet: that is no deadlock.
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
void late_loop_that_enters_and_releases() { late_loop_for_which_a_job_waits(expect_inside); }

/// The first iteration waits, and no thread is left to end that.
void late_loop_that_waits() {
  count_people();
  pool_core& pool = start_global_pool(1);
  auto& wait = *new user_wait;
  static_cast<void>(late_loop_after_go([&wait](int i) {
    if (i == 0) {
      expect(dozer::current_thread_index() == 0u, "guest", "a thread sits beside a worker that sleeps");
      wait.wait();
    }
  }));
  begin(pool);
  rest_then([] {});
  expect_reports(1);
}

/// The worker is busy, and the pool allows one guest: a thread outside, whose seat is kept while it has none. Its
/// iterations are inside. Another loop is handed over, to the worker, and so begins when that is through.
void late_loop_with_the_last_seat() {
  count_people();
  dozer::pool_options options = usual_options(1, "worker", 1);
  options.extra_guests = 1;
  pool_core& pool = start_global_pool(std::move(options));
  auto& bodies = *new reported<std::uint32_t>(0);
  on().count_as_state(&bodies, sizeof bodies);
  const auto leave = [&bodies] { bodies.set(bodies.get() - 1); };
  put_into(pool, job_that([&] {
             bodies.bump();
             on().hold_until_go();
             long_leaf();
             leave();
           }));
  late_loop first([&](int i) {
    if (i == 0) {
      bodies.bump();
      on().hold_until_go();
    }
    if (i == 1) {
      expect_inside();
      long_leaf();
      leave();
    }
  });
  outside_at_once("first", [&first] { first.run(); });
  const auto& second = late_loop_after_go([&bodies](int) {
    expect(bodies.get() < 2, "limit", "more guests are at work than the pool allows");
    expect_inside();
  });
  begin(pool);
  rest_then([] {});
  expect(first.through && second.through, "lost latch", "a loop has not returned");
  for (std::uint32_t i = pool.seats.workers(); i != pool.seats.capacity(); ++i) {
    expect(!on().peek(&pool.seats[i].taken), "count drift", "a seat is kept for a guest that has gone");
  }
  expect_idle(pool);
}

/// A wait lacks a spare, since the only extra seat is kept for a thread outside. That thread never sits down; when it
/// goes, the spare comes.
void late_loop_leaves_its_seat_to_a_spare() {
  count_people();
  pool_core& pool = start_global_pool(usual_options(2, "worker", 1));
  gate world;
  once injected;
  put_into(pool, job_after_go([&] { dozer::blocking([&] { world.wait(); }); }));
  put_into(pool, job_after_go([] { long_leaf(); }));
  outside_at_once("guest", [] { dozer::parallel_for(0, 1, [](int) { on().hold_until_go(); }); });
  outside_after_go("injector", [&] { pool.inject(injected); });
  begin(pool);
  rest_then([&] {
    expect(injected.ran(), "lost wake-up", "a seat is free, and no spare comes for a wait that lacks one");
    world.open();
  });
  expect_reports(0);
  expect_idle(pool);
}

namespace {

/// Two workers wait. A thread outside keeps the only extra seat for a moment while the job comes that ends both waits:
/// nothing is stuck before it has given the seat to the spare that runs the job.
template <tokens Held>
void late_loop_beside_waits() {
  count_people();
  pool_core& pool = start_global_pool(usual_options(2, "worker", 1));
  auto* const others_run = new dozer::external_token;
  auto* const both = new user_wait[2];
  put_into(pool, waits_already(both[0]));
  put_into(pool, waits_already(both[1]));
  if (Held == tokens::none) {
    outside_at_once("guest", [] { dozer::parallel_for(0, 1, [](int) { on().hold_until_go(); }); });
    others_run->drop();  // not sooner: two workers that wait are a standstill of their own
  } else {
    outside_after_go("guest", [] { dozer::parallel_for(0, 1, [](int) {}); });
  }
  outside_after_go("injector", [&] {
    pool.inject(job_that([both] {
      both[0].release();
      both[1].release();
    }));
    if (Held == tokens::until_it_came) {
      others_run->drop();
    }
  });
  begin(pool);
  rest_then([&] { expect(both[1].is_over(), "lost wake-up", "a job is queued, and no thread comes for it"); });
  held_token<Held>::check_reports();
  expect_idle(pool);
}

}  // namespace

void late_loop_beside_waits_alone() { late_loop_beside_waits<tokens::until_it_came>(); }
void late_loop_beside_waits_bare() { late_loop_beside_waits<tokens::none>(); }

}  // namespace verify
