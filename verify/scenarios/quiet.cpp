// Guests that come and go without a heavy fence, and occupants of extra seats that cancel out.
#include "scenarios.hpp"
#include "support.hpp"

namespace verify {

namespace {

/// A worker that forks, and stays in a long leaf. `ran` says whether somebody has come for its job.
void put_forker_to_work(pool_core& pool, bool& ran) {
  put_to_work(pool, [&ran] { dozer::join([] { long_leaf(); }, [&ran] { ran = true; }); });
}

}  // namespace

/// One worker forks and stays in a long leaf, perhaps with an old view of the word. A guest searches beside the
/// workers. The other worker falls asleep meanwhile, and its seat is lent. The searcher leaves, and so does the quiet
/// guest: the sleeper must come for the forked job.
void quiet_guest_and_last_searcher() {
  pool_core& pool = make_pool(2);
  struct shared {
    gate searching, lent;
  } s;
  bool forked_ran = false;
  put_forker_to_work(pool, forked_ran);
  once sleeps_later([](once& self, seat&) { static_cast<shared*>(self.context)->searching.wait(); });
  sleeps_later.context = &s;
  pool.inject(sleeps_later);
  on().settle();
  const auto search = [&] {
    guest_stay beside(pool);
    core_latch never;
    on().hold_until_go();
    idle_state idle = pool.sleep.start_looking(*current_seat(), never, dozer::wait_reason::join, no_deadline);
    s.searching.open();
    s.lent.wait();
    pool.sleep.stop_looking(idle);
    long_leaf();
  };
  const auto stay = [&] {
    guest_stay here(pool);
    s.lent.open();
  };
  new outsider("searcher", search, false);
  on().settle();
  new outsider("guest", stay);
  on().settle();
  begin(pool);
  rest_then([&] {
    expect_work_conserved(pool);
    expect(forked_ran, "lost wake-up", "a forked job was not run");
  });
  expect_idle(pool);
}

namespace {

/// One worker forks and stays in a long leaf. A guest beside the workers searches while the other worker falls asleep,
/// and leaves the search for a long leaf. `others` starts more threads.
template <class Others>
void leave_beside_a_sleeper(pool_core& pool, Others others) {
  gate searching;
  bool forked_ran = false;
  put_forker_to_work(pool, forked_ran);
  once sleeps_later([](once& self, seat&) { static_cast<gate*>(self.context)->wait(); });
  sleeps_later.context = &searching;
  pool.inject(sleeps_later);
  on().settle();
  const auto search = [&] {
    guest_stay beside(pool);
    core_latch never;
    on().hold_until_go();
    idle_state idle = pool.sleep.start_looking(*current_seat(), never, dozer::wait_reason::join, no_deadline);
    searching.open();
    pool.sleep.stop_looking(idle);
    long_leaf();
  };
  new outsider("searcher", search, false);
  on().settle();
  others();
  begin(pool);
  rest_then([&] {
    expect_work_conserved(pool);
    expect(forked_ran, "lost wake-up", "a forked job was not run");
  });
  expect_idle(pool);
}

}  // namespace

/// The same without the quiet guest: the searcher that leaves must see to the sleeper.
void last_searcher_beside_a_sleeper() {
  leave_beside_a_sleeper(make_pool(2), [] {});
}

/// A policy by which the last searcher wakes one without a look. The one may just have lent its seat to a guest, which
/// leaves it again without a heavy fence: then the searcher must look all the same.
void last_searcher_wakes_one_beside_a_guest() {
  dozer::pool_options wanted{.threads = 2, .name = "worker", .max_spares = 0};
  wanted.idle.wake = dozer::wake_policy::one;
  pool_core& pool = core_of(make_handle(wanted));
  const auto stay = [&pool] { guest_stay here(pool); };
  leave_beside_a_sleeper(pool, [&stay] {
    new outsider("guest", stay);
    on().settle();
  });
}

/// One guest is quiet, another one comes, and the last searcher leaves: it takes out of the word only what is in it.
void two_quiet_guests_and_last_searcher() {
  pool_core& pool = make_pool(2);
  const auto search = [&] {
    expect(pool.seats.try_count_in_guest(), "set-up", "no extra seat");
    pool.hold();
    pool.home.enter();
    {
      extra_stay beside(*pool.seats.take_extra(), true);
      core_latch never;
      idle_state idle = pool.sleep.start_looking(*current_seat(), never, dozer::wait_reason::join, no_deadline);
      on().hold_until_go();
      pool.sleep.stop_looking(idle);
    }
    pool.let_go();
    pool.home.leave();
  };
  const auto stay = [&] {
    guest_stay here(pool);
    on().hold_until_go();
  };
  const auto come = [&] { guest_stay here(pool); };
  new outsider("searcher", search, false);
  on().settle();
  new outsider("guest 1", stay, false);
  on().settle();
  new outsider("guest 2", come);
  on().settle();
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect_idle(pool);
}

/// A worker that forks beside a quiet guest ends the quiet, and goes on to fork; then the guest leaves.
void quiet_guest_and_two_forks() {
  pool_core& pool = make_pool(2);
  bool first_ran = false, second_ran = false;
  put_to_work(pool, [&] {
    dozer::join([&] { dozer::join([] { long_leaf(); }, [&] { second_ran = true; }); }, [&] { first_ran = true; });
  });
  const auto stay = [&] {
    guest_stay here(pool);
    on().hold_until_go();
  };
  new outsider("guest", stay, false);
  on().settle();
  begin(pool);
  rest_then([&] {
    expect_work_conserved(pool);
    expect(first_ran && second_ran, "lost wake-up", "a forked job was not run");
  });
  expect_idle(pool);
}

/// One worker and two guests beside it. One of them forks and stays in a long leaf. The other one sleeps for a time,
/// and leaves when the worker has counted it as inactive: the numbers agree, and yet a member is active.
void occupants_that_cancel_out() {
  pool_core& pool = make_pool(1);
  wake_workers(pool, 1);
  bool forked_ran = false;
  const auto fork = [&] {
    guest_stay here(pool);
    on().hold_until_go();
    dozer::join([] { long_leaf(); }, [&] { forked_ran = true; });
  };
  const auto sleep_and_leave = [&] {
    guest_stay here(pool);
    core_latch never;
    on().hold_until_go();
    if (!now_set.never) {  // else it would never leave
      static_cast<void>(wait_until(*current_seat(), never, dozer::wait_reason::join, nullptr, deadline_after(1)));
    }
  };
  new outsider("guest that forks", fork, false);
  on().settle();
  new outsider("guest that leaves", sleep_and_leave, false);
  on().settle();
  begin(pool);
  rest_then([&] {
    expect_work_conserved(pool);
    expect(forked_ran, "lost wake-up", "a forked job was not run");
  });
  expect_idle(pool);
}

/// A guest in an extra seat leaves a job of another's scope behind, posted with a light fence only; the worker falls
/// asleep.
void job_left_in_an_extra_seat() {
  pool_core& pool = make_pool(1);
  wake_workers(pool, 1);
  once left;
  const auto stay = [&] {
    guest_stay here(pool);
    on().hold_until_go();
    current_seat()->own().reserve();
    post_to_scope(*current_seat(), left);
  };
  new outsider("guest", stay, false);
  on().settle();
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(left.ran(), "lost wake-up", "a job was not run");
  expect_idle(pool);
}

namespace {

std::uint64_t heavy_fences(const pool_core& pool) {
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < pool.seats.bound(); ++i) {
    sum += pool.seats[i].counts.heavy_fences.get();
  }
  return sum;
}
void expect_none_since(std::uint64_t before, const pool_core& pool, const char* what) {
  expect(heavy_fences(pool) == before, "cost of a guest", what);
}
void expect_no_quiet_left(pool_core& pool) {
  expect_idle(pool);
  const counters word(on().peek(&pool.sleep));
  expect(word.quiet() == 0, "count drift", to_string(word).c_str());
}

}  // namespace

