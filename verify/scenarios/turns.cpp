// Yields, and the turns that fairness brings: with few jobs in a row a look often goes elsewhere first.
#include "scenarios.hpp"
#include "support.hpp"

namespace verify {

namespace {

/// A pool whose members look elsewhere after so many jobs.
pool_core& make_fair_pool(unsigned workers, std::uint32_t jobs_in_a_row = 1) {
  dozer::pool_options wanted{.threads = workers, .name = "worker", .max_spares = 0};
  wanted.idle.deque_jobs_in_a_row = jobs_in_a_row;
  wanted.idle.injected_jobs_in_a_row = 1;
  return core_of(make_handle(wanted));
}

}  // namespace

/// A member yields until nothing is left, while another one takes jobs from it, and it from the other.
void yields_beside_a_thief() {
  pool_core& pool = make_pool(2);
  int ran[2] = {};
  const auto spawn_and_yield = [&ran](int which) {
    return [&ran, which] {
      dozer::spawn([&ran, which] { ++ran[which]; });
      while (dozer::yield_now() == dozer::yielded::executed) {
      }
    };
  };
  put_to_work(pool, spawn_and_yield(0));
  put_to_work(pool, spawn_and_yield(1));
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(ran[0] == 1 && ran[1] == 1, "job twice", "a job ran not once");
  expect_idle(pool);
}

/// A yield takes what another member keeps private, just when that one comes back for it.
void yield_takes_a_private_job() {
  pool_core& pool = make_pool(2);
  int ran = 0;
  put_to_work(pool, [&ran] {
    dozer::join([] {}, [&ran] { ++ran; });
    expect(ran == 1, "job twice", "a closure of a join ran not once");
  });
  put_to_work(pool, [] {
    static_cast<void>(dozer::yield_now());
    expect(dozer::yield_local() == dozer::yielded::idle, "job twice", "a yield has found a job that is nobody's");
  });
  const auto yield = [] {
    expect(dozer::yield_now() == dozer::yielded::not_a_worker, "yield", "a thread of no pool has run a job");
  };
  new outsider("outsider", yield);
  on().settle();
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect_idle(pool);
}

/// One worker with jobs that spawn themselves again, mail, and an injected job: all get their turn. The chain ends when
/// the two others have run, and that must be soon.
void turns_of_one() {
  struct shared {
    pool_core& pool;
    bool injected_ran = false;
    bool mail_ran = false;
    int links = 0;

    void link() {
      constexpr int soon = 8;
      expect(++links <= soon, "fairness", "jobs that spawn themselves again keep a worker from mail or injected jobs");
      if (!injected_ran || !mail_ran) {
        dozer::spawn([this] { link(); });
      }
    }
  };
  pool_core& pool = make_fair_pool(1);
  auto* const s = new shared{pool};
  put_to_work(pool, [s] { s->link(); });
  const auto sent = [](once& self, seat&) { *static_cast<bool*>(self.context) = true; };
  once injected(sent), mail(sent, &pool);
  injected.context = &s->injected_ran;
  mail.context = &s->mail_ran;
  pool.hold();  // the mail's
  pool.inject(injected);
  pool.send_mail(0, mail);
  pool.mail_sent();
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(s->injected_ran && s->mail_ran, "lost wake-up", "a job was not run");
  expect_idle(pool);
}

/// Two workers that look elsewhere before each job, with jobs of their own, mail, and a job from outside, in any order.
void turns_of_two() {
  pool_core& pool = make_fair_pool(2, 0);
  int ran[2] = {};
  const auto work = [&ran](int which) {
    return [&ran, which] {
      dozer::spawn([] {});
      dozer::spawn([&ran, which] { ++ran[which]; });
    };
  };
  put_to_work(pool, work(0));
  put_to_work(pool, work(1));
  int answers[2] = {};
  once injected;
  const auto send = [&] {
    pool.inject(injected);
    const auto count = [&](dozer::broadcast_context here) { ++answers[here.index()]; };
    broadcast_in(pool, count);
  };
  new outsider("sender", send);
  on().settle();
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(injected.ran(), "lost wake-up", "an injected job was not run");
  for (int which : {0, 1}) {
    expect(ran[which] == 1 && answers[which] == 1, "job twice", "a job ran not once");
  }
  expect_idle(pool);
}

/// A join comes back and finds jobs above its own. In its turn it takes the oldest job, which is the join's own: that
/// has not migrated, though the worker has stolen the job that it is in from another.
void turn_of_a_join() {
  pool_core& pool = make_fair_pool(2, 0);
  int ran[3] = {};
  const auto caller = [&ran] {
    const seat* const me = current_seat();
    on().hold_until_go();
    dozer::scope([&](dozer::spawner& s) {
      const auto first = [&](dozer::fork_context) {
        s.spawn([&ran] { ++ran[1]; });
        s.spawn([&ran] { ++ran[2]; });
      };
      const auto second = [&](dozer::fork_context here) {
        ++ran[0];
        expect(here.migrated() == (current_seat() != me), "migrated",
               "a closure is told the wrong thing of where it runs");
      };
      dozer::join_context(first, second);
      expect(ran[0] == 1, "job twice", "the second closure of a join ran not once");
    });
    expect(ran[1] == 1 && ran[2] == 1, "job twice", "a job ran not once");
  };
  once outer([](once& self, seat&) {
    dozer::join([] { on().hold_until_go(); }, *static_cast<decltype(caller)*>(self.context));
  });
  outer.context = const_cast<void*>(static_cast<const void*>(&caller));
  pool.inject(outer);
  on().settle();
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(outer.ran(), "lost latch", "a join has not returned");
  expect_idle(pool);
}

/// A worker that finds one injected job after the other asks for private jobs in between: one is kept by a forker that
/// is long in a leaf, and has seen nobody hungry.
void turn_of_private_jobs() {
  pool_core& pool = make_fair_pool(2);
  bool forked_ran = false;
  once injected[2];
  put_to_work(pool, [&forked_ran] { dozer::join([] { long_leaf(); }, [&forked_ran] { forked_ran = true; }); });
  wake_workers(pool, 1);
  for (once& each : injected) {
    pool.inject(each);
  }
  begin(pool);
  rest_then([&] {
    expect_work_conserved(pool);
    expect(forked_ran, "lost wake-up", "a forked job was not run");
    expect(injected[0].ran() && injected[1].ran(), "lost wake-up", "an injected job was not run");
  });
  expect_idle(pool);
}

/// In an isolation, jobs of a scope that spawn themselves again keep the worker from an older one only for a while.
void turn_of_an_isolation() {
  struct shared {
    bool older_ran = false;
    int links = 0;

    void link(dozer::spawner& in) {
      constexpr int soon = 8;
      expect(++links <= soon, "fairness", "jobs that spawn themselves again keep a wait inside from an older job");
      if (!older_ran) {
        in.spawn([this](dozer::spawner& s) { link(s); });
      }
    }
  };
  pool_core& pool = make_fair_pool(1);
  auto* const s = new shared;
  put_to_work(pool, [s] {
    dozer::isolate([s] {
      dozer::scope([s](dozer::spawner& in) {
        in.spawn([s] { s->older_ran = true; });
        s->link(in);
      });
    });
  });
  begin(pool);
  rest_then([] {});
  expect(s->older_ran, "lost wake-up", "a job was not run");
  expect_idle(pool);
}

}  // namespace verify
