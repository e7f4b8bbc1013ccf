// Two guests at once, guests beside mail, and guests whose pool ends while they are inside.
#include "scenarios.hpp"
#include "support.hpp"

namespace verify {

/// A worker that is about to sleep, and a guest beside it that forks and stays in a long leaf. Another guest comes,
/// into the worker's seat or beside them, forks, takes back what it has forked, and leaves.
void two_guests_beside_a_worker() {
  pool_core& pool = make_pool(1);
  wake_workers(pool, 1);
  bool ran = false;
  int others = 0;
  const auto stay = [&] {
    guest_stay here(pool);
    on().hold_until_go();
    dozer::join([] { long_leaf(); }, [&] { ran = true; });
  };
  const auto pass = [&] {
    guest_stay here(pool);
    dozer::join([] {}, [&] { ++others; });
  };
  new outsider("guest 1", stay, false);
  on().settle();
  new outsider("guest 2", pass);
  on().settle();
  begin(pool);
  rest_then([&] {
    expect_work_conserved(pool);
    expect(ran, "lost wake-up", "a forked job was not run");
  });
  expect(others == 1, "job twice", "a forked job ran not once");
  expect_idle(pool);
}

/// Two guests beside it, and both fork and stay in a long leaf: the worker must come for both jobs.
void two_guests_that_stay() {
  pool_core& pool = make_pool(1);
  wake_workers(pool, 1);
  reported<std::uint32_t> ran{0};
  const auto stay = [&] {
    guest_stay here(pool);
    on().hold_until_go();
    dozer::join([] { long_leaf(); }, [&] { ran.bump(); });
  };
  new outsider("guest 1", stay, false);
  new outsider("guest 2", stay, false);
  on().settle();
  begin(pool);
  rest_then([&] {
    expect_work_conserved(pool);
    expect(ran.get() == 2, "lost wake-up", "a forked job was not run");
  });
  expect_idle(pool);
}

/// A guest leaves its seat when all others are inactive. Another one comes into the other seat meanwhile, spawns a job,
/// and stays in a long leaf: the worker of the seat that was left must come.
template <bool Quiet>
void a_guest_leaves_and_another_comes() {
  pool_core& pool = make_pool(2);
  bool ran = false;
  const auto leave = [&] {
    guest_stay here(pool);
    if (!Quiet) {
      dozer::join([] {}, [] {});
    }
    on().hold_until_go();
  };
  const auto come = [&] {
    guest_stay here(pool);
    dozer::spawn([&ran] { ran = true; });
    long_leaf();
  };
  new outsider("guest 1", leave, false);
  on().settle();
  new outsider("guest 2", come);
  on().settle();
  begin(pool);
  rest_then([&] {
    expect_work_conserved(pool);
    expect(ran, "lost wake-up", "a spawned job was not run");
  });
  expect_idle(pool);
}
void quiet_guest_leaves_and_another_comes() { a_guest_leaves_and_another_comes<true>(); }
void guest_leaves_and_another_comes() { a_guest_leaves_and_another_comes<false>(); }

/// A guest leaves its seat beside a worker that searches, and there is mail for both workers.
void guest_leaves_beside_a_searcher_and_broadcast() {
  pool_core& pool = make_pool(2);
  tally answers;
  const auto stay = [&] {
    guest_stay here(pool);
    on().hold_until_go();
  };
  const auto send = [&] {
    const auto answer = [&answers](dozer::broadcast_context) { answers.add(); };
    broadcast_in(pool, answer);
  };
  new outsider("guest", stay, false);
  on().settle();
  wake_workers(pool, 1);
  new outsider("sender", send);
  on().settle();
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(answers.now() == 2, "lost wake-up", "a broadcast was not answered");
  expect_idle(pool);
}

/// A guest in the seat of a worker that has just fallen asleep takes the mail there.
void guest_takes_mail() {
  pool_core& pool = make_pool(1);
  wake_workers(pool, 1);
  tally answers;
  const auto help = [&] {
    guest_stay here(pool);
    while (dozer::yield_now() == dozer::yielded::executed) {
    }
  };
  const auto send = [&] {
    const auto answer = [&answers](dozer::broadcast_context) { answers.add(); };
    broadcast_in(pool, answer);
  };
  new outsider("guest", help);
  new outsider("sender", send);
  on().settle();
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(answers.now() == 1, "lost wake-up", "a broadcast was not answered");
  expect_idle(pool);
}

namespace {

/// The handle goes while a guest is inside, which goes on to use the pool.
template <class Body>
void end_around_a_guest(bool in_an_extra_seat, Body body) {
  pool_core& pool = make_pool(1);
  if (in_an_extra_seat) {
    wake_workers(pool, 1);
  }
  bool through = false;
  const auto stay = [&] {
    guest_stay here(pool);
    on().hold_until_go();
    body();
    through = true;
  };
  new outsider("guest", stay, false);
  on().settle();
  begin(pool);
  pool.end();
  expect(through, "lost wake-up", "a pool has ended before its guest");
  on().until_quiet();
  on().know_everything();
  expect(on().has_finished(1), "deadlock", "a worker goes on though its pool has ended");
}

void fork_and_wait() {
  int ran = 0;
  dozer::scope([&ran](dozer::spawner& s) { s.spawn([&ran] { ++ran; }); });
  expect(ran == 1, "lost latch", "a scope ended before its jobs");
}

}  // namespace

/// It forks and waits for its job, in the worker's seat, or beside the worker.
void end_while_a_guest_forks() { end_around_a_guest(false, &fork_and_wait); }
void end_while_a_guest_forks_in_an_extra_seat() { end_around_a_guest(true, &fork_and_wait); }

/// It submits a job and waits for it: the job stands in its deque, and others may run it.
void end_while_a_guest_waits() {
  end_around_a_guest(true, [] {
    expect(dozer::submit([] { return 3; }).get() == 3, "latch payload", "a future is ready without its value");
  });
}

/// It leaves a job behind, in an extra seat: that still runs before the workers stop.
void end_after_a_guest_has_spawned() {
  auto* const ran = new reported<std::uint32_t>{0};
  end_around_a_guest(true, [ran] { dozer::spawn([ran] { ran->bump(); }); });
  expect(ran->get() == 1, "lost job", "a pool has ended before a job that a guest has left behind");
}

}  // namespace verify
