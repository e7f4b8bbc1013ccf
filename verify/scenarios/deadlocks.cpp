// Who is reported as deadlocked: everybody who is, and nobody else.
#include "scenarios.hpp"
#include "support.hpp"

#include <dozer/blocking.hpp>
#include <dozer/detail/short_lock.hpp>
#include <dozer/sync.hpp>

#include <new>

namespace verify {

namespace {

/// Blocks as a user would who declares it by a wait_slot.
class user_wait {
 public:
  void wait() {
    lock_.lock();
    if (released_.load(relaxed) == 0) {
      slot_.mark_blocked("something");
    }
    lock_.unlock();
    while (released_.load(acquire) == 0) {
      park(released_, 0, channel::first);
    }
  }
  void release() {
    lock_.lock();
    slot_.mark_unblocked();
    released_.store(1, dozer::detail::release);
    lock_.unlock();
    unpark_one(&released_, channel::first);
  }
  [[nodiscard]] bool is_over() const { return released_.load(relaxed) != 0; }

 private:
  short_lock lock_;
  dozer::wait_slot slot_;
  atomic<std::uint32_t> released_{0};
};

once::action waits() {
  return [](once& self, seat&) {
    on().hold_until_go();
    static_cast<user_wait*>(self.context)->wait();
  };
}
/// The same, from before the checking begins.
once::action waits_already() {
  return [](once& self, seat&) { static_cast<user_wait*>(self.context)->wait(); };
}
once::action releases() {
  return [](once& self, seat&) {
    on().hold_until_go();
    static_cast<user_wait*>(self.context)->release();
  };
}

void put_into(pool_core& pool, once& j, void* context) {
  j.context = context;
  pool.inject(j);
  on().settle();
}

void expect_reports(std::uint32_t wanted, std::uint32_t wanted_starved = 0) {
  expect(deadlocks_reported() <= wanted, "false deadlock", "a deadlock is reported, and it is none");
  expect(deadlocks_reported() >= wanted, "missed deadlock", "nobody can go on, and nobody says so");
  expect(starvings_reported() <= wanted_starved, "false deadlock", "jobs are said to starve, and they do not");
  expect(starvings_reported() >= wanted_starved, "missed deadlock", "a job starves, and nobody says so");
}

}  // namespace

/// All wait, and nobody is left to release them.
template <unsigned Workers>
void all_blocked() {
  count_people();
  pool_core& pool = make_pool(Workers);
  for (unsigned i = 0; i < Workers; ++i) {
    put_into(pool, *new once(waits()), new user_wait);
  }
  begin(pool);
  rest_then([] {});
  expect_reports(1);
}
void all_blocked_two() { all_blocked<2>(); }

/// One waits, the other is asleep.
void blocked_beside_a_sleeper() {
  count_people();
  pool_core& pool = make_pool(2);
  user_wait& wait = *new user_wait;  // it may be waited for still when all is over
  once waiting(waits());
  put_into(pool, waiting, &wait);
  wake_workers(pool, 1);
  begin(pool);
  rest_then([] {});
  expect_reports(1);
}

/// One is released by the other.
void blocked_and_released() {
  count_people();
  pool_core& pool = make_pool(2);
  user_wait& wait = *new user_wait;  // it may be waited for still when all is over
  once waiting(waits()), releasing(releases());
  put_into(pool, waiting, &wait);
  put_into(pool, releasing, &wait);
  begin(pool);
  rest_then([] {});
  expect(wait.is_over(), "lost wake-up", "the job that releases was not run");
  expect_reports(0);
  expect_idle(pool);
}

/// Two are released one after the other by the third.
void two_released_by_the_third() {
  count_people();
  pool_core& pool = make_pool(3);
  struct both {
    user_wait first, second;
  }* const waits_of = new both;
  once first(waits()), second(waits()), releasing([](once&self, seat&) {
    on().hold_until_go();
    auto& of = *static_cast<both*>(self.context);
    of.first.release();
    of.second.release();
  });
  put_into(pool, first, &waits_of->first);
  put_into(pool, second, &waits_of->second);
  put_into(pool, releasing, waits_of);
  begin(pool);
  rest_then([] {});
  expect(waits_of->first.is_over() && waits_of->second.is_over(), "lost wake-up", "the job that releases was not run");
  expect_reports(0);
  expect_idle(pool);
}

struct posting {
  pool_core& pool;
  user_wait wait;
  once releasing{[](once& self, seat&) { static_cast<posting*>(self.context)->wait.release(); }};
};

once::action posts_and_waits() {
  return [](once& self, seat&) {
    auto& in = *static_cast<posting*>(self.context);
    on().hold_until_go();
    in.pool.hold();
    in.pool.post(in.releasing);
    in.wait.wait();
  };
}

/// A worker wakes another with the job that releases it, and blocks.
void blocked_after_posting() {
  count_people();
  pool_core& pool = make_pool(2);
  auto* const in = new posting{pool, {}};
  in->releasing.context = in;
  once job(posts_and_waits());
  put_into(pool, job, in);
  begin(pool);
  rest_then([] {});
  expect(in->wait.is_over(), "lost wake-up", "the job that releases was not run");
  expect_reports(0);
  expect_idle(pool);
}

/// The same, but the other one is blocked for good: the job starves.
void starved_after_posting() {
  count_people();
  pool_core& pool = make_pool(2);
  auto* const in = new posting{pool, {}};
  in->releasing.context = in;
  once other(waits()), job(posts_and_waits());
  put_into(pool, other, new user_wait);
  put_into(pool, job, in);
  begin(pool);
  rest_then([] {});
  expect(!in->releasing.ran(), "job twice", "somebody who is blocked has run a job");
  expect_reports(0, 1);
}

/// The same with a spare worker.
void spare_after_posting() {
  count_people();
  pool_core& pool = make_pool(1, "worker", 1);
  auto* const in = new posting{pool, {}};
  in->releasing.context = in;
  once job(posts_and_waits());
  put_into(pool, job, in);
  begin(pool);
  rest_then([] {});
  expect(in->wait.is_over(), "lost wake-up", "no spare worker has run the job that releases");
  expect_reports(0);
  expect_idle(pool);
}

/// The job that releases comes from outside, and in another pool somebody runs: so nothing stands still.
void spare_for_injected() {
  count_people();
  pool_core& pool = make_pool(1, "worker", 1);
  auto* const somebody_runs_elsewhere = new dozer::external_token;
  user_wait& wait = *new user_wait;  // it may be waited for still when all is over
  once waiting(waits()), releasing([](once&self, seat&) { static_cast<user_wait*>(self.context)->release(); });
  releasing.context = &wait;
  put_into(pool, waiting, &wait);
  const auto inject = [&] { pool.inject(releasing); };
  new outsider("injector", inject);
  on().settle();
  begin(pool);
  rest_then([] {});
  expect(wait.is_over(), "lost wake-up", "no spare worker has run the job that releases");
  expect_reports(0);
  somebody_runs_elsewhere->drop();
  expect_idle(pool);
}

/// The same, and beside the worker a guest sleeps, who does not run what is injected.
void spare_beside_a_guest() {
  count_people();
  pool_core& pool = make_pool(1, "worker", 1);
  auto* const somebody_runs_elsewhere = new dozer::external_token;
  struct shared {
    user_wait wait;
    core_latch over;
    seat* guest = nullptr;
    bool through = false;
  }* const s = new shared;
  once waiting(waits()), releasing([](once&self, seat&here) {
    auto& in = *static_cast<shared*>(self.context);
    in.wait.release();
    if (in.over.set()) {
      wake_latch_owner(*in.guest, &here);
    }
  });
  releasing.context = s;
  put_into(pool, waiting, &s->wait);
  const auto stay = [&] {
    guest_stay here(pool);
    s->guest = current_seat();
    on().hold_until_go();
    wait_until(*s->guest, s->over, dozer::wait_reason::join, nullptr);
    s->through = true;
  };
  new outsider("guest", stay, false);
  on().settle();
  const auto inject = [&] { pool.inject(releasing); };
  new outsider("injector", inject);
  on().settle();
  begin(pool);
  rest_then([] {});
  expect(s->wait.is_over() && s->through, "lost wake-up", "no spare worker has run the job that releases");
  expect_reports(0);
  somebody_runs_elsewhere->drop();
  expect_idle(pool);
}

/// The last spare leaves while another job comes.
void spare_for_two() {
  count_people();
  pool_core& pool = make_pool(1, "worker", 1);
  auto* const somebody_runs_elsewhere = new dozer::external_token;
  user_wait& wait = *new user_wait;  // it may be waited for still when all is over
  once waiting(waits_already()), first,
      releasing([](once&self, seat&) { static_cast<user_wait*>(self.context)->release(); });
  releasing.context = &wait;
  put_into(pool, waiting, &wait);
  const auto inject = [&] {
    pool.inject(first);
    pool.inject(releasing);
  };
  new outsider("injector", inject);
  on().settle();
  begin(pool);
  rest_then([] {});
  expect(first.ran() && wait.is_over(), "lost wake-up", "no spare worker has run the job that releases");
  expect_reports(0);
  somebody_runs_elsewhere->drop();
  expect_idle(pool);
}

/// One worker waits, a guest comes to sit in the other's seat, and stays: nobody is left who runs what is injected.
void spare_for_a_lent_seat() {
  count_people();
  pool_core& pool = make_pool(2, "worker", 1);
  auto* const somebody_runs_elsewhere = new dozer::external_token;
  user_wait& wait = *new user_wait;  // it may be waited for still when all is over
  once waiting(waits_already()), releasing([](once&self, seat&) { static_cast<user_wait*>(self.context)->release(); });
  releasing.context = &wait;
  put_into(pool, waiting, &wait);
  const auto stay = [&] {
    guest_stay here(pool);
    long_leaf();
  };
  const auto inject = [&] { pool.inject(releasing); };
  new outsider("guest", stay);
  new outsider("injector", inject);
  on().settle();
  begin(pool);
  rest_then([&] { expect(wait.is_over(), "lost wake-up", "nobody has run the job that releases"); });
  expect_reports(0);
  somebody_runs_elsewhere->drop();
  expect_idle(pool);
}

/// A wait is released and interrupted at the same time.
void interrupted_and_released() {
  count_people();
  pool_core& pool = make_pool(1);
  struct shared {
    dozer::event happened{dozer::wait_kind::pool};
    bool over = false;
  }* const s = new shared;
  once waiting([](once& self, seat&) {
    auto& in = *static_cast<shared*>(self.context);
    on().hold_until_go();
    try {
      in.happened.wait();
    } catch (const dozer::deadlock_error&) {
    }
    in.over = true;
  });
  put_into(pool, waiting, s);
  auto* const tokens = new dozer::external_token[2];
  const auto set = [&] {
    s->happened.set();
    tokens[0].drop();
  };
  const auto interrupt = [&] {
    if (waiter* const w = waiter::claim_in(pool.seats[0])) {
      w->interrupt();
    }
    tokens[1].drop();
  };
  new outsider("setter", set);
  new outsider("reporter", interrupt);
  on().settle();
  begin(pool);
  rest_then([] {});
  expect(s->over, "lost wake-up", "somebody waits for what has happened");
  expect_reports(0);
  expect_idle(pool);
}

/// A mutex goes from a member to an outsider, with another member in line.
void mutex_to_an_outsider() {
  count_people();
  pool_core& pool = make_pool(2);
  struct shared {
    dozer::mutex m;
    int done = 0;
  }* const s = new shared;
  const once::action locks = [](once& self, seat&) {
    auto& in = *static_cast<shared*>(self.context);
    on().hold_until_go();
    in.m.lock();
    ++in.done;
    in.m.unlock();
  };
  once a(locks), b(locks);
  put_into(pool, a, s);
  put_into(pool, b, s);
  const auto lock = [&] {
    s->m.lock();
    ++s->done;
    s->m.unlock();
  };
  new outsider("outsider", lock);
  on().settle();
  begin(pool);
  rest_then([] {});
  expect(s->done == 3, "lost wake-up", "somebody waits for a mutex that nobody holds");
  expect_reports(0);
  expect_idle(pool);
}

/// A guest locks a mutex, leaves with it, and unlocks it outside. A worker waits for it.
void mutex_with_a_guest_that_leaves() {
  count_people();
  pool_core& pool = make_pool(2);
  struct shared {
    dozer::mutex m;
    int done = 0;
  }* const s = new shared;
  const auto stay = [&] {
    {
      guest_stay here(pool);
      s->m.lock();
      on().hold_until_go();
    }
    ++s->done;
    s->m.unlock();
  };
  new outsider("guest", stay, false);
  on().settle();
  once waiting([](once& self, seat&) {
    auto& in = *static_cast<shared*>(self.context);
    on().hold_until_go();
    in.m.lock();
    ++in.done;
    in.m.unlock();
  });
  put_into(pool, waiting, s);
  begin(pool);
  rest_then([] {});
  expect(s->done == 2, "lost wake-up", "somebody waits for a mutex that nobody holds");
  expect_reports(0);
  expect_idle(pool);
}

/// An outsider with a token injects what releases; then the token goes.
void blocked_and_token() {
  count_people();
  pool_core& pool = make_pool(2);
  auto* const token = new dozer::external_token;
  user_wait& wait = *new user_wait;  // it may be waited for still when all is over
  once waiting(waits()), releasing([](once&self, seat&) { static_cast<user_wait*>(self.context)->release(); });
  releasing.context = &wait;
  put_into(pool, waiting, &wait);
  const auto inject = [&] {
    pool.inject(releasing);
    token->drop();
  };
  new outsider("with a token", inject);
  on().settle();
  begin(pool);
  rest_then([] {});
  expect(wait.is_over(), "lost wake-up", "the job that releases was not run");
  expect_reports(0);
  expect_idle(pool);
}

/// An outsider has a token and makes nothing of it.
void blocked_and_token_dropped() {
  count_people();
  pool_core& pool = make_pool(1);
  auto* const token = new dozer::external_token;
  user_wait& wait = *new user_wait;  // it may be waited for still when all is over
  once waiting(waits());
  put_into(pool, waiting, &wait);
  const auto drop = [&] { token->drop(); };
  new outsider("with a token", drop);
  on().settle();
  begin(pool);
  rest_then([] {});
  expect_reports(1);
}

/// An outsider injects a job beside a worker that is blocked for good and one that falls asleep. Whoever looks into the
/// standstill must see that a poster is on its way, or it takes the job for one whose wake-up was lost.
void injection_is_seen() {
  count_people();
  pool_core& pool = make_pool(2);
  once waiting(waits()), injected;
  put_into(pool, waiting, new user_wait);
  wake_workers(pool, 1);
  const auto inject = [&] { pool.inject(injected); };
  new outsider("injector", inject);
  on().settle();
  begin(pool);
  rest_then([] {});
  expect(injected.ran(), "lost wake-up", "an injected job was not run");
  expect(deadlocks_reported() != 0, "missed deadlock", "nobody can go on, and nobody says so");
}

/// An outsider injects a job beside the only worker, which blocks for good: however they meet, it is said that the job
/// starves.
void injection_starves() {
  count_people();
  pool_core& pool = make_pool(1);
  once waiting(waits());
  auto& injected = *new once;
  put_into(pool, waiting, new user_wait);
  const auto inject = [&] { pool.inject(injected); };
  new outsider("injector", inject);
  on().settle();
  begin(pool);
  rest_then([] {});
  expect(starvings_reported() != 0, "missed deadlock", "a job starves, and nobody says so");
}

/// An outsider hands a job over and waits for it.
template <bool Awake>
void outsider_waits() {
  count_people();
  pool_core& pool = make_pool(1);
  if (Awake) {
    wake_workers(pool, 1);
  }
  bool through = false;
  const auto hand = [&] {
    int result = 0;
    const auto f = [&] { result = 1; };
    hand_over<decltype(f)&>(pool, f);
    expect(result == 1, "latch payload", "the closure has not run");
    through = true;
  };
  new outsider("outsider", hand);
  on().settle();
  begin(pool);
  rest_then([] {});
  expect(through, "lost latch", "the outsider is stuck");
  expect_reports(0);
  expect_idle(pool);
}

void outsider_waits_for_a_job() { outsider_waits<false>(); }
void outsider_waits_for_a_drowsy_one() { outsider_waits<true>(); }

/// A guest waits for an event that a worker's job sets.
void guest_waits_for_an_event() {
  count_people();
  pool_core& pool = make_pool(2);
  auto* const happened = new dozer::event(dozer::wait_kind::pool);
  once setting([](once& self, seat&) {
    on().hold_until_go();
    static_cast<dozer::event*>(self.context)->set();
  });
  put_into(pool, setting, happened);
  bool through = false;
  const auto stay = [&] {
    guest_stay here(pool);
    happened->wait();
    through = true;
  };
  new outsider("guest", stay);
  on().settle();
  begin(pool);
  rest_then([] {});
  expect(through, "lost wake-up", "the guest is stuck");
  expect_reports(0);
  expect_idle(pool);
}

/// Two call for the reporter, and the system gives no thread: whoever has the duty answers, and leaves.
void two_summons_without_a_thread() {
  struct shared {
    summons calls;
    reported<std::uint32_t> came{0}, answered{0};  // a bit for each caller
  }* const s = new shared;
  const auto calls = [&](std::uint32_t bit) {
    s->came.set(s->came.get() | bit);
    if (s->calls.call()) {
      s->calls.answer_and_leave([&] { s->answered.set(s->answered.get() | s->came.get()); });
    }
  };
  const auto first = [&] { calls(1); };
  const auto second = [&] { calls(2); };
  new outsider("first", first);
  new outsider("second", second);
  on().settle();
  on().go();
  on().until_quiet();
  on().know_everything();
  expect(s->answered.get() == 3, "lost summons", "a call came after the last answer began, and no thread is on duty");
}

/// Two workers, one mutex.
void mutex_between_two() {
  count_people();
  pool_core& pool = make_pool(2);
  struct shared {
    dozer::mutex m;
    int inside = 0;
    int done = 0;
  }* const s = new shared;
  const once::action locks = [](once& self, seat&) {
    auto& in = *static_cast<shared*>(self.context);
    on().hold_until_go();
    in.m.lock();
    expect(++in.inside == 1, "mutual exclusion", "two hold the mutex");
    --in.inside;
    ++in.done;
    in.m.unlock();
  };
  once a(locks), b(locks);
  put_into(pool, a, s);
  put_into(pool, b, s);
  begin(pool);
  rest_then([] {});
  expect(s->done == 2, "lost wake-up", "somebody waits for a mutex that nobody holds");
  expect_reports(0);
  expect_idle(pool);
}

/// Two workers, two mutexes in opposite order.
void mutexes_in_opposite_order() {
  count_people();
  pool_core& pool = make_pool(2);
  struct shared {
    dozer::mutex first, second;
    int done = 0;
  }* const s = new shared;
  once one([](once& self, seat&) {
    auto& in = *static_cast<shared*>(self.context);
    on().hold_until_go();
    in.first.lock();
    in.second.lock();
    ++in.done;
    in.second.unlock();
    in.first.unlock();
  });
  once other([](once& self, seat&) {
    auto& in = *static_cast<shared*>(self.context);
    on().hold_until_go();
    in.second.lock();
    in.first.lock();
    ++in.done;
    in.first.unlock();
    in.second.unlock();
  });
  put_into(pool, one, s);
  put_into(pool, other, s);
  begin(pool);
  rest_then([] {});
  expect_reports(s->done == 2 ? 0 : 1);
}

}  // namespace verify
