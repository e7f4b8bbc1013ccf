// Waits that run nothing but what was forked inside an isolation.
#include "scenarios.hpp"
#include "waiting.hpp"

namespace verify {

namespace {

/// Must not be run by somebody who is in an isolation.
once::action from_outside() {
  return [](once&, seat& here) {
    expect(!here.own().isolated_in().any(), "isolation", "a wait inside has run a job from outside");
  };
}

struct context {
  pool_core& pool;
  once older{from_outside(), &pool};
  int a = 0, b = 0;
};

}  // namespace

/// A join in an isolation, its second half stolen or not, with an injected job in reach.
void isolated_join() {
  pool_core& pool = make_pool(2);
  auto* const in = new context{pool};
  once job([](once& self, seat&) {
    auto& mine = *static_cast<context*>(self.context);
    on().hold_until_go();
    dozer::isolate([&] { dozer::join([&] { ++mine.a; }, [&] { ++mine.b; }); });
  });
  job.context = in;
  pool.inject(job);
  on().settle();
  wake_workers(pool, 1);
  once injected(from_outside());
  const auto inject = [&] { pool.inject(injected); };
  new outsider("injector", inject);
  on().settle();
  begin(pool);
  rest_then([] {});
  expect(job.ran() && in->a == 1 && in->b == 1, "lost latch", "a join has not returned");
  expect(injected.ran(), "lost wake-up", "an injected job was not run");
  expect_idle(pool);
}

/// An older job in the own deque: it is the other worker's.
void isolated_join_above_a_job() {
  pool_core& pool = make_pool(2);
  auto* const in = new context{pool};
  once job([](once& self, seat&) {
    auto& mine = *static_cast<context*>(self.context);
    on().hold_until_go();
    mine.pool.post(mine.older);
    dozer::isolate([&] {
      dozer::join(
          [&] {
            ++mine.a;
            while (dozer::yield_now() == dozer::yielded::executed) {
            }
          },
          [&] { ++mine.b; });
    });
  });
  job.context = in;
  pool.inject(job);
  on().settle();
  begin(pool);
  rest_then([] {});
  expect(job.ran() && in->a == 1 && in->b == 1, "lost latch", "a join has not returned");
  expect(in->older.ran(), "lost wake-up", "the older job was not run");
  expect_idle(pool);
}

/// The second half of a join, stolen or not, meets a job from outside.
void isolated_and_stolen() {
  pool_core& pool = make_pool(2);
  struct meeting {
    pool_core& pool;
    reported<std::uint32_t> in_second_half{0};  // the thread that is, from 1 on
    once met{[](once& self, seat&) {
      const auto& in = *static_cast<const meeting*>(self.context);
      expect(in.in_second_half.get() != static_cast<std::uint32_t>(on().self()) + 1, "isolation",
             "a job of the isolation has run one from outside");
    }};
  }* const in = new meeting{pool};
  in->met.context = in;
  once job([](once& self, seat&) {
    auto& mine = *static_cast<meeting*>(self.context);
    on().hold_until_go();
    dozer::isolate([&] {
      dozer::join([] {},
                  [&] {
                    mine.in_second_half.set(static_cast<std::uint32_t>(on().self()) + 1);
                    mine.pool.inject(mine.met);
                    while (dozer::yield_now() == dozer::yielded::executed) {
                    }
                    mine.in_second_half.set(0);
                  });
    });
  });
  job.context = in;
  pool.inject(job);
  on().settle();
  wake_workers(pool, 1);
  begin(pool);
  rest_then([] {});
  expect(job.ran() && in->met.ran(), "lost latch", "a join has not returned, or a job was not run");
  expect_idle(pool);
}

/// In the deque of somebody else there is a job from outside.
void isolated_beside_a_job() {
  pool_core& pool = make_pool(2);
  auto* const in = new context{pool};
  once other([](once& self, seat&) {
    auto& mine = *static_cast<context*>(self.context);
    on().hold_until_go();
    mine.pool.post(mine.older);
    long_leaf();
  });
  once job([](once&, seat&) {
    on().hold_until_go();
    dozer::isolate([] {
      while (dozer::yield_now() == dozer::yielded::executed) {
      }
    });
  });
  other.context = in;
  pool.inject(other);
  on().settle();
  pool.inject(job);
  on().settle();
  begin(pool);
  rest_then([&] { expect(in->older.ran(), "lost wake-up", "a job waits beside somebody who is free"); });
  expect_idle(pool);
}

/// It waits for a job that it may not run, and nobody else is there.
void isolated_and_starved() {
  count_people();
  pool_core& pool = make_pool(1);
  auto* const in = new context{pool};
  auto* const done = new core_latch;
  struct both {
    context* in;
    core_latch* done;
  } c{in, done};
  once job([](once& self, seat& here) {
    auto& mine = *static_cast<both*>(self.context);
    on().hold_until_go();
    mine.in->pool.post(mine.in->older);
    const isolated_stay inside(here);
    wait_until(here, *mine.done, dozer::wait_reason::future, nullptr);
  });
  job.context = &c;
  pool.inject(job);
  on().settle();
  begin(pool);
  rest_then([] {});
  expect(!in->older.ran(), "isolation", "a wait inside has run a job from outside");
  expect(deadlocks_reported() == 0, "false deadlock", "a job is left that would go on");
  expect(starvings_reported() == 1, "missed deadlock", "a job starves, and nobody says so");
}

/// Mail of the isolation comes while somebody waits inside: nobody else can run it.
void isolated_and_mailed() {
  pool_core& pool = make_pool(1);
  struct shared {
    core_latch done;
    isolation in;
    bool over = false;
  }* const s = new shared;
  once waiting([](once& self, seat& here) {
    auto& mine = *static_cast<shared*>(self.context);
    const isolated_stay inside(here);
    mine.in = here.own().isolated_in();
    on().hold_until_go();
    wait_until(here, mine.done, dozer::wait_reason::join, nullptr);
    mine.over = true;
  });
  once mail([](once& self, seat& here) {
    if (static_cast<shared*>(self.context)->done.set()) {
      wake_latch_owner(here, &here);
    }
  });
  waiting.context = s;
  mail.context = s;
  pool.inject(waiting);
  const auto send = [&] {
    mail.made_in = s->in;
    pool.isolated.add(mail.made_in);
    pool.seats[0].mail.push(mail);
    pool.mail_sent();
  };
  new outsider("sender", send);
  on().settle();
  begin(pool);
  rest_then([] {});
  expect(mail.ran() && s->over, "lost wake-up", "mail that a wait inside may run is left");
  expect_idle(pool);
}

/// The second half of a join is stolen, forks in turn, and stays in a long leaf: the first half, which waits, must come
/// for the job of its own isolation.
void isolated_and_forked_late() {
  pool_core& pool = make_pool(2);
  struct shared {
    bool late_ran = false;
  }* const s = new shared;
  once job([](once& self, seat&) {
    auto& in = *static_cast<shared*>(self.context);
    dozer::isolate([&] {
      dozer::join([] { on().hold_until_go(); },
                  [&] {
                    on().hold_until_go();
                    dozer::join([] { long_leaf(); }, [&] { in.late_ran = true; });
                  });
    });
  });
  job.context = s;
  pool.inject(job);
  on().settle();
  begin(pool);
  rest_then([&] { expect(s->late_ran, "lost wake-up", "a job of its isolation waits, and a wait inside sleeps"); });
  expect(job.ran(), "lost latch", "a join has not returned");
  expect_idle(pool);
}

/// The same, and the stolen half is in an isolation inside the first: its job is inside that as well.
void isolated_twice() {
  pool_core& pool = make_pool(2);
  bool late_ran = false;
  once& job = job_that([&] {
    dozer::isolate([&] {
      dozer::join([] { on().hold_until_go(); },
                  [&] {
                    on().hold_until_go();
                    dozer::isolate([&] { dozer::join([] { long_leaf(); }, [&] { late_ran = true; }); });
                  });
    });
  });
  put_into(pool, job);
  begin(pool);
  rest_then(
      [&] { expect(late_ran, "lost wake-up", "a job of an isolation inside waits, and a wait around it sleeps"); });
  expect(job.ran(), "lost latch", "a join has not returned");
  expect_idle(pool);
}

/// Two workers, each with a join in an isolation inside another. Together they want four numbers, and there are two.
void isolated_twice_in_two() {
  pool_core& pool = make_pool(2);
  tally halves;
  const auto work = [&] {
    dozer::isolate([&] { dozer::isolate([&] { dozer::join([] {}, [&] { halves.add(); }); }); });
  };
  const once& first = put_to_work(pool, work);
  const once& second = put_to_work(pool, work);
  begin(pool);
  rest_then([] {});
  expect(first.ran() && second.ran() && halves.now() == 2, "lost latch", "a join has not returned");
  expect(pool.isolated.begin({}, 0) != isolation::nameless() && pool.isolated.begin({}, 0) != isolation::nameless(),
         "count drift", "a number is in use, and nobody uses it");
  expect_idle(pool);
}

/// A wait in an isolation, and a join in another one, which ends that wait. The wait may not run the half of the join.
void isolated_beside_an_isolation() {
  struct shared {
    core_latch done;
    bool waits = false;
    bool half_ran = false;
  }* const s = new shared;
  pool_core& pool = make_pool(2);
  const once& wait = put_to_work(pool, [s] {
    seat& me = own_seat();
    dozer::isolate([&] {
      s->waits = true;
      wait_until(me, s->done, dozer::wait_reason::future, nullptr);
      s->waits = false;
    });
  });
  const once& joins = put_to_work(pool, [s, &pool] {
    const auto half = [s] {
      expect(own_seat().index != 0 || !s->waits, "isolation", "a wait inside has run a job of another isolation");
      s->half_ran = true;
    };
    const auto end_the_wait = [s, &pool] {
      if (s->done.set()) {
        wake_latch_owner(pool.seats[0], &own_seat());
      }
    };
    dozer::isolate([&] { dozer::join(end_the_wait, half); });
  });
  begin(pool);
  rest_then([] {});
  expect(wait.ran() && joins.ran() && s->half_ran, "lost latch", "a wait has not returned");
  expect_idle(pool);
}

/// Three isolations in each other, and two numbers: the innermost has none. Its join comes back all the same, and its
/// wait runs nothing from outside.
void isolated_without_a_number() {
  count_people();
  pool_core& pool = make_pool(2);
  once injected(from_outside());
  bool joined = false;
  once& job = job_after_go([&] {
    const auto innermost = [&] {
      expect(own_seat().own().isolated_in() == isolation::nameless(), "set-up", "there are more numbers than two");
      dozer::join([] {}, [&] { joined = true; });
    };
    dozer::isolate([&] { dozer::isolate([&] { dozer::isolate(innermost); }); });
  });
  put_into(pool, job);
  outside_after_go("injector", [&] { pool.inject(injected); });
  begin(pool);
  rest_then([] {});
  expect(job.ran() && joined, "lost latch", "a join has not returned");
  expect(injected.ran(), "lost wake-up", "an injected job was not run");
  expect_idle(pool);
}

/// A wait inside sleeps. Mail from outside wakes it, and is not for it; then its latch is set.
void isolated_and_mailed_from_outside() {
  count_people();
  pool_core& pool = make_pool(2);
  auto* const done = new core_latch;
  bool over = false, in_the_wait = false;
  put_into(pool, job_that([&](seat& here) {
             const isolated_stay inside(here);
             on().hold_until_go();
             in_the_wait = true;
             wait_until(here, *done, dozer::wait_reason::join, nullptr);
             in_the_wait = false;
             over = true;
           }));
  put_into(pool, job_after_go([&](seat& here) {
             if (done->set()) {
               wake_latch_owner(pool.seats[0], &here);
             }
           }));
  once& mail = job_that([&] { expect(!in_the_wait, "isolation", "a wait inside has run mail from outside"); });
  outside_after_go("sender", [&] {
    pool.send_mail(0, mail);
    pool.mail_sent();
  });
  begin(pool);
  rest_then([] {});
  expect(over, "lost latch", "the latch is set and its owner sleeps on it");
  expect(mail.ran(), "lost wake-up", "mail is left");
  expect_idle(pool);
}

/// A job that was posted in an isolation outlives it, and keeps its number from the next one, whose wait must not run
/// it.
void isolated_and_outlived() {
  count_people();
  pool_core& pool = make_pool(2);
  isolation first, next;
  bool in_the_next = false, joined = false;
  once& left = job_that([&](seat& here) {
    expect(here.own().isolated_in() == first, "isolation", "a job is not in the isolation that it was posted in");
    expect(&here != &pool.seats[0] || !in_the_next, "isolation", "a wait inside has run a job of an isolation before");
  });
  once& job = job_after_go([&] {
    dozer::isolate([&] {
      first = own_seat().own().isolated_in();
      pool.post(left);
    });
    dozer::isolate([&] {
      next = own_seat().own().isolated_in();
      in_the_next = true;
      dozer::join([] {}, [&] { joined = true; });
      in_the_next = false;
    });
  });
  put_into(pool, job);
  wake_workers(pool, 1);
  begin(pool);
  rest_then([] {});
  expect(job.ran() && joined, "lost latch", "a join has not returned");
  expect(left.ran(), "lost wake-up", "a posted job was not run");
  expect(pool.isolated.begin({}, 0).any() && pool.isolated.begin({}, 0) != isolation::nameless(), "count drift",
         "a number is in use, and nobody uses it");
  expect_idle(pool);
}

/// Two threads take numbers for isolations in each other; there are two. A number has one user at a time, who knows
/// what the one before has done.
void isolation_numbers_of_two() {
  struct shared {
    isolations all;
    int user_of[4] = {};  // one more than there are, and that for the nameless
    void enter_twice() {
      const isolation outer = all.begin({}, 0);
      use(outer);
      const isolation inner = all.begin(outer, 0);
      use(inner);
      if (outer != isolation::nameless() && inner != isolation::nameless()) {
        expect(all.is_inside(inner, outer) && !all.is_inside(outer, inner), "isolation", "which one is inside is lost");
      }
      all.let_go(inner);
      all.let_go(outer);
    }
    void use(isolation i) {
      if (i != isolation::nameless()) {
        ++user_of[i.number()];
      }
    }
  }* const s = new shared;
  on().count_as_state(&s->all, sizeof s->all);
  outside_after_go("first", [s] { s->enter_twice(); });
  outside_after_go("second", [s] { s->enter_twice(); });
  on().go();
  on().until_quiet();
  on().know_everything();
  expect(s->all.begin({}, 0) != isolation::nameless() && s->all.begin({}, 0) != isolation::nameless(), "count drift",
         "a number is in use, and nobody uses it");
}

/// It waits for a job that it may not run, and a spare worker comes for that.
void isolated_and_spare() {
  count_people();
  pool_core& pool = make_pool(1, "worker", 1);
  auto* const done = new core_latch;
  once& older = job_that([&](seat& here) {
    expect(!here.own().isolated_in().any(), "isolation", "a wait inside has run a job from outside");
    if (done->set()) {
      wake_latch_owner(pool.seats[0], &here);
    }
  });
  once& job = job_after_go([&](seat& here) {
    pool.post(older);
    const isolated_stay inside(here);
    wait_until(here, *done, dozer::wait_reason::future, nullptr);
  });
  put_into(pool, job);
  begin(pool);
  rest_then([] {});
  expect(job.ran(), "lost wake-up", "a job is queued, and no thread comes for it");
  expect(deadlocks_reported() == 0 && starvings_reported() == 0, "false deadlock",
         "there is a spare, and it is said that there is none");
  expect_idle(pool);
}

/// It sleeps, and the job that ends its wait is injected.
template <tokens Held>
void isolated_and_injected() {
  count_people();
  pool_core& pool = make_pool(1, "worker", 1);
  held_token<Held> held;
  auto* const done = new core_latch;
  once& releasing = job_that([&](seat& here) {
    expect(!here.own().isolated_in().any(), "isolation", "a wait inside has run a job from outside");
    if (done->set()) {
      wake_latch_owner(pool.seats[0], &here);
    }
  });
  once& job = job_after_go([&](seat& here) {
    const isolated_stay inside(here);
    wait_until(here, *done, dozer::wait_reason::future, nullptr);
  });
  put_into(pool, job);
  outside_after_go("injector", [&] { pool.inject(releasing); });
  begin(pool);
  rest_then([] {});
  expect(job.ran(), "lost wake-up", "a job is queued, and no thread comes for it");
  held.check();
  expect_idle(pool);
}
void isolated_and_injected_beside_others() { isolated_and_injected<tokens::throughout>(); }
void isolated_and_injected_bare() { isolated_and_injected<tokens::none>(); }

/// A thread lets go of an isolation inside another one, and a second thread takes what number it finds free: in the end
/// all are free.
void isolation_numbers() {
  auto& numbers = *new isolations;
  const isolation outer = numbers.begin(isolation(), 0);
  const isolation inner = numbers.begin(outer, 0);
  const auto leave = [&numbers, outer, inner] {
    expect(numbers.is_inside(inner, outer), "isolation", "what was made inside is not");
    numbers.let_go(inner);
    numbers.let_go(outer);
  };
  const auto enter = [&numbers] { numbers.let_go(numbers.begin(isolation(), 0)); };
  new outsider("leaves", leave);
  new outsider("enters", enter);
  on().settle();
  on().go();
  on().until_quiet();
  on().know_everything();
  for (std::uint32_t i = 0; i < max_isolations; ++i) {
    expect(numbers.begin(isolation(), 0) != isolation::nameless(), "isolation", "a number is in use, and by nobody");
  }
}

/// Two threads post in an isolation inside another one, and their jobs are soon through. The inner number is let go of
/// once, and the outer one is in use throughout.
void isolation_numbers_of_posted_jobs() {
  auto& numbers = *new isolations;
  const isolation outer = numbers.begin(isolation(), 0);
  const isolation inner = numbers.begin(outer, 0);
  for (const char* name : {"first", "second"}) {
    outside_after_go(name, [&numbers, inner] {
      numbers.add(inner);
      numbers.let_go(inner);
    });
  }
  on().go();
  on().until_quiet();
  on().know_everything();
  numbers.let_go(inner);
  expect(numbers.begin(isolation(), 0) == inner, "isolation", "a number is in use by nobody, or has two users");
  numbers.let_go(outer);
  expect(numbers.begin(isolation(), 0) == outer, "isolation", "a number is in use by nobody, or has two users");
}

/// A join in an isolation comes back and finds jobs above its own, while an older job stands below the isolation's
/// base. A wait would not get at the forked job any more: it must be taken back.
template <unsigned Posted>
void isolation_with_jobs_left_above() {
  pool_core& pool = make_pool(1);
  bool forked = false;
  const once& owner = put_to_work(pool, [&] {
    dozer::join(
        [&] {
          dozer::isolate([&] {
            dozer::join(
                [] {
                  for (unsigned i = 0; i < Posted; ++i) {
                    dozer::spawn([] {});
                  }
                },
                [&] { forked = true; });
          });
        },
        [] {});
  });
  begin(pool);
  rest_then([] {});
  expect(forked && owner.ran(), "lost latch", "a forked job stands in the own deque, and its join sleeps");
  expect_idle(pool);
}
void isolation_with_a_job_above() { isolation_with_jobs_left_above<1>(); }
void isolation_with_two_jobs_above() { isolation_with_jobs_left_above<2>(); }

/// A job that is posted in an isolation keeps the isolation's number in use, as whoever is inside does: the number goes
/// to no other isolation while one of them is there.
void isolation_keeps_its_number() {
  pool_core& pool = make_pool(2);
  struct shared {
    reported<std::uint32_t> inside{0};  // the number of the first isolation, while its closure runs
  }* const s = new shared;
  put_to_work(pool, [s] {
    dozer::isolate([s] {
      s->inside.set(own_seat().own().isolated_in().number());
      dozer::spawn([] {});
      s->inside.set(0);
    });
  });
  put_to_work(pool, [s] {
    static_cast<void>(dozer::yield_now());
    dozer::isolate([s] {
      dozer::isolate([s] {
        const isolation mine = own_seat().own().isolated_in();
        expect(mine == isolation::nameless() || mine.number() != s->inside.get(), "isolation",
               "two isolations have the same number");
      });
    });
  });
  begin(pool);
  rest_then([] {});
  expect_idle(pool);
}

/// The same while a job runs that was posted in it: the isolation has ended, and what the job forks belongs to it.
void isolation_keeps_its_number_for_a_job() {
  pool_core& pool = make_pool(2);
  auto* const in_the_job = new reported<std::uint32_t>{0};
  put_to_work(pool, [in_the_job] {
    dozer::isolate([in_the_job] {
      dozer::spawn([in_the_job] {
        in_the_job->set(own_seat().own().isolated_in().number());
        dozer::join([] {}, [] {});
        in_the_job->set(0);
      });
    });
  });
  put_to_work(pool, [in_the_job] {
    dozer::isolate([in_the_job] {
      dozer::isolate([in_the_job] {
        const isolation mine = own_seat().own().isolated_in();
        expect(mine == isolation::nameless() || mine.number() != in_the_job->get(), "isolation",
               "an isolation has the number of a job that still runs");
      });
    });
  });
  begin(pool);
  rest_then([] {});
  expect_idle(pool);
}

}  // namespace verify