/// What a guest costs. The first fork beside a quiet one has a fence, and the second nothing. One that comes and goes
/// beside a busy worker has no heavy fence, and wakes no worker.
void cost_of_a_quiet_guest() {
  pool_core& pool = make_pool(2);
  gate forked;
  put_to_work(pool, [&] {
    const auto cost_of_a_fork = [] {
      const machine::tally before = on().did(on().self());
      dozer::join([] {}, [] {});
      const machine::tally after = on().did(on().self());
      return machine::tally{.rmws = after.rmws - before.rmws, .fences = after.fences - before.fences};
    };
    const machine::tally first = cost_of_a_fork(), second = cost_of_a_fork();
    if (now_set.process_fence) {
      expect(first.fences == 1, "cost of a join", "a fork beside a quiet guest has more than one fence");
      expect(second.rmws == 0 && second.fences == 0, "cost of a join",
             "a fork beside a guest has an RMW or a fence, though another one had it before");
    }
    forked.open();
    long_leaf();
  });
  const auto come_twice = [&] {
    {
      guest_stay here(pool);
      forked.wait();
    }
    const std::uint64_t fences = heavy_fences(pool);
    const std::uint32_t wakes = on().did(on().self()).wakes;
    { guest_stay again(pool); }
    expect_none_since(fences, pool, "a quiet guest has left with a heavy fence");
    expect(on().did(on().self()).wakes == wakes, "needless wake",
           "a guest that has left nothing behind wakes a worker");
  };
  new outsider("guest", come_twice, false);
  on().settle();
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect_no_quiet_left(pool);
}

/// A worker leaves the search for a job from outside, beside a quiet guest: it ends the quiet, and has no heavy fence.
void cost_of_leaving_beside_a_quiet_guest() {
  pool_core& pool = make_pool(2);
  gate begun;
  const auto stay = [&] {
    guest_stay here(pool);
    begun.wait();
    dozer::join([] {}, [] {});
  };
  new outsider("guest", stay, false);
  on().settle();
  once& job = job_that([&] {
    expect_none_since(0, pool, "a worker that leaves the search beside a quiet guest has a heavy fence");
    begun.open();
  });
  outside_after_go("injector", [&] { pool.inject(job); });
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(job.ran(), "lost wake-up", "an injected job was not run");
  expect_no_quiet_left(pool);
}

/// A guest that has forked leaves beside a busy worker, and beside a guest that searches: it leaves the looks to that.
void cost_of_leaving_beside_a_searcher() {
  pool_core& pool = make_pool(2);
  put_to_work(pool, [] { long_leaf(); });
  gate left;
  const auto leave = [&] {
    {
      guest_stay here(pool);
      dozer::join([] {}, [] {});
      on().hold_until_go();
    }
    expect_none_since(0, pool, "a guest that leaves beside a searcher has a heavy fence");
    left.open();
  };
  const auto search = [&] {
    guest_stay beside(pool);
    core_latch never;
    idle_state idle = pool.sleep.start_looking(*current_seat(), never, dozer::wait_reason::join, no_deadline);
    left.wait();
    pool.sleep.stop_looking(idle);
  };
  new outsider("guest", leave, false);
  on().settle();
  new outsider("searcher", search, false);
  on().settle();
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect_no_quiet_left(pool);
}

}  // namespace verify
