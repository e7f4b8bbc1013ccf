// Members that wait apart, in no counter: who wakes them, and what they cost others.
#include "scenarios.hpp"
#include "support.hpp"

#include <dozer/blocking.hpp>

namespace verify {

namespace {

/// In an isolation the worker of the second seat waits for a latch, which a job sets that the worker of the first seat
/// puts there by `fork`, late, before it goes into a long leaf: the one that waits must come for the job.
template <class Fork>
void forked_late_for_the_second_seat(Fork fork) {
  pool_core& pool = make_pool(2);
  one_shot_latch* awaited = nullptr;
  bool over = false;
  const auto fork_late = [&] {
    on().hold_until_go();
    fork([&awaited] { awaited->set(own_seat()); });
  };
  const auto wait = [&] {
    one_shot_latch latch(own_seat());
    awaited = &latch;
    on().hold_until_go();
    wait_until(own_seat(), latch.core(), dozer::wait_reason::join, nullptr);
    over = true;
  };
  put_into(pool, job_that([&] { dozer::isolate([&] { dozer::join(fork_late, wait); }); }));
  begin(pool);
  rest_then([&] { expect(over, "lost wake-up", "a job of its isolation waits, and a wait inside sleeps"); });
  expect_idle(pool);
}

}  // namespace

void apart_and_joined_late() {
  forked_late_for_the_second_seat([](auto job) { dozer::join([] { long_leaf(); }, job); });
}
void apart_and_spawned_late() {
  forked_late_for_the_second_seat([](auto job) {
    dozer::spawn(job);
    long_leaf();
  });
}

/// A worker has forked a job, and in an isolation another one, which is out of reach for the wait inside of the second
/// worker: the stranger stands on top. The third one takes the stranger, and stays. Then the first blocks, and tells
/// the second of what is left.
void apart_and_a_stranger_that_goes() {
  pool_core& pool = make_pool(3);
  one_shot_latch* awaited = nullptr;
  std::uint32_t second = 0;
  bool over = false;
  gate sent, stranger_runs, world;
  once& mail = job_that([&](seat& here) {
    one_shot_latch latch(here);
    awaited = &latch;
    wait_until(here, latch.core(), dozer::wait_reason::join, nullptr);
    over = true;
  });
  const auto block_late = [&] {
    stranger_runs.wait();
    dozer::blocking([&] { world.wait(); });
  };
  const auto fork_inside = [&] {
    const isolated_stay inside(own_seat());
    pool.send_mail(second, mail);
    pool.mail_sent();
    sent.open();
    dozer::join(block_late, [&] { awaited->set(own_seat()); });
  };
  const auto stranger = [&] {
    stranger_runs.open();
    long_leaf();
  };
  put_into(pool, job_that([&](seat& here) {
             second = here.index;
             sent.wait();
           }));
  wake_workers(pool, 1);
  put_into(pool, job_that([&] { dozer::join(fork_inside, stranger); }));
  begin(pool);
  rest_then([&] {
    expect(over, "lost wake-up", "a job of its isolation waits, and a wait inside sleeps");
    world.open();
  });
  expect_idle(pool);
}

/// Two workers wait in an isolation, and the third one forks there, twice. All three stay in long leaves: for each job
/// one of the two must come, and not both.
void two_apart() {
  pool_core& pool = make_pool(3);
  tally begun;
  const auto stay = [&begun] {
    begun.add();
    long_leaf();
  };
  const auto hold = [] { on().hold_until_go(); };
  const auto fork_twice = [&] {
    on().hold_until_go();
    const auto& sent = own_seat().counts.wakes_sent[static_cast<std::size_t>(dozer::wake_cause::job_forked)];
    const std::uint64_t before = sent.get();
    dozer::join(
        [&] {
          expect(sent.get() <= before + 1, "needless wake", "one job was forked, and two members are woken for it");
          dozer::join(stay, stay);
        },
        stay);
  };
  put_into(pool, job_that([&] { dozer::isolate([&] { dozer::join(hold, [&] { dozer::join(hold, fork_twice); }); }); }));
  begin(pool);
  rest_then(
      [&] { expect(begun.now() == 3, "lost wake-up", "a job of its isolation waits, and a wait inside sleeps"); });
  expect_idle(pool);
}

/// A worker that waits apart is woken by mail, its latch being set. It sleeps in its main loop, is woken for a job, and
/// waits apart again. Only then the setter of the first latch, which had seen it asleep, claims it.
void apart_and_a_slow_setter() {
  pool_core& pool = make_pool(1);
  cross_pool_latch* awaited[2] = {};
  const auto wait_for = [&](cross_pool_latch*& which) {
    dozer::isolate([&] {
      cross_pool_latch latch(own_seat());
      which = &latch;
      wait_until(own_seat(), latch.core(), dozer::wait_reason::join, nullptr);
    });
  };
  once& first = job_that([&] { wait_for(awaited[0]); });
  once& second = job_that([&] { wait_for(awaited[1]); });
  put_into(pool, first);
  gate answered;
  once& mail = job_that([&] { answered.open(); });
  outside_after_go("setter", [&] { awaited[0]->set(nullptr); });
  outside_after_go("sender", [&] {
    pool.send_mail(0, mail);
    pool.mail_sent();
    answered.wait();
    pool.inject(second);
  });
  begin(pool);
  on().until_quiet(1);
  on().know_everything();
  expect(first.ran() && mail.ran() && awaited[1] != nullptr, "lost wake-up", "a job was not run");
  awaited[1]->set(nullptr);
  on().until_quiet(3);
  on().know_everything();
  expect(second.ran(), "lost latch", "the latch is set and its owner sleeps on it");
  expect_idle(pool);
}

/// What waits apart cost. One at the end of its stack, then one in an isolation: neither wakes another worker, since
/// nothing is queued. When they are over, a fork in an isolation looks at no seat for a member that waits so.
void cost_of_waits_apart() {
  pool_core& pool = make_pool(2);
  struct shared {
    cross_pool_latch* latch = nullptr;
    gate waits, waits_again;
    bool forks = false;
  } s;
  on().count_as_state(&s.forks, sizeof s.forks);
  for (std::uint32_t i = 0; i < pool.seats.workers(); ++i) {
    on().listen(
        &pool.seats[i].waits_in,
        [](void* in, std::uint64_t, thread_id, bool) {
          expect(!static_cast<const shared*>(in)->forks, "needless look",
                 "a fork looks for members that wait in an isolation, and there are none");
        },
        &s);
  }
  const once& job = put_to_work(pool, [&] {
    seat& me = own_seat();
    {
      cross_pool_latch latch(me);
      s.latch = &latch;
      s.waits.open();
      apart_state apart = pool.sleep.start_waiting_apart(me, latch.core(), dozer::wait_reason::join, no_deadline, true);
      while (!latch.core().probe()) {
        pool.sleep.sleep_apart(apart);
      }
      pool.sleep.stop_waiting_apart(apart);
    }
    dozer::isolate([&] {
      cross_pool_latch latch(me);
      s.latch = &latch;
      s.waits_again.open();
      wait_until(me, latch.core(), dozer::wait_reason::join, nullptr);
    });
    expect(me.counts.wakes_sent[static_cast<std::size_t>(dozer::wake_cause::job_forked)].get() == 0, "needless wake",
           "a wait that leaves nothing behind wakes a worker");
    s.forks = true;
    dozer::isolate([&] { dozer::join([&] { s.forks = false; }, [] {}); });
  });
  outside_after_go("setter", [&] {
    s.waits.wait();
    s.latch->set(nullptr);
    s.waits_again.wait();
    s.latch->set(nullptr);
  });
  begin(pool);
  rest_then([] {});
  expect(job.ran(), "lost latch", "the latch is set and its owner sleeps on it");
  expect_idle(pool);
}

}  // namespace verify
