// The end of a pool against workers that go to sleep, and against what is still on its way into it.
#include "scenarios.hpp"
#include "support.hpp"

#include <dozer/sync.hpp>

namespace verify {

/// The handle goes while the workers fall asleep.
template <unsigned Workers>
void end_against_sleep() {
  pool_core& pool = make_pool(Workers);
  wake_workers(pool, Workers);
  begin(pool);
  pool.end();
  on().until_quiet();
}
void end_of_one() { end_against_sleep<1>(); }
void end_of_two() { end_against_sleep<2>(); }

namespace {

/// After everything has come to rest.
void expect_pools_freed() {
  std::uint32_t left = 0;
  current_domain().pools.for_each([&](pool_core&) { ++left; });
  expect(left == 0, "leak", "a pool has ended, and nobody has freed it");
}

}  // namespace

/// The whole life of a pool in every interleaving, its start included: the worker waits at the gate, is born asleep,
/// runs a job and ends.
void life_of_a_pool() {
  count_people();  // so that the registry is of the run
  threads_of_the_program();
  on().go();
  bool ran = false;
  {
    dozer::thread_pool pool(as_set({.threads = 1, .name = "worker", .max_spares = 0, .extra_guests = 0}));
    pool.spawn([&ran] { ran = true; });
  }
  expect(ran, "lost wake-up", "the pool ended before its jobs");
  on().until_quiet();
  expect_pools_freed();
}

/// A worker waits for a future for a time, while another one completes it: a latch that nobody sets, since the result
/// was there or the time was up, keeps nothing in memory.
void end_after_a_wait_for_a_time() {
  count_people();
  dozer::thread_pool& handle = make_handle({.threads = 2, .name = "worker", .max_spares = 0});
  pool_core& pool = core_of(handle);
  dozer::future<void> awaited = handle.submit([] { on().hold_until_go(); });
  on().settle();
  handle.spawn([&awaited] {
    on().hold_until_go();
    static_cast<void>(awaited.wait_for(std::chrono::seconds(1)));
    awaited = {};
  });
  on().settle();
  begin(pool);
  pool.end();
  expect_all_ended();
  expect_pools_freed();
}

/// Two threads post by one door at the same time, then the handle goes: both jobs are counted. The worker is busy
/// meanwhile.
void end_after_two_posters() {
  pool_core& pool = make_pool(1);
  gate posted, over;
  tally ran;
  put_into(pool, job_that([&] { over.wait(); }));
  outside_after_go("poster", [&] {
    spawn_in(pool, false, [&] { ran.add(); });
    posted.open();
  });
  begin(pool);
  spawn_in(pool, false, [&] { ran.add(); });
  posted.wait();
  over.open();
  pool.end();
  on().until_quiet();
  on().know_everything();
  expect(ran.now() == 2, "lost wake-up", "the pool ended before its jobs");
  expect(on().has_finished(1), "deadlock", "a worker goes on though its pool has ended");
}

/// A job comes when the pool has ended, from a worker that is about to go: its caller is told.
void end_and_a_late_job() {
  static pool_core* late;
  struct shared {
    tally told, ran;
  };
  static shared* s;
  s = new shared;
  dozer::pool_options options = usual_options(1);
  options.on_thread_exit = [](unsigned) {
    try {
      spawn_in(*late, false, [] { s->ran.add(); });
    } catch (const std::runtime_error&) {
      s->told.add();
    }
  };
  late = &make_pool(options);
  begin(*late);
  late->end();
  on().until_quiet();
  on().know_everything();
  expect(s->told.now() == 1 && s->ran.now() == 0, "lost job", "a job comes too late, and its caller is not told");
}

/// A detached job posts another while the handle goes: both run before the workers stop.
void end_with_jobs_on_the_way() {
  pool_core& pool = make_pool(1);
  wake_workers(pool, 1);
  struct shared {
    pool_core& pool;
    once* second;
    bool ran = false;
  } s{pool, new once([](once& self, seat&) { *static_cast<bool*>(self.context) = true; }, &pool)};
  s.second->context = &s.ran;
  once first(
      [](once& self, seat&) {
        auto& in = *static_cast<shared*>(self.context);
        in.pool.post(*in.second);
      },
      &pool);
  first.context = &s;
  pool.hold();  // the job's, which spawn takes
  const auto post = [&] { pool.inject(first); };
  new outsider("poster", post);
  on().settle();
  begin(pool);
  pool.end();
  on().until_quiet();
  on().know_everything();
  expect(first.ran() && s.ran, "lost wake-up", "the pool ended before its jobs");
}

/// The handle is destroyed by one of the pool's own workers: it does not wait, and the last one frees the pool.
void end_by_its_own_worker() {
  pool_core& pool = make_pool(2);
  pool.hold();
  struct shared {
    pool_core& pool;
    bool ended = false;
  } s{pool};
  once last(
      [](once& self, seat&) {
        auto& in = *static_cast<shared*>(self.context);
        on().hold_until_go();
        in.pool.end();
        in.ended = true;
      },
      &pool);
  last.context = &s;
  pool.inject(last);
  on().settle();
  wake_workers(pool, 1);
  begin(pool);
  on().until_quiet();
  on().know_everything();
  expect(s.ended, "deadlock", "the end of a pool by its own worker hangs");
  expect(on().has_finished(1) && on().has_finished(2), "deadlock", "a worker goes on though its pool has ended");
}

/// A worker of another pool hands a closure over, and the pool ends as soon as that has run, perhaps before the worker
/// waits for it.
void end_after_an_install() {
  pool_core& home = make_pool(1, "home");
  dozer::thread_pool& away = make_handle({.threads = 1, .name = "away", .max_spares = 0});
  auto& has_run = *new gate;
  wake_workers(core_of(away), 1);
  const once& caller = put_to_work(home, [&] { away.install([&] { has_run.open(); }); });
  begin(home, core_of(away));
  has_run.wait();
  core_of(away).end();
  on().until_quiet();
  on().know_everything();
  expect(caller.ran(), "lost latch", "a closure that was handed over is done, and its caller sleeps");
  expect_idle(home);
}

/// An outsider broadcasts, and the pool ends as soon as all have answered, perhaps before the last wake is sent.
void end_after_the_answers() {
  dozer::thread_pool& handle = make_handle({.threads = 2, .name = "worker", .max_spares = 0});
  auto& all_have_answered = *new gate;
  auto& answers = *new atomic<int>(0);
  wake_workers(core_of(handle), 2);
  const auto broadcast = [&] {
    handle.broadcast([&](dozer::broadcast_context) {
      if (answers.fetch_add(1, acq_rel) == 1) {
        all_have_answered.open();
      }
    });
  };
  new outsider("outsider", broadcast);
  on().settle();
  begin(core_of(handle));
  all_have_answered.wait();
  core_of(handle).end();
  on().until_quiet();
  on().know_everything();
  expect(answers.load(relaxed) == 2, "lost job", "a broadcast was not answered");
}

/// The last job of a pool broadcasts while the handle goes: the pool lasts until all have answered.
void end_with_a_broadcast() {
  dozer::thread_pool& handle = make_handle({.threads = 2, .name = "worker", .max_spares = 0});
  int answers[2] = {};
  bool answered = false;
  handle.spawn([&] {
    on().hold_until_go();
    dozer::broadcast([&](dozer::broadcast_context here) { ++answers[here.index()]; });
    answered = true;
  });
  on().settle();
  begin(core_of(handle));
  core_of(handle).end();
  on().until_quiet();
  on().know_everything();
  expect(answered && answers[0] == 1 && answers[1] == 1, "lost wake-up",
         "the pool ended before a broadcast of its job");
}

namespace {

/// For the registry, which never looks into a pool.
struct stand_in {
  [[nodiscard]] pool_core& as_pool() noexcept { return *reinterpret_cast<pool_core*>(this); }
  static stand_in& of(pool_core& pool) noexcept { return *reinterpret_cast<stand_in*>(&pool); }
  alignas(pool_core) bool alive = true;
};

}  // namespace

/// A pool is taken out of the registry while another thread looks at it, and its entry goes to the next one.
void registry_against_a_look() {
  struct shared {
    pool_registry all;
    stand_in first, second;
  };
  auto& s = *new shared;
  pool_registry::entry& of_first = s.all.reserve();
  pool_registry::show(of_first, s.first.as_pool());
  const auto look = [&s] {
    s.all.for_each([](pool_core& pool) {
      expect(stand_in::of(pool).alive, "use after free", "a pool is looked at that was taken out");
    });
  };
  const auto remove_first = [&s, &of_first] {
    pool_registry::remove(of_first);
    s.first.alive = false;
  };
  new outsider("looker", look);
  new outsider("remover", remove_first);
  on().settle();
  on().go();
  pool_registry::entry& of_second = s.all.reserve();
  pool_registry::show(of_second, s.second.as_pool());
  pool_registry::remove(of_second);
  s.second.alive = false;
  on().until_quiet();
  on().know_everything();
  expect(!s.first.alive, "deadlock", "a pool waits for ever to be taken out");
}

/// Two threads look while a pool is taken out.
void registry_against_two_looks() {
  struct shared {
    pool_registry all;
    stand_in only;
    bool removed = false;
  };
  auto& s = *new shared;
  pool_registry::entry& entry = s.all.reserve();
  pool_registry::show(entry, s.only.as_pool());
  for (const char* name : {"first", "second"}) {
    outside_after_go(name, [&s] {
      s.all.for_each([](pool_core& pool) {
        expect(stand_in::of(pool).alive, "use after free", "a pool is looked at that was taken out");
      });
    });
  }
  on().go();
  pool_registry::remove(entry);
  s.only.alive = false;
  s.removed = true;
  on().until_quiet();
  on().know_everything();
  expect(s.removed, "deadlock", "a pool waits for ever to be taken out");
}

/// A pool is taken out, and its entry goes to another one. Who looks at that one does so until the first is out: they
/// have nothing to do with each other.
void registry_of_another() {
  struct shared {
    pool_registry all;
    stand_in first, second;
    gate is_out;
  };
  auto& s = *new shared;
  pool_registry::entry& of_first = s.all.reserve();
  pool_registry::show(of_first, s.first.as_pool());
  outside_after_go("looker", [&s] {
    s.all.for_each([&](pool_core& pool) {
      if (&stand_in::of(pool) == &s.second) {
        s.is_out.wait();
      }
    });
  });
  outside_after_go("maker", [&s] { pool_registry::show(s.all.reserve(), s.second.as_pool()); });
  on().go();
  pool_registry::remove(of_first);
  s.is_out.open();
  on().until_quiet();
}

/// Two pools are made at once, and one entry is free: each has one of its own, and is found. Who looks meanwhile finds
/// them made, and wakes no thread: none waits for it.
void registry_for_two() {
  struct shared {
    pool_registry all;
    stand_in pools[2] = {{false}, {false}};
    pool_registry::entry* entries[2] = {};
    void make(int which) {
      pools[which].alive = true;
      entries[which] = &all.reserve();
      pool_registry::show(*entries[which], pools[which].as_pool());
    }
    std::uint32_t look() {
      std::uint32_t found = 0;
      all.for_each([&](pool_core& pool) {
        expect(stand_in::of(pool).alive, "race", "a pool is shown before it is made");
        ++found;
      });
      expect(on().did(on().self()).wakes == 0, "needless wake", "who looks wakes a thread that does not wait for it");
      return found;
    }
  };
  auto& s = *new shared;
  pool_registry::entry& free = s.all.reserve();
  pool_registry::remove(free);
  outside_after_go("first", [&s] { s.make(0); });
  outside_after_go("second", [&s] { s.make(1); });
  on().go();
  s.look();
  on().until_quiet();
  on().know_everything();
  expect(s.entries[0] != s.entries[1], "place taken", "two pools have one entry");
  expect(s.entries[0] == &free || s.entries[1] == &free, "leak", "the entry of a pool that is gone is not used again");
  expect(s.look() == 2, "place taken", "a pool is in no list");
}

/// The same, and no entry is free.
void registry_grows_for_two() {
  struct shared {
    pool_registry all;
    stand_in pools[2];
  };
  auto& s = *new shared;
  outside_after_go("first", [&s] { pool_registry::show(s.all.reserve(), s.pools[0].as_pool()); });
  outside_after_go("second", [&s] { pool_registry::show(s.all.reserve(), s.pools[1].as_pool()); });
  on().go();
  on().until_quiet();
  on().know_everything();
  std::uint32_t found = 0;
  s.all.for_each([&](pool_core&) { ++found; });
  expect(found == 2, "place taken", "a pool is in no list");
}

/// The handle goes while the worker runs spawned jobs, one after the other: it lets go of them all.
void end_with_spawned_jobs() {
  pool_core& pool = make_pool(1);
  begin(pool);
  int ran = 0;
  for (int i = 0; i < 2; ++i) {
    spawn_in(pool, false, [&ran] { ++ran; });
  }
  pool.end();
  on().until_quiet();
  on().know_everything();
  expect(on().has_finished(1), "deadlock", "a worker goes on though its pool has ended");
  expect(ran == 2, "lost wake-up", "the pool ended before its jobs");
}

/// The handle goes as soon as the job has run. Its poster may still be inside, and leaves by a door that is shut.
void end_with_a_poster_inside() {
  pool_core& pool = make_pool(1);
  atomic<std::uint32_t> ran{0};
  once last(
      [](once& self, seat&) {
        auto& flag = *static_cast<atomic<std::uint32_t>*>(self.context);
        flag.store(1, release);
        unpark_one(&flag, channel::first);
      },
      &pool);
  last.context = &ran;
  const auto post = [&] { pool.post(last); };
  new outsider("poster", post);
  on().settle();
  begin(pool);
  while (ran.load(acquire) == 0) {
    park(ran, 0, channel::first);
  }
  pool.end();
  on().until_quiet();
  on().know_everything();
  expect(on().has_finished(1), "deadlock", "a worker goes on though its pool has ended");
}

/// The handle goes while a spare is idle, or, if its time is up, about to leave.
template <unsigned Spares>
void end_beside_idle_spares() {
  count_people();
  pool_core& pool = make_pool(1, "worker", Spares);
  gate worlds[Spares];
  for (gate& world : worlds) {  // the second one comes to the first spare
    spawn_in(pool, false, [&] { dozer::blocking([&] { world.wait(); }); });
    on().settle();
  }
  if (now_set.never) {  // else they would be gone before go()
    for (gate& world : worlds) {
      world.open();
      on().settle();
    }
  }
  begin(pool);
  for (gate& world : worlds) {
    world.open();
  }
  pool.end();
  expect_all_ended();
}
void end_with_an_idle_spare() { end_beside_idle_spares<1>(); }
void end_with_two_idle_spares() { end_beside_idle_spares<2>(); }

/// The handle goes while a worker blocks, and its spare comes, works, or is dismissed.
template <bool Already>
void end_beside_a_spare() {
  count_people();
  pool_core& pool = make_pool(1, "worker", 1);
  gate world;
  bool ran = false;
  spawn_in(pool, false, [&] {
    if (!Already) {
      on().hold_until_go();
    }
    dozer::blocking([&] { world.wait(); });
    ran = true;
  });
  on().settle();
  outside_after_go("world", [&] { world.open(); });
  begin(pool);
  pool.end();
  expect(ran, "lost wake-up", "the pool ended before its jobs");
  expect_all_ended();
}
void end_with_a_busy_spare() { end_beside_a_spare<true>(); }
void end_with_a_spare_being_called() { end_beside_a_spare<false>(); }

/// The handle is destroyed by a job that a spare runs.
void end_by_its_own_spare() {
  count_people();
  pool_core& pool = make_pool(1, "worker", 1);
  gate world;
  bool ended = false;
  spawn_in(pool, false, [&] { dozer::blocking([&] { world.wait(); }); });
  on().settle();
  spawn_in(pool, false, [&] {
    on().hold_until_go();
    pool.end();
    ended = true;
    world.open();
  });
  on().settle();
  begin(pool);
  on().until_quiet();
  on().know_everything();
  expect(ended, "deadlock", "the end of a pool by its own spare hangs");
  expect_all_ended();
}

/// The reporter has seen a job, and is about to call a spare for it. Meanwhile the job has run, and the handle goes.
void end_beside_a_spare_for_nothing() {
  count_people();
  pool_core& pool = make_pool(1, "worker", 1);
  gate over;
  bool ran = false;
  spawn_in(pool, false, [&] {
    dozer::spawn([&] { ran = true; });
    over.wait();
  });
  on().settle();
  outside_at_once("reporter", [] {  // as domain::start_spares
    current_domain().pools.for_each([](pool_core& each) {
      if (each.sleep.jobs_in_sight()) {
        on().hold_until_go();
        static_cast<void>(each.spare_workers.run_what_is_left());
      }
    });
  });
  over.open();
  on().settle();
  expect(ran, "set-up", "the job has not run");
  begin(pool);
  pool.end();
  expect_all_ended();
}

/// A worker of one pool ends the other, which still has a job: it helps at home meanwhile.
void end_by_a_worker_of_another_pool() {
  count_people();
  pool_core& home = make_pool(1, "home");
  pool_core& other = make_pool(1, "other");
  bool helped = false, ended = false;
  spawn_in(other, false, [&] {
    on().hold_until_go();
    const auto f = [&] { helped = true; };
    hand_over<decltype(f)&>(home, f);
  });
  on().settle();
  put_into(home, job_after_go([&] {
             other.end();
             ended = true;
           }));
  begin(home, other);
  on().until_quiet();
  on().know_everything();
  expect(helped && ended, "deadlock", "the end of a pool by a worker of another hangs");
  expect(deadlocks_reported() == 0, "false deadlock", "a deadlock is reported, and it is none");
  expect_idle(home);
}

/// The same with a pool of two that has nothing to do: the last of its workers says that it has ended.
void end_of_two_by_a_worker_of_another_pool() {
  count_people();
  pool_core& home = make_pool(1, "home");
  pool_core& other = make_pool(2, "other");
  bool ended = false;
  put_into(home, job_after_go([&] {
             other.end();
             ended = true;
           }));
  begin(home, other);
  on().until_quiet();
  on().know_everything();
  expect(ended, "deadlock", "the end of a pool by a worker of another hangs");
  expect(deadlocks_reported() == 0, "false deadlock", "a deadlock is reported, and it is none");
  expect_idle(home);
}

/// The same with a guest in the other pool, which is the last to let go of it: it counts until it has told the workers.
void end_by_a_worker_of_another_pool_around_a_guest() {
  count_people();
  pool_core& home = make_pool(1, "home");
  pool_core& other = make_pool(1, "other");
  bool ended = false;
  outside_at_once("guest", [&] {
    const guest_stay here(other);
    on().hold_until_go();
  });
  put_into(home, job_after_go([&] {
             other.end();
             ended = true;
           }));
  begin(home, other);
  on().until_quiet();
  on().know_everything();
  expect(ended, "deadlock", "the end of a pool by a worker of another hangs");
  expect(deadlocks_reported() == 0, "false deadlock", "a deadlock is reported, and it is none");
  expect_idle(home);
}

/// The same with a spare, which calls for the worker of the first pool on its way out: that one helps until all spares
/// are gone.
void end_by_a_worker_of_another_pool_beside_a_spare() {
  count_people();
  dozer::thread_pool& home = make_handle(usual_options(1, "home"));
  dozer::pool_options options = usual_options(1, "other", 1);
  tally helped;
  options.on_thread_exit = [&](unsigned index) {
    if (index != 0) {
      home.submit([&] { helped.add(); }).get();
    }
  };
  pool_core& other = make_pool(options);
  gate world;
  bool ended = false;
  spawn_in(other, false, [&] { dozer::blocking([&] { world.wait(); }); });
  on().settle();
  put_into(core_of(home), job_after_go([&] {
             world.open();
             other.end();
             ended = true;
           }));
  begin(core_of(home), other);
  on().until_quiet();
  on().know_everything();
  expect(helped.now() == 1 && ended, "deadlock", "the end of a pool by a worker of another hangs");
  expect(deadlocks_reported() == 0, "false deadlock", "a deadlock is reported, and it is none");
  expect_idle(core_of(home));
}

namespace {

/// Part of a closure that belongs to a pool. When it dies with the pool, it sets an event.
struct sets_at_the_end {
  struct shared {
    dozer::event over{dozer::wait_kind::pool};
    bool pool_is_made = false;
  };
  explicit sets_at_the_end(shared& all) noexcept : s(&all) {}
  sets_at_the_end(const sets_at_the_end&) = default;
  sets_at_the_end& operator=(const sets_at_the_end&) = delete;
  ~sets_at_the_end() {
    if (s->pool_is_made) {
      s->over.set();
    }
  }
  shared* s;
};

pool_core& make_pool_that_sets(sets_at_the_end::shared& s) {
  dozer::pool_options options = usual_options(1, "other");
  options.on_thread_start = [set = sets_at_the_end(s)](unsigned) { static_cast<void>(set); };
  return make_pool(options);
}

}  // namespace

/// The pool is ended by its own worker, which frees it, and its closures with it. A worker of another pool waits for
/// what one of them does then: that is no deadlock.
void end_by_its_own_worker_sets_an_event() {
  count_people();
  pool_core& home = make_pool(1, "home");
  auto& s = *new sets_at_the_end::shared;
  pool_core& other = make_pool_that_sets(s);
  s.pool_is_made = true;
  spawn_in(other, false, [&] {
    on().hold_until_go();
    other.end();
  });
  on().settle();
  once& waiting = job_that([&] { s.over.wait(); });
  put_into(home, waiting);
  begin(home, other);
  on().until_quiet();
  on().know_everything();
  expect(s.over.is_set(), "leak", "a pool has ended, and its closures are still there");
  expect(deadlocks_reported() == 0, "false deadlock", "a deadlock is reported, and it is none");
  expect_idle(home);
}

/// A pool ends while another thread looks at all pools, as a report does.
void end_against_a_look() {
  count_people();
  pool_core& pool = make_pool(1);
  wake_workers(pool, 1);
  domain& all = current_domain();
  outside_after_go("looker", [&] {
    all.pools.for_each([](pool_core& each) {
      for (std::uint32_t i = 0; i < each.seats.bound(); ++i) {
        static_cast<void>(each.seats[i].others().count());
      }
    });
  });
  begin(pool);
  pool.end();
  expect_all_ended();
}

}  // namespace verify
