// Waits for the world outside beside waits that only the pool can end: a job that is queued must still find a thread.
#include "scenarios.hpp"
#include "support.hpp"

#include <dozer/sync.hpp>

namespace verify {

namespace {

/// One job waits for the world outside and then lets those go on that wait for the pool. Another job, which comes last,
/// ends the first wait.
struct both_kinds {
  dozer::event outside;  // an ordinary one
  dozer::event inside{dozer::wait_kind::pool};
  tally through;

  once first{[](once& self, seat&) { of(self).wait_outside(); }};
  once waiting{&wait_inside};
  once last{[](once& self, seat&) { of(self).outside.set(); }};

  both_kinds() { first.context = waiting.context = last.context = this; }

  void wait_outside() {
    outside.wait();
    inside.set();
    through.add();
  }

 private:
  static both_kinds& of(once& j) { return *static_cast<both_kinds*>(j.context); }
  static void wait_inside(once& self, seat&) {
    of(self).inside.wait();
    of(self).through.add();
  }
};

void expect_all_through(const both_kinds& b, std::uint32_t waits) {
  expect(b.last.ran(), "lost wake-up", "a job is queued, and no thread comes for it");
  expect(b.through.now() == waits, "lost wake-up", "a wait is over, and its job does not go on");
}

}  // namespace

/// A pool of one: the worker waits outside, its spare for the worker.
void spare_beside_a_wait_outside() {
  pool_core& pool = make_pool(1, "worker", 2);
  auto* const b = new both_kinds;
  put_into(pool, b->first);
  const auto inject = [&] {
    pool.inject(b->waiting);
    pool.inject(b->last);
  };
  new outsider("injector", inject);
  on().settle();
  begin(pool);
  rest_then([&] { expect_all_through(*b, 2); });
  expect_idle(pool);
}

/// Two workers: one waits outside, the other one for the first; the job comes at any time.
void spare_beside_a_wait_outside_two() {
  pool_core& pool = make_pool(2, "worker", 1);
  auto* const b = new both_kinds;
  wake_workers(pool, 1);
  put_into(pool, b->first);
  const auto inject = [&] {
    pool.inject(b->waiting);
    pool.inject(b->last);
  };
  new outsider("injector", inject);
  on().settle();
  begin(pool);
  rest_then([&] { expect_all_through(*b, 2); });
  expect_idle(pool);
}

/// A guest in the only worker's seat waits outside, its spare for the guest.
void spare_beside_a_guests_wait_outside() {
  pool_core& pool = make_pool(1, "worker", 2);
  auto* const b = new both_kinds;
  const auto stay = [&] {
    guest_stay here(pool);
    b->wait_outside();
  };
  new outsider("guest", stay, false);
  on().settle();
  const auto inject = [&] {
    pool.inject(b->waiting);
    pool.inject(b->last);
  };
  new outsider("injector", inject);
  on().settle();
  begin(pool);
  rest_then([&] { expect_all_through(*b, 2); });
  expect_idle(pool);
}

namespace {

/// A member that waits outside posts the job which ends its wait, while its spare waits for the pool.
template <class Post>
void post_in_the_middle(Post post) {
  pool_core& pool = make_pool(1, "worker", 2);
  struct shared : both_kinds {
    shared(pool_core& p, Post how) : in(p), post(how) { job.context = this; }
    pool_core& in;
    Post post;
    bool posted_ran = false;
    once job{[](once& self, seat&) {
      auto& s = *static_cast<shared*>(self.context);
      const dozer::blocking_scope waits(dozer::wait_kind::external, "the world");
      on().hold_until_go();
      s.post(s.in, [&s] {
        s.posted_ran = true;
        s.outside.set();
      });
      while (!s.outside.is_set()) {
        on().until_quiet(1);
      }
      s.inside.set();
    }};
  };
  auto* const s = new shared(pool, post);
  put_into(pool, s->job);
  put_into(pool, s->waiting);
  begin(pool);
  rest_then([&] { expect(s->posted_ran, "lost wake-up", "a job is queued, and no thread comes for it"); });
  expect_idle(pool);
}

}  // namespace

void post_in_the_middle_of_a_wait_outside() {
  post_in_the_middle([](pool_core& pool, auto f) { spawn_in(pool, false, f); });
}

/// The scope's own job is only posted in there; its end is not awaited inside.
void scope_post_in_the_middle_of_a_wait_outside() {
  post_in_the_middle([](pool_core&, auto f) {
    auto* const job = new once([](once& self, seat&) {
      auto* const g = static_cast<decltype(f)*>(self.context);
      (*g)();
    });
    job->context = new decltype(f)(f);
    seat& me = *current_seat();
    me.own().reserve();
    post_job(me, *job);
    if (somebody_is_hungry(me)) {
      me.sleep->jobs_forked(me);
    }
    me.pool->posted_while_aside(me);
  });
}

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
  new outsider("first", run);
  new outsider("second", run);
  on().settle();
  on().go();
  s->bodies.leave();
  s->bodies.leave();
  on().until_quiet(2);
  on().know_everything();
  expect(on().peek(&s->through) == 2, "deadlock", "a body waits for ever for a place");
}

/// One spare at most, and two workers that wait outside: when the wait ends whose place the spare has taken, the spare
/// goes to the place of the other.
void spare_that_comes_late() {
  pool_core& pool = make_pool(2, "worker", 1);
  struct shared {
    dozer::event ends[2];
    once has_a_spare{[](once& self, seat&) {
      static_cast<dozer::event*>(self.context)->wait();
      long_leaf();
    }};
    once lacks_one{[](once& self, seat&) { static_cast<dozer::event*>(self.context)->wait(); }};
  }* const s = new shared;
  s->has_a_spare.context = &s->ends[0];
  s->lacks_one.context = &s->ends[1];
  once last;
  put_into(pool, s->has_a_spare);
  put_into(pool, s->lacks_one);
  const auto set = [&] { s->ends[0].set(); };
  const auto inject = [&] { pool.inject(last); };
  new outsider("setter", set);
  new outsider("injector", inject);
  on().settle();
  begin(pool);
  rest_then([&] {
    expect(last.ran(), "lost wake-up",
           "a job is queued, one worker waits, the other is in a long job, and the spare is idle");
    s->ends[1].set();
  });
  expect_idle(pool);
}

}  // namespace verify
