// Guests who borrow the seats of sleeping workers and give them back.
#include "scenarios.hpp"
#include "support.hpp"

namespace verify {

/// A guest comes and goes while somebody injects.
template <unsigned Workers>
void guest_and_injector() {
  pool_core& pool = make_pool(Workers);
  once injected;
  const auto inject = [&] { pool.inject(injected); };
  const auto stay = [&] { guest_stay here(pool); };
  new outsider("guest", stay);
  new outsider("injector", inject);
  on().settle();
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(injected.ran(), "lost wake-up", "an injected job was not run");
  expect_idle(pool);
}
void guest_and_injector_one() { guest_and_injector<1>(); }
void guest_and_injector_two() { guest_and_injector<2>(); }

/// A guest leaves a detached job behind in the seat's deque, while somebody injects.
void guest_leaves_a_job() {
  pool_core& pool = make_pool(1);
  once injected, left(nullptr, &pool);
  const auto inject = [&] { pool.inject(injected); };
  const auto stay = [&] {
    guest_stay here(pool);
    pool.post(left);
  };
  new outsider("guest", stay);
  new outsider("injector", inject);
  on().settle();
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(injected.ran() && left.ran(), "lost wake-up", "a job was not run");
  expect_idle(pool);
}

/// A guest forks, another worker may steal the job, and the guest may sleep until it is done.
void guest_forks() {
  pool_core& pool = make_pool(2);
  int forked = 0;
  bool through = false;
  const auto stay = [&] {
    guest_stay here(pool);
    dozer::join([] {}, [&] { ++forked; });
    through = true;
  };
  new outsider("guest", stay);
  on().settle();
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(through, "lost latch", "a guest's job is done and the guest sleeps");
  expect(forked == 1, "job twice", "a forked job ran not once");
  expect_idle(pool);
}

namespace {

/// A guest does `fork`, which puts a job into its deque and stays in a leaf, while a worker is about to sleep.
template <class Fork>
void guest_forks_in_its_seat(unsigned workers, Fork fork) {
  pool_core& pool = make_pool(workers);
  bool ran = false;
  const auto stay = [&] {
    guest_stay here(pool);
    fork([&ran] { ran = true; });
  };
  new outsider("guest", stay);
  on().settle();
  wake_workers(pool, 1);
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });  // a guest in the only worker's seat keeps it to itself
  expect(ran, "lost wake-up", "a job was not run");
  expect_idle(pool);
}

}  // namespace

/// The same, and the guest stays in a leaf: the job must find another worker.
void guest_forks_and_stays() {
  guest_forks_in_its_seat(2, [](auto forked) {
    dozer::spawn(forked);
    long_leaf();
  });
}

/// A guest comes while the only worker searches, so it gets an extra seat; it forks, and stays in a leaf.
void guest_in_an_extra_seat_forks() {
  guest_forks_in_its_seat(1, [](auto forked) { dozer::join([] { long_leaf(); }, forked); });
}

/// Two guests, one worker: one of them gets an extra seat, unless they come one after the other.
void two_guests() {
  pool_core& pool = make_pool(1);
  once left(nullptr, &pool);
  const auto stay = [&] { guest_stay here(pool); };
  const auto stay_and_post = [&] {
    guest_stay here(pool);
    pool.post(left);
  };
  new outsider("guest 1", stay);
  new outsider("guest 2", stay_and_post);
  on().settle();
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(left.ran(), "lost wake-up", "a job was not run");
  expect_idle(pool);
}

/// A broadcast to a seat that is lent, given back, or about to be.
void guest_and_broadcast() {
  pool_core& pool = make_pool(1);
  struct shared {
    int runs = 0;
    bool through = false;
  } s;
  const auto stay = [&] { guest_stay here(pool); };
  const auto send = [&] {
    const auto count = [&s](dozer::broadcast_context) { ++s.runs; };
    broadcast_in(pool, count);
    s.through = true;
  };
  new outsider("guest", stay);
  new outsider("sender", send);
  on().settle();
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(s.through && s.runs == 1, "lost wake-up", "a broadcast was not answered");
  expect_idle(pool);
}

