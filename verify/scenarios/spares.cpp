// Waits for the world outside: a spare worker takes the place of whoever waits, so that a job that is queued finds a
// thread, also beside waits that only the pool can end.
#include "scenarios.hpp"
#include "waiting.hpp"

#include <dozer/sync.hpp>

namespace verify {

namespace {

/// One job waits for the world outside and then lets those go on that wait for the pool. Another job, which comes last,
/// ends the first wait.
struct both_kinds {
  dozer::event outside;  // an ordinary one
  dozer::event inside{dozer::wait_kind::pool};
  tally through;

  once& first = job_that([this] { wait_outside(); });
  once& waiting = job_that([this] {
    inside.wait();
    through.add();
  });
  once& last = job_that([this] { outside.set(); });

  void wait_outside() {
    outside.wait();
    inside.set();
    through.add();
  }
  void inject_the_others(pool_core& into) {
    into.inject(waiting);
    into.inject(last);
  }
};

void expect_all_through(const both_kinds& b, std::uint32_t waits) {
  expect(b.last.ran(), "lost wake-up", "a job is queued, and no thread comes for it");
  expect(b.through.now() == waits, "lost wake-up", "a wait is over, and its job does not go on");
}

/// Everything that is so at the end: nobody waits any more, and nothing was reported.
void expect_over(pool_core& pool) {
  expect_reports(0);
  expect_idle(pool);
}

}  // namespace

/// A pool of one: the worker waits outside, its spare for the worker.
void spare_beside_a_wait_outside() {
  count_people();
  pool_core& pool = make_pool(1, "worker", 2);
  auto& b = *new both_kinds;
  put_into(pool, b.first);
  outside_after_go("injector", [&] { b.inject_the_others(pool); });
  begin(pool);
  rest_then([&] { expect_all_through(b, 2); });
  expect_over(pool);
}

/// Two workers: one waits outside, the other one for the first; the job comes at any time.
void spare_beside_a_wait_outside_two() {
  count_people();
  pool_core& pool = make_pool(2, "worker", 1);
  auto& b = *new both_kinds;
  wake_workers(pool, 1);
  put_into(pool, b.first);
  outside_after_go("injector", [&] { b.inject_the_others(pool); });
  begin(pool);
  rest_then([&] { expect_all_through(b, 2); });
  expect_over(pool);
}

/// A guest in the only worker's seat waits outside, its spare for the guest.
void spare_beside_a_guests_wait_outside() {
  count_people();
  pool_core& pool = make_pool(1, "worker", 2);
  auto& b = *new both_kinds;
  outside_at_once("guest", [&] {
    guest_stay here(pool);
    b.wait_outside();
  });
  outside_after_go("injector", [&] { b.inject_the_others(pool); });
  begin(pool);
  rest_then([&] { expect_all_through(b, 2); });
  expect_over(pool);
}

namespace {

/// A member that waits outside posts the job which ends its wait, while its spare waits for the pool; or begins to.
template <bool Waits, class Post>
void post_in_the_middle(Post post) {
  count_people();
  pool_core& pool = make_pool(1, "worker", 2);
  auto& b = *new both_kinds;
  bool posted_ran = false;
  put_into(pool, job_that([&] {
             const dozer::blocking_scope waits(dozer::wait_kind::external, "the world");
             on().hold_until_go();
             post(pool, [&] {
               posted_ran = true;
               b.outside.set();
             });
             while (!b.outside.is_set()) {
               on().until_quiet(1);
             }
             b.inside.set();
           }));
  put_into(pool, Waits ? b.waiting : job_after_go([&b] {
             b.inside.wait();
             b.through.add();
           }));
  begin(pool);
  rest_then([&] { expect(posted_ran, "lost wake-up", "a job is queued, and no thread comes for it"); });
  expect_over(pool);
}

}  // namespace

void post_in_the_middle_of_a_wait_outside() {
  post_in_the_middle<true>([](pool_core& pool, auto f) { spawn_in(pool, false, f); });
}

/// The scope's own job is only posted in there; its end is not awaited inside.
template <bool Waits>
void scope_post_in_the_middle() {
  post_in_the_middle<Waits>([](pool_core&, auto f) {
    current_seat()->own().reserve();
    post_to_scope(*current_seat(), job_that(f));
  });
}
void scope_post_in_the_middle_of_a_wait_outside() { scope_post_in_the_middle<true>(); }
void scope_post_while_the_last_steps_aside() { scope_post_in_the_middle<false>(); }

/// A worker blocks, and comes back when the world wants it to. A job is injected meanwhile.
template <unsigned Spares, bool Refused = false>
void blocking_and_injector() {
  count_people();
  if (Refused) {
    hooks.refused_threads.store("pool/spares.cpp", relaxed);
  }
  pool_core& pool = make_pool(1, "worker", Spares);
  gate world;
  once injected;
  put_into(pool, job_after_go([&] { dozer::blocking([&] { world.wait(); }); }));
  outside_after_go("world", [&] { world.open(); });
  outside_after_go("injector", [&] { pool.inject(injected); });
  begin(pool);
  rest_then([] {});
  expect(injected.ran(), "lost wake-up", "an injected job was not run");
  expect_over(pool);
}
void blocking_without_spares() { blocking_and_injector<0>(); }
void blocking_with_a_spare() { blocking_and_injector<1>(); }
/// The system gives no thread for the spare: the job waits until the worker is back.
void blocking_with_a_spare_refused() { blocking_and_injector<1, true>(); }

/// A worker leaves two long jobs behind when it blocks: as many run as before, so one.
void blocking_runs_no_more_than_before() {
  count_people();
  pool_core& pool = make_pool(1, "worker", 2);
  gate world;
  tally begun;
  put_into(pool, job_after_go([&] {
             for (int i = 0; i < 2; ++i) {
               spawn_in(pool, false, [&] {
                 begun.add();
                 long_leaf();
               });
             }
             dozer::blocking([&] { world.wait(); });
           }));
  begin(pool);
  rest_then([&] {
    expect(begun.now() != 0, "lost wake-up", "a worker waits outside, and no spare runs what is queued");
    expect(begun.now() == 1, "limit", "more jobs run beside a wait outside than there are workers");
    world.open();
  });
  expect(begun.now() == 2, "lost wake-up", "a job is queued, and no thread comes for it");
  expect_over(pool);
}

/// The world takes long: only the spare can run the job. The wait is nested, and has one spare all the same.
void nested_blocking() {
  count_people();
  pool_core& pool = make_pool(1, "worker", 1);
  gate world;
  once injected;
  put_into(pool, job_after_go([&] {
             const dozer::blocking_scope outer;
             const dozer::blocking_scope inner;
             world.wait();
           }));
  outside_after_go("injector", [&] { pool.inject(injected); });
  begin(pool);
  rest_then([&] {
    expect(injected.ran(), "lost wake-up", "a worker waits outside, and no spare runs what is queued");
    world.open();
  });
  expect_over(pool);
}

/// The same, and a guest in the only seat waits: the worker that sleeps below it cannot run the job.
void guest_blocks() {
  count_people();
  pool_core& pool = make_pool(1, "worker", 1);
  gate world;
  once injected;
  outside_at_once("guest", [&] {
    guest_stay here(pool);
    on().hold_until_go();
    dozer::blocking([&] { world.wait(); });
  });
  outside_after_go("injector", [&] { pool.inject(injected); });
  begin(pool);
  rest_then([&] {
    expect(injected.ran(), "lost wake-up", "a guest waits outside, and no spare runs what is queued");
    world.open();
  });
  expect_over(pool);
}

/// A guest sits in the only extra seat and leaves it while a worker blocks: then the spare comes that the wait lacks.
void guest_leaves_its_seat_to_a_spare() {
  count_people();
  pool_core& pool = make_pool(2, "worker", 1);
  gate world;
  once injected;
  put_into(pool, job_after_go([&] { dozer::blocking([&] { world.wait(); }); }));
  put_into(pool, job_after_go([] { long_leaf(); }));
  outside_at_once("guest", [&] {
    guest_stay here(pool);
    on().hold_until_go();
  });
  outside_after_go("injector", [&] { pool.inject(injected); });
  begin(pool);
  rest_then([&] {
    expect(injected.ran(), "lost wake-up", "a seat is free, and no spare comes for a wait that lacks one");
    world.open();
  });
  expect_over(pool);
}

/// The same, and the wait may be over while the spare is called for it.
void wait_is_over_when_its_spare_comes() {
  count_people();
  pool_core& pool = make_pool(2, "worker", 1);
  gate blocks, world;
  put_into(pool, job_that([&] {
             blocks.wait();
             dozer::blocking([&] { world.wait(); });
           }));
  put_into(pool, job_after_go([] { long_leaf(); }));
  outside_at_once("guest", [&] {
    guest_stay here(pool);
    on().hold_until_go();
  });
  blocks.open();
  on().settle();
  outside_after_go("world", [&] { world.open(); });
  begin(pool);
  rest_then([&] {
    expect(pool.spare_workers.lacking() == 0, "count drift", "no wait is left, and one is said to lack a spare");
  });
  expect_over(pool);
}

/// A wait inside a wait, and a job in the middle of the outer one: a spare must come. Then no wait is left, and no
/// spare runs the next job beside the worker.
void wait_in_a_wait() {
  count_people();
  pool_core& pool = make_pool(1, "worker", 1);
  gate waits, ran;
  tally beside;
  once& first = job_that([&] { ran.open(); });
  once& second = job_that([&] { beside.add(); });
  put_into(pool, job_after_go([&] {
             {
               const dozer::blocking_scope outer(dozer::wait_kind::pool);
               { const dozer::blocking_scope inner(dozer::wait_kind::pool); }
               waits.open();
               ran.wait();
             }
             long_leaf();
           }));
  outside_after_go("injector", [&] {
    waits.wait();
    pool.inject(first);
  });
  begin(pool);
  rest_then([&] {
    expect(first.ran(), "lost wake-up", "a job is queued, and no thread comes for it");
    pool.inject(second);
    on().until_quiet(1);
    expect(beside.now() == 0, "count drift", "a spare runs a job beside a worker that does not wait");
  });
  expect(second.ran(), "lost wake-up", "an injected job was not run");
  expect_over(pool);
}

/// Two waits outside and no spare yet, because the only one waits, too. When it is through, a wait that lacks one gets
/// it; and so does the next one when that wait is over.
void two_waits_lack_a_spare() {
  count_people();
  pool_core& pool = make_pool(2, "worker", 1);
  gate worlds[3];
  once injected;
  for (gate& each : worlds) {  // the third one comes to the spare
    put_into(pool, job_that([&] { dozer::blocking([&] { each.wait(); }); }));
  }
  outside_after_go("first", [&] { worlds[0].open(); });
  outside_after_go("third", [&] { worlds[2].open(); });
  outside_after_go("injector", [&] { pool.inject(injected); });
  begin(pool);
  rest_then([&] {
    expect(injected.ran(), "lost wake-up", "a job is queued, and no thread comes for it");
    worlds[1].open();
  });
  expect_over(pool);
}

/// A wait lacks a spare for want of memory. A guest leaves when there is memory again: it calls one, and not two.
void one_wait_lacks_one_spare() {
  count_people();
  pool_core& pool = make_pool(1, "worker", 2);
  gate world;
  put_into(pool, job_that([&] {
             on().deny_memory(true);
             dozer::blocking([&] {
               on().deny_memory(false);
               world.wait();
             });
           }));
  outside_at_once("guest", [&] {
    const guest_stay here(pool);
    on().hold_until_go();
  });
  begin(pool);
  rest_then([&] {
    expect(pool.spare_workers.lacking() == 0, "lost wake-up", "no spare comes for a wait that lacks one");
    expect(pool.seats.bound() == 2, "needless spare", "one wait lacks a spare, and two are called");
    world.open();
  });
  expect_over(pool);
}

/// There is no memory for a spare when the worker blocks. Later there is, and one comes for the job that comes then.
void spare_without_memory() {
  count_people();
  pool_core& pool = make_pool(1, "worker", 1);
  gate blocked, world;
  once injected;
  put_into(pool, job_after_go([&] {
             on().deny_memory(true);
             dozer::blocking([&] {
               on().deny_memory(false);
               blocked.open();
               world.wait();
             });
           }));
  outside_after_go("injector", [&] {
    blocked.wait();
    pool.inject(injected);
  });
  begin(pool);
  rest_then([&] {
    expect(injected.ran(), "lost wake-up", "a worker waits outside, and no spare runs what is queued");
    world.open();
  });
  expect_over(pool);
}

/// One spare at most, and two workers that wait outside: when the wait ends whose place the spare has taken, the spare
/// goes to the place of the other.
void spare_that_comes_late() {
  count_people();
  pool_core& pool = make_pool(2, "worker", 1);
  auto* const ends = new dozer::event[2];
  once last;
  put_into(pool, job_that([=] {  // has a spare
             ends[0].wait();
             long_leaf();
           }));
  put_into(pool, job_that([=] { ends[1].wait(); }));  // lacks one
  outside_after_go("setter", [&] { ends[0].set(); });
  outside_after_go("injector", [&] { pool.inject(last); });
  begin(pool);
  rest_then([&] {
    expect(last.ran(), "lost wake-up",
           "a job is queued, one worker waits, the other is in a long job, and the spare is idle");
    ends[1].set();
  });
  expect_over(pool);
}

// ---- a pool that is a limit ---------------------------------------------------------------------

/// Two bodies run, and two more wait for their places. Both places become free, perhaps before a waiter has come up.
void two_wait_for_places() {
  struct shared {
    places bodies;
    atomic<std::uint32_t> inside{0};
    atomic<std::uint32_t> through{0};
  }* const s = new shared;
  s->bodies.limit_to(2);
  s->bodies.take();
  s->bodies.take();
  const auto run = [s] {
    s->bodies.take();
    expect(s->inside.fetch_add(1, relaxed) < 2, "limit", "three bodies run where two may");
    on().until_quiet(1);  // it stays, so that the other one needs the second place
    s->inside.fetch_sub(1, relaxed);
    s->bodies.leave();
    s->through.fetch_add(1, relaxed);
  };
  outside_after_go("first", run);
  outside_after_go("second", run);
  on().go();
  s->bodies.leave();
  s->bodies.leave();
  on().until_quiet(2);
  on().know_everything();
  expect(on().peek(&s->through) == 2, "deadlock", "a body waits for ever for a place");
}

/// A worker of a pool that is a limit blocks. Its spare runs a body, and the worker goes on when that has ended.
void one_place_for_a_worker_and_its_spare() {
  count_people();
  dozer::pool_options options = usual_options(1, "worker", 1);
  options.extra_guests = 0;
  pool_core& pool = make_pool(options);
  struct shared {
    gate world;
    atomic<std::uint32_t> inside{0};
    void run() {
      expect(inside.fetch_add(1, relaxed) == 0, "limit", "two bodies run where one may");
      inside.fetch_sub(1, relaxed);
    }
  }* const s = new shared;
  put_into(pool, job_after_go([s] {
             s->run();
             dozer::blocking([s] { s->world.wait(); });
             s->run();
           }));
  once& injected = job_that([s] { s->run(); });
  outside_after_go("world", [s] { s->world.open(); });
  outside_after_go("injector", [&] { pool.inject(injected); });
  begin(pool);
  rest_then([] {});
  expect(injected.ran(), "lost wake-up", "an injected job was not run");
  expect_over(pool);
}

}  // namespace verify
