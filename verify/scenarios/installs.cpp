// The ways of a thread into a pool that it is not in: as a guest, by handing its closure over, and by the global pool.
// And pools that are a limit.
#include "scenarios.hpp"
#include "support.hpp"

#include "../../src/pool/global.hpp"

#include <dozer/sync.hpp>

#include <memory>
#include <tuple>

namespace verify {

/// A worker installs something long into another pool: it helps at home until that is done.
void install_into_another_pool() {
  pool_core& home = make_pool(1, "home");
  dozer::thread_pool& away = make_handle({.threads = 1, .name = "away", .max_spares = 0});
  const once& caller = put_to_work(home, [&away] {
    const auto stay = [] {
      long_leaf();
      return 7;
    };
    expect(away.install(stay) == 7, "latch payload", "a closure was handed over, and its result is lost");
  });
  once injected;
  const auto inject = [&] { home.inject(injected); };
  new outsider("injector", inject);
  on().settle();
  begin(home, core_of(away));
  rest_then([&] { expect(injected.ran(), "lost wake-up", "a worker is long away, and does not help at home"); });
  expect(caller.ran(), "lost latch", "a closure that was handed over is done, and its caller sleeps");
  expect_idle(home);
  expect_idle(core_of(away));
}

/// Two pools of one, whose workers install into each other at the same time: each runs the other's closure in its wait.
void install_crosswise() {
  dozer::thread_pool& left = make_handle({.threads = 1, .name = "left", .max_spares = 0});
  dozer::thread_pool& right = make_handle({.threads = 1, .name = "right", .max_spares = 0});
  int ran[2] = {};
  const once& one = put_to_work(core_of(left), [&] { right.install([&] { ++ran[0]; }); });
  const once& other = put_to_work(core_of(right), [&] { left.install([&] { ++ran[1]; }); });
  begin(core_of(left), core_of(right));
  rest_then([] {});
  expect(one.ran() && other.ran(), "deadlock", "two workers wait for each other, and neither runs the other's closure");
  expect(ran[0] == 1 && ran[1] == 1, "job twice", "a closure that was handed over ran not once");
  expect_idle(core_of(left));
  expect_idle(core_of(right));
}

/// A pool without extra seats: an outside thread borrows the worker's seat if that sleeps, else it hands its closure
/// over. The closure throws.
void install_without_a_seat() {
  dozer::thread_pool& handle = make_handle({.threads = 1, .name = "worker", .max_spares = 0, .extra_guests = 0});
  pool_core& pool = core_of(handle);
  wake_workers(pool, 1);
  bool through = false;
  const auto install = [&] {
    int thrown = 0;
    try {
      handle.install([] { throw 5; });
    } catch (const int what) {
      thrown = what;
    }
    expect(thrown == 5, "lost exception", "the exception of a closure does not come out of install");
    through = true;
  };
  new outsider("caller", install);
  on().settle();
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(through, "lost latch", "a closure that was handed over is done, and its caller sleeps");
  expect_idle(pool);
}

namespace {

/// Bodies of a pool that is a limit.
class bodies_inside {
 public:
  explicit bodies_inside(std::uint32_t most) noexcept : most_(most) {}
  void enter() noexcept {
    inside_.bump();
    expect(inside_.get() <= most_, "limit", "more bodies run at once than the pool has threads");
  }
  void leave() noexcept { inside_.set(inside_.get() - 1); }