/// A guest waits for an injected job in a pool of one, whose only seat it has: it must run it itself.
void guest_waits_for_injected() {
  pool_core& pool = make_pool(1);
  struct shared {
    cross_pool_latch* latch = nullptr;
    int payload = 0;
  } s;
  once injected([](once& self, seat& here) {
    auto& in = *static_cast<shared*>(self.context);
    in.payload = 1;
    in.latch->set(&here);
  });
  injected.context = &s;
  bool through = false;
  const auto stay = [&] {
    guest_stay here(pool);
    cross_pool_latch latch(*current_seat());
    s.latch = &latch;
    pool.injected.push(injected);
    pool.sleep.jobs_injected(1, false);
    static_cast<void>(wait_until(*current_seat(), latch.core(), dozer::wait_reason::install, nullptr));
    expect(s.payload == 1, "latch payload", "the latch is set, and what was done before cannot be seen");
    through = true;
  };
  new outsider("guest", stay);
  on().settle();
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(through, "deadlock", "a guest that has the only seat waits for an injected job");
  expect_idle(pool);
}

/// A guest waits for an injected job. It has passed another one on to the last worker, which sleeps again. Now it is up
/// for nothing, and searches. Who injects the job counts on it, comes to sit in the worker's seat, and stays: then no
/// worker comes for the job, and the first guest must run it.
void guest_searches_while_another_comes() {
  pool_core& pool = make_pool(2);
  struct shared {
    cross_pool_latch* latch = nullptr;
    bool through = false;
  } s;
  once passed_on;
  once injected([](once& self, seat& here) { static_cast<shared*>(self.context)->latch->set(&here); });
  injected.context = &s;
  const auto wait = [&] {
    guest_stay here(pool);
    cross_pool_latch latch(*current_seat());
    s.latch = &latch;
    pool.injected.push(passed_on);
    static_cast<void>(wait_until(*current_seat(), latch.core(), dozer::wait_reason::install, nullptr));
    s.through = true;
  };
  outside_at_once("guest", wait);
  expect(passed_on.ran() && pool.seats[0].guest, "set-up", "the guest has not passed a job on");
  const auto inject_and_stay = [&] {
    pool.inject(injected);
    guest_stay here(pool);
    long_leaf();
  };
  outside_after_go("second guest", inject_and_stay);
  pool.sleep.wake_seat(pool.seats[0], nullptr, dozer::wake_cause::mail);
  begin(pool);
  rest_then([&] {
    expect_work_conserved(pool);
    expect(s.through, "lost wake-up", "a guest sleeps beside the job that it waits for, and no worker comes");
  });
  expect_idle(pool);
}

/// A guest that searches, with a job for a worker in the injector and a worker that goes to sleep.
void guest_searches_and_injector() {
  pool_core& pool = make_pool(2);
  struct shared {
    one_shot_latch* latch = nullptr;
    bool through = false;
  } s;
  once injected;
  once setter([](once& self, seat& here) {
    auto& in = *static_cast<shared*>(self.context);
    on().hold_until_go();
    in.latch->set(here);
  });
  setter.context = &s;
  pool.inject(setter);
  on().settle();
  const auto stay = [&] {
    guest_stay here(pool);
    one_shot_latch latch(*current_seat());
    s.latch = &latch;
    on().hold_until_go();
    static_cast<void>(wait_until(*current_seat(), latch.core(), dozer::wait_reason::join, nullptr));
    s.through = true;
  };
  new outsider("guest", stay, false);
  const auto inject = [&] { pool.inject(injected); };
  new outsider("injector", inject);
  on().settle();
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(s.through, "lost latch", "the latch is set and the guest sleeps on it");
  expect(injected.ran(), "lost wake-up", "an injected job was not run");
  expect_idle(pool);
}

