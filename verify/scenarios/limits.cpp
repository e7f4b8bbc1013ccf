// Pools that are a limit: never more bodies run at once than the pool has threads, and no body waits for ever for its
// place.
#include "scenarios.hpp"
#include "waiting.hpp"

#include <dozer/sync.hpp>

namespace verify {

namespace {

pool_core& make_limit(unsigned workers) {
  count_people();
  dozer::pool_options options = usual_options(workers, "worker", 1);
  options.extra_guests = 0;
  return make_pool(options);
}

/// How many bodies run in such a pool.
class crowd {
 public:
  explicit crowd(std::uint32_t most) noexcept : most_(most) { on().count_as_state(&inside_, sizeof inside_); }
  /// A body that ends only when everything else has come to rest.
  void stay() {
    enter();
    long_leaf();
    leave();
  }
  void pass() {
    enter();
    leave();
  }

 private:
  void enter() {
    inside_.bump();
    expect(inside_.get() <= most_, "limit", "more bodies run at once than the pool has threads");
  }
  void leave() { inside_.set(inside_.get() - 1); }

  std::uint32_t most_;
  reported<std::uint32_t> inside_{0};
};

void expect_end(pool_core& pool) {
  expect_reports(0);
  expect_idle(pool);
}

}  // namespace

/// A pool of one: the worker waits for the world outside, and the spare in its place has two jobs. The wait is over
/// during the first one, so the second one must wait until the worker is through.
void limit_with_a_spare_that_has_two_jobs() {
  pool_core& pool = make_limit(1);
  auto* const happened = new dozer::event;
  tally through, second;
  put_into(pool, job_that([&] {
             happened->wait();
             through.add();
           }));
  put_into(pool, job_after_go([&] {
             spawn_in(pool, false, [&] {
               expect(through.now() == 1, "fairness", "a wait is over, and its spare goes on to another job");
               second.add();
             });
             happened->set();
             long_leaf();
             on().know_everything();  // the worker has dismissed its spare long ago
           }));
  begin(pool);
  rest_then([&] { expect(through.now() == 0, "limit", "a wait is over, and goes on beside its spare"); });
  expect(second.now() == 1, "lost wake-up", "a job is queued, and no thread comes for it");
  expect_end(pool);
}

/// A pool of one, as above. The spare's body waits for the worker's, and meanwhile it would run the next job: in a wait
/// for a latch, or when a join comes back and the job stands above its own. The worker, whose wait is over, goes first.
template <bool Joins>
void limit_with_a_body_that_waits() {
  pool_core& pool = make_limit(1);
  auto* const happened = new dozer::event;
  cross_pool_latch* go_on = nullptr;
  tally through, next;
  put_into(pool, job_that([&] {
             happened->wait();
             through.add();
             go_on->set(&own_seat());
           }));
  put_into(pool, job_after_go([&](seat& here) {
             cross_pool_latch latch(here);
             go_on = &latch;
             const auto first = [&] {
               spawn_in(pool, false, [&] {
                 expect(through.now() == 1, "fairness", "a wait is over, and a job runs in its place");
                 next.add();
               });
               happened->set();
               long_leaf();
               on().know_everything();  // the worker waits for its place
             };
             if (Joins) {
               dozer::join(first, [] {});
             } else {
               first();
             }
             wait_until(here, latch.core(), dozer::wait_reason::future, nullptr);
           }));
  begin(pool);
  rest_then([&] { expect(through.now() == 0, "limit", "a wait is over, and goes on beside its spare"); });
  expect(next.now() == 1, "lost wake-up", "a job is queued, and no thread comes for it");
  expect_end(pool);
}
void limit_with_a_wait_between_jobs() { limit_with_a_body_that_waits<false>(); }
void limit_with_a_join_between_jobs() { limit_with_a_body_that_waits<true>(); }

/// A pool of one: the worker waits for the world outside. The spare's body polls for what the worker's will do, and
/// yields. There is no job, but the worker, whose wait is over, gets the place.
void limit_with_a_yield_for_nothing() {
  pool_core& pool = make_limit(1);
  auto* const happened = new dozer::event;
  tally through;
  put_into(pool, job_that([&] {
             happened->wait();
             through.add();
           }));
  put_into(pool, job_after_go([&] {
             happened->set();
             long_leaf();
             on().know_everything();  // the worker waits for its place
             expect(dozer::yield_now() == dozer::yielded::idle, "set-up", "there is a job to yield to");
             expect(through.now() == 1, "fairness", "a body polls by yields, and keeps the place of another one");
           }));
  begin(pool);
  rest_then([&] { expect(through.now() == 0, "limit", "a wait is over, and goes on beside its spare"); });
  expect_end(pool);
}

/// A pool of one: a body yields to a job, which waits by a wait_slot. A spare runs another body meanwhile. The job goes
/// on beside that one, as after every wait_slot; the body that has yielded does not.
void limit_with_a_slot_in_a_yield() {
  pool_core& pool = make_limit(1);
  auto* const bodies = new crowd(1);
  auto* const slot = new user_wait;
  once& injected = job_that([=] {
    slot->release();
    bodies->stay();
  });
  put_into(pool, job_after_go([&pool, &injected, bodies, slot] {
             pool.inject(injected);
             spawn_in(pool, false, [=] { slot->wait(); });
             expect(dozer::yield_local() == dozer::yielded::executed, "set-up", "there is no job to yield to");
             bodies->pass();
           }));
  begin(pool);
  rest_then([] {});
  expect(injected.ran(), "lost wake-up", "an injected job was not run");
  expect_end(pool);
}

/// Two workers: one waits for the world outside, inside a wait that a job can end. The other one is in a long job, and
/// a spare runs what is queued.
void blocking_in_a_wait_for_jobs() {
  count_people();
  pool_core& pool = make_pool(2, "worker", 1);
  auto* const world = new gate;
  put_into(pool, job_that([=] { world->wait(); }));
  put_into(pool, job_after_go([=] {
             const dozer::blocking_scope jobs(dozer::wait_kind::pool);
             dozer::blocking([=] { world->wait(); });
           }));
  once injected;
  outside_after_go("injector", [&] { pool.inject(injected); });
  begin(pool);
  rest_then([&] {
    expect(injected.ran(), "lost wake-up", "a worker waits outside, and no spare runs what is queued");
    world->open();
    world->open();
  });
  expect_end(pool);
}

/// Two workers: one waits for the world outside. The other one and the spare run a long body each, the first of their
/// lives. So when the wait is over, there is no place for it.
void limit_with_first_jobs() {
  pool_core& pool = make_limit(2);
  auto* const happened = new dozer::event;
  auto* const bodies = new crowd(2);
  put_into(pool, job_that([=] {
             happened->wait();
             bodies->pass();
           }));
  for (int i = 0; i < 2; ++i) {
    put_into(pool, job_after_go([=] { bodies->stay(); }));
  }
  outside_after_go("setter", [=] { happened->set(); });
  begin(pool);
  rest_then([] {});
  expect_end(pool);
}

/// A pool of one: the worker waits for a job, and only a spare is there to run it. The job ends the wait and goes on.
void limit_with_a_spare_for_the_starved() {
  pool_core& pool = make_limit(1);
  auto* const happened = new dozer::event(dozer::wait_kind::pool);
  auto* const bodies = new crowd(1);
  put_into(pool, job_after_go([&pool, happened, bodies] {
             spawn_in(pool, false, [=] {
               happened->set();
               bodies->stay();
             });
             happened->wait();
             bodies->pass();
           }));
  begin(pool);
  rest_then([] {});
  expect_end(pool);
}

/// The same, and the worker waits in an isolation. When its wait is over, the spare has gone on to another job.
void limit_with_an_isolation() {
  pool_core& pool = make_limit(1);
  auto* const bodies = new crowd(1);
  put_into(pool, job_after_go([&pool, bodies] {
             auto first = dozer::submit([=] { bodies->pass(); });
             spawn_in(pool, false, [=] { bodies->stay(); });
             dozer::isolate([&] { first.get(); });
             bodies->pass();
           }));
  begin(pool);
  rest_then([] {});
  expect_end(pool);
}

/// A pool of one: the worker waits for a job, and only a spare is there to run it. When the job ends, the worker stands
/// in line for its place. So the spare leaves, and the worker runs the next job.
void limit_with_a_spare_that_gives_way() {
  pool_core& pool = make_limit(1);
  auto* const happened = new dozer::event(dozer::wait_kind::pool);
  put_into(pool, job_after_go([&pool, happened] {
             spawn_in(pool, false, [=] {
               happened->set();
               long_leaf();
               on().know_everything();  // the worker waits for its place
             });
             spawn_in(pool, false, [&pool] {
               expect(own_seat().index < pool.seats.workers(), "fairness",
                      "a body wanted its place, and the spare that has it goes on to another job");
             });
             happened->wait();
           }));
  begin(pool);
  rest_then([] {});
  expect_end(pool);
}

/// A pool of one: inside its wait for the world outside, the worker waits for a job and runs it. Then it has no place
/// any more, and its spare runs the next job.
void limit_with_a_wait_for_a_job_in_a_wait_outside() {
  pool_core& pool = make_limit(1);
  auto* const world = new gate;
  once injected;
  put_into(pool, job_after_go([=] {
             auto first = dozer::submit([] {});
             dozer::blocking([&] {
               first.get();
               world->wait();
             });
           }));
  outside_after_go("injector", [&] { pool.inject(injected); });
  begin(pool);
  rest_then([&] {
    expect(injected.ran(), "lost wake-up", "a worker waits outside, and no spare runs what is queued");
    world->open();
  });
  expect_end(pool);
}

/// The same, and the job that it runs waits outside, too. When that is over, the spare runs a long body.
void limit_with_a_job_that_waits_in_a_wait_outside() {
  pool_core& pool = make_limit(1);
  auto* const happened = new dozer::event;
  auto* const bodies = new crowd(1);
  once& injected = job_that([=] {
    happened->set();
    bodies->stay();
  });
  put_into(pool, job_after_go([=] {
             auto first = dozer::submit([=] {
               happened->wait();
               bodies->pass();
             });
             dozer::blocking([&] { first.get(); });
           }));
  outside_after_go("injector", [&] { pool.inject(injected); });
  begin(pool);
  rest_then([] {});
  expect(injected.ran(), "lost wake-up", "an injected job was not run");
  expect_end(pool);
}

/// The same with a join that comes back and runs the job above its own.
void limit_with_a_join_in_a_wait_outside() {
  pool_core& pool = make_limit(1);
  auto* const bodies = new crowd(1);
  once& injected = job_that([=] { bodies->stay(); });
  put_into(pool, job_after_go([&pool, bodies] {
             dozer::blocking([&] { dozer::join([&] { spawn_in(pool, false, [=] { bodies->stay(); }); }, [] {}); });
           }));
  outside_after_go("injector", [&] { pool.inject(injected); });
  begin(pool);
  rest_then([] {});
  expect(injected.ran(), "lost wake-up", "an injected job was not run");
  expect_end(pool);
}

}  // namespace verify
