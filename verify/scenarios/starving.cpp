// Jobs that starve: all members wait for the pool, and a spare worker must come, whatever others do.
#include "scenarios.hpp"
#include "waiting.hpp"

namespace verify {

/// The job that releases comes from outside.
template <tokens Held>
void spare_for_injected() {
  count_people();
  pool_core& pool = make_pool(1, "worker", 1);
  held_token<Held> held;
  auto& wait = *new user_wait;
  once& releasing = releases(wait);
  put_into(pool, waits(wait));
  outside_after_go("injector", [&] {
    pool.inject(releasing);
    held.job_came();
  });
  begin(pool);
  rest_then([] {});
  expect(wait.is_over(), "lost wake-up", "no spare worker has run the job that releases");
  held.check();
  expect_idle(pool);
}
void spare_for_injected_beside_others() { spare_for_injected<tokens::throughout>(); }
void spare_for_injected_alone() { spare_for_injected<tokens::until_it_came>(); }
void spare_for_injected_bare() { spare_for_injected<tokens::none>(); }

/// The same, and beside the worker a guest sleeps, who does not run what is injected.
template <tokens Held>
void spare_beside_a_guest() {
  count_people();
  pool_core& pool = make_pool(1, "worker", 1);
  held_token<Held> held;
  struct shared {
    user_wait wait;
    core_latch over;
    seat* guest = nullptr;
    bool through = false;
  }* const s = new shared;
  once& releasing = job_that([s](seat& here) {
    s->wait.release();
    if (s->over.set()) {
      wake_latch_owner(*s->guest, &here);
    }
  });
  put_into(pool, waits(s->wait));
  outside_at_once("guest", [&] {
    guest_stay here(pool);
    s->guest = current_seat();
    on().hold_until_go();
    wait_until(*s->guest, s->over, dozer::wait_reason::join, nullptr);
    s->through = true;
  });
  outside_after_go("injector", [&] {
    pool.inject(releasing);
    held.job_came();
  });
  begin(pool);
  rest_then([] {});
  expect(s->wait.is_over() && s->through, "lost wake-up", "no spare worker has run the job that releases");
  held.check();
  expect_idle(pool);
}
void spare_beside_a_guest_and_others() { spare_beside_a_guest<tokens::throughout>(); }
void spare_beside_a_guest_alone() { spare_beside_a_guest<tokens::until_it_came>(); }
void spare_beside_a_guest_bare() { spare_beside_a_guest<tokens::none>(); }

/// The last spare leaves while another job comes.
template <tokens Held>
void spare_for_two() {
  count_people();
  pool_core& pool = make_pool(1, "worker", 1);
  held_token<Held> held;
  auto& wait = *new user_wait;
  once first;
  once& releasing = releases(wait);
  put_into(pool, waits_already(wait));
  outside_after_go("injector", [&] {
    pool.inject(first);
    pool.inject(releasing);
    held.job_came();
  });
  begin(pool);
  rest_then([] {});
  expect(first.ran() && wait.is_over(), "lost wake-up", "no spare worker has run the job that releases");
  held.check();
  expect_idle(pool);
}
void spare_for_two_beside_others() { spare_for_two<tokens::throughout>(); }
void spare_for_two_alone() { spare_for_two<tokens::until_it_came>(); }
void spare_for_two_bare() { spare_for_two<tokens::none>(); }

/// Two jobs come at once, and two spares may be called for them.
template <tokens Held>
void two_spares_called() {
  count_people();
  pool_core& pool = make_pool(1, "worker", 2);
  held_token<Held> held;
  auto& wait = *new user_wait;
  once first;
  once& releasing = releases(wait);
  put_into(pool, waits_already(wait));
  outside_after_go("first", [&] { pool.inject(first); });
  outside_after_go("second", [&] {
    pool.inject(releasing);
    held.job_came();
  });
  begin(pool);
  rest_then([] {});
  expect(first.ran() && wait.is_over(), "lost wake-up", "no spare worker has run the job that releases");
  held.check();
  expect_idle(pool);
}

void two_spares_called_beside_others() { two_spares_called<tokens::throughout>(); }
void two_spares_called_alone() { two_spares_called<tokens::until_it_came>(); }
void two_spares_called_bare() { two_spares_called<tokens::none>(); }

/// The only spare has run a job, and its time was up. It is about to end, while another job comes.
template <bool Limit, tokens Held>
void spare_ends() {
  count_people();
  dozer::pool_options options = usual_options(1, "worker", 1);
  auto* const set_up = new reported<std::uint32_t>{1};
  options.on_thread_exit = [set_up](unsigned) {
    if (set_up->get() != 0) {
      on().hold_until_go();
    }
  };
  if (Limit) {
    options.extra_guests = 0;
  }
  pool_core& pool = make_pool(options);
  held_token<Held> held;
  auto& wait = *new user_wait;
  once& releasing = releases(wait);
  once first;
  put_into(pool, waits_already(wait));
  put_into(pool, first);
  outside_after_go("injector", [&] {
    pool.inject(releasing);
    held.job_came();
  });
  set_up->set(0);
  begin(pool);
  rest_then([] {});
  expect(wait.is_over(), "lost wake-up", "no spare worker has run the job that releases");
  held.check();
  expect_idle(pool);
  if (!Limit) {
    pool.end();
    expect_all_ended();
  }
}
void spare_that_ends_beside_others() { spare_ends<false, tokens::throughout>(); }
void spare_that_ends_alone() { spare_ends<false, tokens::until_it_came>(); }
void spare_that_ends_bare() { spare_ends<false, tokens::none>(); }
/// The pool has no more than one extra seat: whoever calls the spare in vain keeps it from others meanwhile.
void spare_that_ends_with_one_seat_beside_others() { spare_ends<true, tokens::throughout>(); }
void spare_that_ends_with_one_seat_alone() { spare_ends<true, tokens::until_it_came>(); }
void spare_that_ends_with_one_seat_bare() { spare_ends<true, tokens::none>(); }

/// Both workers wait for good, and one has posted a job. A guest leaves the only extra seat. Another one has been
/// counted, finds no seat, and does not count any more.
template <tokens Held>
void spare_after_a_guest_without_a_seat() {
  count_people();
  pool_core& pool = make_pool(2, "worker", 1);
  auto* const others_run = new dozer::external_token;
  tally ran;
  gate posts;
  put_into(pool, waits_already(*new user_wait));
  put_into(pool, job_that([&] {
             posts.wait();
             pool.post(job_that([&] { ran.add(); }));
             (*new user_wait).wait();
           }));
  outside_at_once("guest", [&] {
    guest_stay here(pool);
    on().hold_until_go();
  });
  posts.open();
  on().settle();
  outside_after_go("second guest", [&] { guest_stay here(pool); });
  if (Held == tokens::none) {
    others_run->drop();  // not sooner: one worker that waits is a standstill of its own
  }
  begin(pool);
  on().until_quiet();
  expect(ran.now() == 1, "lost wake-up", "a job is queued, and no spare worker comes for it");
  expect_reports(Held != tokens::none ? 0 : 1);  // what both wait for does not come
}
void spare_after_a_guest_beside_others() { spare_after_a_guest_without_a_seat<tokens::throughout>(); }
void spare_after_a_guest_bare() { spare_after_a_guest_without_a_seat<tokens::none>(); }

/// One worker waits, a guest comes to sit in the other's seat, and stays: nobody is left who runs what is injected.
template <tokens Held>
void spare_for_a_lent_seat() {
  count_people();
  pool_core& pool = make_pool(2, "worker", 1);
  held_token<Held> held;
  auto& wait = *new user_wait;
  once& releasing = releases(wait);
  put_into(pool, waits_already(wait));
  outside_after_go("guest", [&] {
    guest_stay here(pool);
    long_leaf();
  });
  outside_after_go("injector", [&] {
    pool.inject(releasing);
    held.job_came();
  });
  begin(pool);
  rest_then([&] { expect(wait.is_over(), "lost wake-up", "nobody has run the job that releases"); });
  held.check();
  expect_idle(pool);
}
void spare_for_a_lent_seat_beside_others() { spare_for_a_lent_seat<tokens::throughout>(); }
void spare_for_a_lent_seat_alone() { spare_for_a_lent_seat<tokens::until_it_came>(); }
void spare_for_a_lent_seat_bare() { spare_for_a_lent_seat<tokens::none>(); }

/// The same without spares, and the guest goes again: then the worker runs the job whose seat it was. Nobody says that
/// the job starves, however far the guest has come.
void job_beside_a_guest_that_comes() {
  count_people();
  pool_core& pool = make_pool(2);
  held_token<tokens::until_it_came> held;
  auto& wait = *new user_wait;
  once& releasing = releases(wait);
  put_into(pool, waits_already(wait));
  outside_after_go("guest", [&] { const guest_stay here(pool); });
  outside_after_go("injector", [&] {
    pool.inject(releasing);
    held.job_came();
  });
  begin(pool);
  rest_then([&] { expect(wait.is_over(), "lost wake-up", "nobody has run the job that releases"); });
  held.check();
  expect_idle(pool);
}

/// Two jobs are queued. The first one releases the only worker, which goes into a long leaf: the spare that has run it
/// goes on to the second, since nobody else does.
void spare_that_goes_on() {
  count_people();
  pool_core& pool = make_pool(1, "worker", 1);
  auto& wait = *new user_wait;
  once second;
  put_into(pool, job_after_go([&] {
             wait.wait();
             long_leaf();
           }));
  put_into(pool, releases(wait));
  put_into(pool, second);
  begin(pool);
  rest_then([&] { expect(second.ran(), "lost wake-up", "a job is queued, and the spare worker has gone"); });
  expect_reports(0);
  expect_idle(pool);
}

/// A spare is dismissed and leaves a job queued, for which it is the only one: the worker waits for it. The spare calls
/// itself again, and the reporter does not come in between.
void dismissed_spare_calls_itself() {
  count_people(reporter_is::a_thread);
  pool_core& pool = make_pool(1, "worker", 1);
  gate world;
  auto& wait = *new user_wait;
  put_into(pool, job_that([&] {
             dozer::blocking([&] { world.wait(); });
             wait.wait();
           }));
  put_into(pool, job_that([] { on().hold_until_go(); }));  // runs in the spare
  put_into(pool, releases(wait));
  world.open();
  on().settle();
  begin(pool);
  rest_then([&] { expect(wait.is_over(), "lost wake-up", "no spare worker has run the job that releases"); });
  expect_reports(0);
  expect_idle(pool);
}

}  // namespace verify