/// The handle goes while a guest is inside: the pool waits for it.
void guest_and_end() {
  pool_core& pool = make_pool(1);
  once left(nullptr, &pool);
  // install keeps the pool by a hold that the caller has; the guest takes its own.
  pool.hold();
  const auto stay = [&] {
    {
      guest_stay here(pool);
      pool.post(left);
    }
    pool.let_go();
  };
  new outsider("guest", stay);
  on().settle();
  begin(pool);
  pool.end();
  on().until_quiet();
  on().know_everything();
  expect(left.ran(), "lost wake-up", "the pool ended before its jobs");
}

namespace {

/// A guest leaves its seat while the other worker forks and stays in a long leaf: the seat's worker must come.
template <bool HasForked>
void guest_leaves_beside_a_fork() {
  pool_core& pool = make_pool(2);
  bool ran = false;
  put_to_work(pool, [&ran] { dozer::join([] { long_leaf(); }, [&ran] { ran = true; }); });
  const auto stay = [&] {
    guest_stay here(pool);
    if (HasForked) {  // and taken it back: it is not quiet any more
      dozer::join([] {}, [] {});
    }
    on().hold_until_go();
  };
  new outsider("guest", stay, false);
  on().settle();
  begin(pool);
  rest_then([&] {
    expect_work_conserved(pool);
    expect(ran, "lost wake-up", "a forked job was not run");
  });
  expect_idle(pool);
}

}  // namespace

void guest_leaves_and_fork() { guest_leaves_beside_a_fork<true>(); }
void quiet_guest_leaves_and_fork() { guest_leaves_beside_a_fork<false>(); }

/// A guest leaves two jobs of another's scope behind in a lent seat, whose worker is long in the first: somebody must
/// come for the other.
void guest_leaves_two_jobs() {
  pool_core& pool = make_pool(2);
  const auto dally = [](once&, seat&) { long_leaf(); };
  once left[2] = {once(dally), once(dally)};
  const auto stay = [&] {
    guest_stay here(pool);
    on().hold_until_go();
    for (once& each : left) {
      current_seat()->own().reserve();
      post_to_scope(*current_seat(), each);
    }
  };
  new outsider("guest", stay, false);
  on().settle();
  wake_workers(pool, 1);
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(left[0].ran() && left[1].ran(), "lost wake-up", "a job was not run");
  expect_idle(pool);
}

/// A worker sleeps in the middle of a job, for a latch; a guest comes, and stays. The worker must get on all the same.
void guest_and_bound_worker() {
  pool_core& pool = make_pool(2);
  struct shared {
    one_shot_latch* latch = nullptr;
    bool through = false;
  } s;
  once owner([](once& self, seat& me) {
    auto& in = *static_cast<shared*>(self.context);
    one_shot_latch latch(me);
    in.latch = &latch;
    static_cast<void>(wait_until(me, latch.core(), dozer::wait_reason::join, nullptr));
    in.through = true;
  });
  once setter([](once& self, seat& here) {
    on().hold_until_go();
    static_cast<shared*>(self.context)->latch->set(here);
  });
  owner.context = setter.context = &s;
  pool.inject(setter);  // first: otherwise the owner would run it in its wait
  on().settle();
  pool.inject(owner);
  on().settle();
  const auto stay = [&] {
    guest_stay here(pool);
    long_leaf();
  };
  new outsider("guest", stay);
  on().settle();
  begin(pool);
  rest_then(
      [&] { expect(s.through, "lost latch", "a worker's latch is set, and it cannot get on: its seat is lent"); });
  expect_idle(pool);
}

