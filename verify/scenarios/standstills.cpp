// Who is reported as deadlocked: everybody who is, and nobody else.
#include "scenarios.hpp"
#include "waiting.hpp"

#include <dozer/sync.hpp>

namespace verify {

/// All wait, and nobody is left to release them.
void all_blocked_two() {
  count_people();
  pool_core& pool = make_pool(2);
  put_into(pool, waits(*new user_wait));
  put_into(pool, waits(*new user_wait));
  begin(pool);
  rest_then([] {});
  expect_reports(1);
}

/// One waits, the other is asleep.
void blocked_beside_a_sleeper() {
  count_people();
  pool_core& pool = make_pool(2);
  put_into(pool, waits(*new user_wait));
  wake_workers(pool, 1);
  begin(pool);
  rest_then([] {});
  expect_reports(1);
}

/// One is released by the other.
void blocked_and_released() {
  count_people();
  pool_core& pool = make_pool(2);
  auto& wait = *new user_wait;
  put_into(pool, waits(wait));
  put_into(pool, job_after_go([&] { wait.release(); }));
  begin(pool);
  rest_then([] {});
  expect(wait.is_over(), "lost wake-up", "the job that releases was not run");
  expect_reports(0);
  expect_idle(pool);
  delete &wait;  // its slot is not in use any more
}

/// Two are released one after the other by the third.
void two_released_by_the_third() {
  count_people();
  pool_core& pool = make_pool(3);
  auto& first = *new user_wait;
  auto& second = *new user_wait;
  put_into(pool, waits(first));
  put_into(pool, waits(second));
  put_into(pool, job_after_go([&] {
             first.release();
             second.release();
           }));
  begin(pool);
  rest_then([] {});
  expect(first.is_over() && second.is_over(), "lost wake-up", "the job that releases was not run");
  expect_reports(0);
  expect_idle(pool);
}

namespace {

/// A job that posts the one that releases it, and waits.
once& posts_and_waits(pool_core& pool, user_wait& wait, once& releasing) {
  return job_after_go([&] {
    pool.post(releasing);
    wait.wait();
  });
}

}  // namespace

/// A worker wakes another with the job that releases it, and blocks.
void blocked_after_posting() {
  count_people();
  pool_core& pool = make_pool(2);
  auto& wait = *new user_wait;
  once& releasing = releases(wait);
  put_into(pool, posts_and_waits(pool, wait, releasing));
  begin(pool);
  rest_then([] {});
  expect(wait.is_over(), "lost wake-up", "the job that releases was not run");
  expect_reports(0);
  expect_idle(pool);
}

/// The same, but the other one is blocked for good: the job starves.
void starved_after_posting() {
  count_people();
  pool_core& pool = make_pool(2);
  auto& wait = *new user_wait;
  once& releasing = releases(wait);
  put_into(pool, waits(*new user_wait));
  put_into(pool, posts_and_waits(pool, wait, releasing));
  begin(pool);
  rest_then([] {});
  expect(!releasing.ran(), "job twice", "somebody who is blocked has run a job");
  expect_reports(0, 1);
}

/// The same with a spare worker, and nobody else.
void spare_after_posting() {
  count_people();
  pool_core& pool = make_pool(1, "worker", 1);
  auto& wait = *new user_wait;
  once& releasing = releases(wait);
  put_into(pool, posts_and_waits(pool, wait, releasing));
  begin(pool);
  rest_then([] {});
  expect(wait.is_over(), "lost wake-up", "no spare worker has run the job that releases");
  expect_reports(0);
  expect_idle(pool);
}

/// An outsider with a token injects what releases; then the token goes.
void blocked_and_token() {
  count_people();
  pool_core& pool = make_pool(2);
  auto* const token = new dozer::external_token;
  auto& wait = *new user_wait;
  once& releasing = releases(wait);
  put_into(pool, waits(wait));
  outside_after_go("with a token", [&] {
    pool.inject(releasing);
    token->drop();
  });
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
  put_into(pool, waits(*new user_wait));
  outside_after_go("with a token", [&] { token->drop(); });
  begin(pool);
  rest_then([] {});
  expect_reports(1);
}

/// An outsider injects a job beside a worker that is blocked for good and one that falls asleep. Whoever looks into the
/// standstill must see that a poster is on its way, or it takes the job for one whose wake-up was lost.
void injection_is_seen() {
  count_people();
  pool_core& pool = make_pool(2);
  once injected;
  put_into(pool, waits(*new user_wait));
  wake_workers(pool, 1);
  outside_after_go("injector", [&] { pool.inject(injected); });
  begin(pool);
  rest_then([] {});
  expect(injected.ran(), "lost wake-up", "an injected job was not run");
  expect_reports(1);
}

/// The same while it is looked into, and the sleeper is up for as long as the job takes. It sleeps again when that is
/// done: the job does not starve, no wake-up is lost, and it is the same deadlock.
void injected_while_it_is_looked_into() {
  count_people();
  pool_core& pool = make_pool(2);
  dozer::external_token token;
  put_into(pool, waits_already(*new user_wait));
  once injected;
  outside_after_go("injector", [&] { pool.inject(injected); });
  begin(pool);
  token.drop();
  rest_then([] {});
  expect(injected.ran(), "lost wake-up", "an injected job was not run");
  expect_reports(1);
}

namespace {

/// A thread looks into the standstill. No job is left for good.
void confirm_meanwhile() {
  outside_after_go("reporter", [] {
    census at(0);
    const verdict found = current_domain().confirm(at);
    expect(found == verdict::moving || found == verdict::deadlock, "wrong report",
           "a job that is run is taken for one that is left");
  });
}

}  // namespace

/// A deadlock was reported. A worker sleeps, is woken for a job and sleeps again while the standstill is looked into
/// once more: that is no job that starves, and no lost wake-up.
void confirmed_while_a_job_is_run() {
  count_people();
  pool_core& pool = make_pool(2);
  once injected;
  put_into(pool, waits_already(*new user_wait));
  outside_after_go("injector", [&] { pool.inject(injected); });
  confirm_meanwhile();
  begin(pool);
  rest_then([] {});
  expect(injected.ran(), "lost wake-up", "an injected job was not run");
}

/// The same, and the job is the last of another pool, whose handle waits for it: worker and pool end then.
void confirmed_while_the_last_job_is_run() {
  count_people();
  pool_core& stays = make_pool(1);
  pool_core& ends = make_pool(1, "other worker");
  put_into(stays, waits_already(*new user_wait));
  once last(nullptr, &ends);
  ends.hold();  // the job's
  outside_at_once("handle", [&] { ends.end(); });
  outside_after_go("injector", [&] { ends.inject(last); });
  confirm_meanwhile();
  begin(stays, ends);
  rest_then([] {});
  expect(last.ran(), "lost wake-up", "an injected job was not run");
}

/// The same, and it is a guest that comes, forks, and goes.
void confirmed_while_a_guest_works() {
  count_people();
  pool_core& pool = make_pool(1);
  put_into(pool, waits_already(*new user_wait));
  outside_after_go("guest", [&] {
    guest_stay here(pool);
    dozer::join([] {}, [] {});
  });
  confirm_meanwhile();
  begin(pool);
  rest_then([] {});
}

/// A pool ends while a standstill of another one is looked into.
void confirmed_while_a_pool_ends() {
  count_people(reporter_is::a_thread);
  pool_core& stays = make_pool(1);
  pool_core& ends = make_pool(1, "other worker");
  put_into(stays, waits(*new user_wait));
  outside_after_go("handle", [&] { ends.end(); });
  begin(stays);
  rest_then([] {});
  expect_reports(1);
}

/// An outsider injects a job beside the only worker, which blocks for good. If the job comes late the deadlock was
/// reported before, and it is the same standstill.
void injection_starves() {
  count_people();
  pool_core& pool = make_pool(1);
  auto& injected = *new once;
  put_into(pool, waits(*new user_wait));
  outside_after_go("injector", [&] { pool.inject(injected); });
  begin(pool);
  rest_then([] {});
  const std::uint32_t reports = deadlocks_reported() + starvings_reported();
  expect(reports >= 1, "missed deadlock", "a job starves, and nobody says so");
  expect(reports <= 1, "false deadlock", "a standstill is reported twice");
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
  outside_after_go("outsider", [&] {
    int result = 0;
    const auto f = [&] { result = 1; };
    hand_over<decltype(f)&>(pool, f);
    expect(result == 1, "latch payload", "the closure has not run");
    through = true;
  });
  begin(pool);
  rest_then([] {});
  expect(through, "lost latch", "the outsider is stuck");
  expect_reports(0);
  expect_idle(pool);
}

void outsider_waits_for_a_job() { outsider_waits<false>(); }
void outsider_waits_for_a_drowsy_one() { outsider_waits<true>(); }

/// An outsider waits for a job for a time, and if that is up for ever.
void outsider_waits_for_a_time() {
  count_people();
  pool_core& pool = make_pool(1);
  auto* latch = new blocking_latch;
  bool through = false, done = false;
  put_into(pool, job_after_go([&] {
             done = true;
             latch->set();
           }));
  outside_after_go("outsider", [&] {
    if (!latch->wait(deadline_after(1))) {
      latch->wait();
    }
    expect(done, "latch payload", "the latch is set, and what was done before cannot be seen");
    delete latch;
    through = true;
  });
  begin(pool);
  rest_then([] {});
  expect(through, "lost latch", "the outsider is stuck");
  expect_reports(0);
  expect_idle(pool);
}

/// Two pools of one: each has a job that hands one over to the other, and helps at home until that is done.
void pools_that_wait_for_each_other() {
  count_people();
  pool_core& here = make_pool(1, "here");
  pool_core& there = make_pool(1, "there");
  int through[2] = {};
  const auto calls = [&](pool_core& other, int which) {
    const auto f = [&, which] { ++through[which]; };
    hand_over<decltype(f)&>(other, f);
    ++through[which];
  };
  put_into(here, job_after_go([&] { calls(there, 0); }));
  put_into(there, job_after_go([&] { calls(here, 1); }));
  begin(here, there);
  rest_then([] {});
  expect(through[0] == 2 && through[1] == 2, "lost latch", "two pools wait for each other for ever");
  expect_reports(0);
  expect_idle(here);
  expect_idle(there);
}

/// Two pools of one, whose workers wait for each other for ever: it is one standstill.
void pools_that_are_stuck() {
  count_people();
  pool_core& here = make_pool(1, "here");
  pool_core& there = make_pool(1, "there");
  put_into(here, waits(*new user_wait));
  put_into(there, waits(*new user_wait));
  begin(here, there);
  rest_then([] {});
  expect_reports(1);
}

/// A guest waits for an event that a worker's job sets.
void guest_waits_for_an_event() {
  count_people();
  pool_core& pool = make_pool(2);
  auto* const happened = new dozer::event(dozer::wait_kind::pool);
  put_into(pool, job_after_go([&] { happened->set(); }));
  bool through = false;
  outside_after_go("guest", [&] {
    guest_stay here(pool);
    happened->wait();
    through = true;
  });
  begin(pool);
  rest_then([] {});
  expect(through, "lost wake-up", "the guest is stuck");
  expect_reports(0);
  expect_idle(pool);
}

}  // namespace verify