 private:
  std::uint32_t most_;
  reported<std::uint32_t> inside_{0};
};

}  // namespace

/// A pool of one that is a limit. Its worker waits for the world outside, and a spare worker runs a job meanwhile. When
/// the wait is over, the worker goes on when the job has ended, and not before.
void limit_with_a_spare() {
  dozer::thread_pool& handle = make_handle({.threads = 1, .name = "worker", .max_spares = 1, .extra_guests = 0});
  pool_core& pool = core_of(handle);
  struct shared {
    dozer::event happened;
    bodies_inside bodies{1};
    bool waited = false;
    bool ran = false;
  }* const s = new shared;
  once waiting([](once& self, seat&) {
    auto& in = *static_cast<shared*>(self.context);
    in.bodies.enter();
    in.bodies.leave();
    in.happened.wait();
    in.bodies.enter();
    in.waited = true;
    in.bodies.leave();
  });
  waiting.context = s;
  pool.inject(waiting);
  on().settle();
  const auto spawn = [&] {
    handle.spawn([s] {
      s->bodies.enter();
      s->happened.set();
      long_leaf();
      s->ran = true;
      s->bodies.leave();
    });
  };
  new outsider("spawner", spawn);
  on().settle();
  begin(pool);
  rest_then([] {});
  expect(s->waited && s->ran, "deadlock", "a body waits for ever for its place");
  expect_idle(pool);
}

/// Two workers in a pool that is a limit. One waits for the world outside, a spare worker runs a long body in its
/// place, and when the wait is over that makes two. An outside thread that borrows the seat of the other worker, which
/// sleeps, must wait until one of them ends.
void limit_with_a_guest() {
  dozer::thread_pool& handle = make_handle({.threads = 2, .name = "worker", .max_spares = 1, .extra_guests = 0});
  pool_core& pool = core_of(handle);
  struct shared {
    dozer::event happened;
    bodies_inside bodies{2};
    void stay() {
      bodies.enter();
      long_leaf();
      bodies.leave();
    }
  }* const s = new shared;
  once waiting([](once& self, seat&) {
    auto& in = *static_cast<shared*>(self.context);
    in.happened.wait();
    in.stay();
  });
  once in_its_place([](once& self, seat&) {
    on().hold_until_go();
    static_cast<shared*>(self.context)->stay();
  });
  waiting.context = in_its_place.context = s;
  wake_workers(pool, 1);
  pool.inject(waiting);
  on().settle();
  pool.inject(in_its_place);
  on().settle();
  bool through = false;
  const auto install = [&] {
    handle.install([s] { s->stay(); });
    through = true;
  };
  const auto set = [s] { s->happened.set(); };
  new outsider("setter", set);
  new outsider("caller", install);
  on().settle();
  begin(pool);
  rest_then([] {});
  expect(through && waiting.ran() && in_its_place.ran(), "deadlock", "a body waits for ever for its place");
  expect_idle(pool);
}

namespace {

/// Makes the global pool and calls `f` in a thread of no pool.
template <class F>
void outside_of_every_pool(F f) {
  pool_core& pool = start_global_pool(1);
  wake_workers(pool, 1);
  bool through = false;
  const auto call = [&] {
    f();
    through = true;
  };
  new outsider("caller", call);
  on().settle();
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(through, "lost latch", "what the caller waits for is done, and it sleeps");
  expect_idle(pool);
}

}  // namespace

/// Two threads use the global pool for the first time: one of them makes it.
void global_pool_made_by_two() {
  count_people();  // so that the registry is of the run
  threads_of_the_program();
  auto& slot = *new global_slot([] { return as_set({.threads = 1, .name = "worker", .max_spares = 0}); });
  pool_core* seen[2] = {};
  for (pool_core*& mine : seen) {
    outside_after_go("user", [&slot, &mine] {
      mine = &core_of(slot.get());
      expect(mine->seats.workers() == 1, "set-up", "the pool is made with other options");
    });
  }
  on().go();
  on().until_quiet();
  on().know_everything();
  expect(seen[0] == seen[1], "place taken", "two global pools are made");
  const auto rmws = [] { return on().did(on().self()).rmws; };
  const std::uint32_t before = rmws();
  static_cast<void>(slot.get());
  expect(rmws() == before, "cost of the global pool", "there is a pool, and a thread takes the lock for it");
}

/// The free functions in a thread of no pool: they go to the global pool, where the caller becomes a guest.
void join_in_the_global_pool() {
  outside_of_every_pool([] {
    const auto [caller, b] = dozer::join([] { return on().self(); }, [] { return 2; });
    expect(caller == on().self(), "guest", "there is a seat, and the caller does not work itself");
    expect(b == 2, "lost latch", "a join has lost a result");
  });
}
void join_of_three_in_the_global_pool() {
  outside_of_every_pool([] {
    expect(dozer::join([] { return 1; }, [] { return 2; }, [] { return 3; }) == std::tuple(1, 2, 3), "lost latch",
           "a join has lost a result");
  });
}
void spawn_into_the_global_pool() {
  outside_of_every_pool([] {
    auto spawned = std::make_unique<int>(0);
    dozer::scope([&](dozer::spawner& s) { s.spawn([&] { ++*spawned; }); });
    expect(*spawned == 1, "lost latch", "a scope ended before its jobs");
    expect(dozer::submit([] { return 4; }).get() == 4, "latch payload", "a future is ready without its value");
  });
}

}  // namespace verify
