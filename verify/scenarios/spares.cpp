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
  reported<std::uint32_t> through{0};

  once first{[](once& self, seat&) { of(self).wait_outside(); }};
  once waiting{&wait_inside};
  once last{[](once& self, seat&) { of(self).outside.set(); }};

  both_kinds() { first.context = waiting.context = last.context = this; }

  void wait_outside() {
    outside.wait();
    inside.set();
    through.bump();
  }

 private:
  static both_kinds& of(once& j) { return *static_cast<both_kinds*>(j.context); }
  static void wait_inside(once& self, seat&) {
    of(self).inside.wait();
    of(self).through.bump();
  }
};

void expect_all_through(const both_kinds& b, std::uint32_t waits) {
  expect(b.last.ran(), "lost wake-up", "a job is queued, and no thread comes for it");
  expect(b.through.get() == waits, "lost wake-up", "a wait is over, and its job does not go on");
}

void put_into(pool_core& pool, once& j) {
  pool.inject(j);
  on().settle();
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

/// A member that waits outside posts the job which ends its wait, while its spare waits for the pool.
void post_in_the_middle_of_a_wait_outside() {
  pool_core& pool = make_pool(1, "worker", 2);
  struct shared : both_kinds {
    explicit shared(pool_core& p) : posts(p) { job.context = this; }
    pool_core& posts;
    once detached{[](once& self, seat&) { static_cast<shared*>(self.context)->outside.set(); }, &posts};
    once job{[](once& self, seat&) {
      auto& in = *static_cast<shared*>(self.context);
      const dozer::blocking_scope waits(dozer::wait_kind::external, "the world");
      on().hold_until_go();
      in.posts.post(in.detached);
      while (!in.outside.is_set()) {
        on().until_quiet(1);
      }
      in.inside.set();
    }};
  };
  auto* const s = new shared(pool);
  s->detached.context = s;
  put_into(pool, s->job);
  put_into(pool, s->waiting);
  begin(pool);
  rest_then([&] { expect(s->detached.ran(), "lost wake-up", "a job is queued, and no thread comes for it"); });
  expect_idle(pool);
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