/// More guests than the fields of the word have room for: the last one finds no seat.
void members_fill_the_word() {
  pool_core& pool = make_pool(2);
  wake_workers(pool, 2);
  struct shared {
    cross_pool_latch* latches[2] = {};
    atomic<int> through{0};
  } s;
  struct staying {
    pool_core& pool;
    shared& s;
    unsigned index;
    void operator()() const {
      guest_stay here(pool);
      if (here.seated()) {
        cross_pool_latch latch(*current_seat());
        s.latches[index] = &latch;
        static_cast<void>(wait_until(*current_seat(), latch.core(), dozer::wait_reason::install, nullptr));
      }
      s.through.fetch_add(1, acq_rel);
    }
  };
  new outsider("guest 1", staying{pool, s, 0});
  new outsider("guest 2", staying{pool, s, 1});
  on().settle();
  begin(pool);
  on().until_quiet(1);
  on().know_everything();
  for (cross_pool_latch* const each : s.latches) {
    if (each != nullptr) {
      each->set(nullptr);
    }
  }
  on().until_quiet(3);
  on().know_everything();
  expect(on().peek(&s.through) == 2, "lost latch", "the latch is set and the guest sleeps on it");
  expect_idle(pool);
}

/// A guest comes and stays in a long leaf while somebody injects: the other worker must come for the job.
void guest_stays_and_injector() {
  pool_core& pool = make_pool(2);
  once injected;
  const auto stay = [&] {
    guest_stay here(pool);
    long_leaf();
  };
  const auto inject = [&] { pool.inject(injected); };
  new outsider("guest", stay);
  new outsider("injector", inject);
  on().settle();
  begin(pool);
  rest_then([&] { expect(injected.ran(), "lost wake-up", "an injected job waits for a guest who does not run it"); });
  expect_idle(pool);
}

namespace {

/// A guest that waits for a latch, which the main thread sets at the very end.
struct waiting_guest {
  pool_core& pool;
  cross_pool_latch*& latch;
  bool at_once;  // in its wait before the checking begins
  void operator()() const {
    if (!at_once) {
      on().hold_until_go();
    }
    guest_stay here(pool);
    cross_pool_latch mine(*current_seat());
    latch = &mine;
    static_cast<void>(wait_until(*current_seat(), mine.core(), dozer::wait_reason::install, nullptr));
  }
};

}  // namespace

/// A guest searches, and posters count on it; the job that one injects is not the guest's to run, and the workers
/// sleep.
void guest_waits_and_injector() {
  pool_core& pool = make_pool(2);
  once& injected = job_that(
      [](seat& here) { expect(!here.guest, "guest", "a guest runs an injected job, and there are workers for it"); });
  cross_pool_latch* latch = nullptr;
  new outsider("guest", waiting_guest{pool, latch, false}, false);
  const auto inject = [&] { pool.inject(injected); };
  new outsider("injector", inject);
  on().settle();
  on().forbid_naps();  // a guest that does not run a job need not stay up for it
  begin(pool);
  on().until_quiet(1);
  on().know_everything();
  expect(injected.ran(), "lost wake-up", "an injected job waits for a guest who does not run it");
  latch->set(nullptr);
  on().until_quiet(3);
  on().know_everything();
  expect_idle(pool);
}

/// All seats are lent: one guest sleeps, another one comes and stays in a long leaf. The one who sleeps must run what
/// is injected.
void all_seats_lent_and_injector() {
  pool_core& pool = make_pool(2);
  once injected;
  cross_pool_latch* latch = nullptr;
  new outsider("guest 1", waiting_guest{pool, latch, true}, false);
  on().settle();
  const auto stay = [&] {
    guest_stay here(pool);
    long_leaf();
  };
  new outsider("guest 2", stay);
  const auto inject = [&] { pool.inject(injected); };
  new outsider("injector", inject);
  on().settle();
  begin(pool);
  on().until_quiet(1);
  on().know_everything();
  expect(injected.ran(), "lost wake-up",
         "all seats are lent, and the guest who sleeps is not woken for an injected job");
  latch->set(nullptr);
  on().until_quiet(3);
  on().know_everything();
  expect_idle(pool);
}

}  // namespace verify
