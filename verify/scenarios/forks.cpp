// Work conservation for each way to put a job into one's own deque, or into a scope from elsewhere. The forker stays in
// a long leaf: another worker, which is about to sleep, sleeps, or leaves the search for another job, must come.
#include "scenarios.hpp"
#include "support.hpp"

namespace verify {

namespace {

// The ways. Each calls `stay` in the calling thread, and puts `forked` where others find it.

constexpr auto by_join = [](auto stay, auto forked) { dozer::join(stay, forked); };
constexpr auto by_join_context = [](auto stay, auto forked) {
  dozer::join_context([&](dozer::fork_context) { stay(); }, [&](dozer::fork_context) { forked(); });
};
/// The last closure is the oldest job in the deque, the second one stands on top.
constexpr auto by_join_of_three = [](auto stay, auto forked) {
  dozer::join(
      stay, [] {}, forked);
};
constexpr auto by_isolated_join = [](auto stay, auto forked) { dozer::isolate([&] { dozer::join(stay, forked); }); };
constexpr auto by_isolated_join_of_three = [](auto stay, auto forked) {
  dozer::isolate([&] { dozer::join(stay, forked, [] {}); });
};
constexpr auto by_scope = [](auto stay, auto forked) {
  dozer::scope([&](dozer::spawner& s) {
    s.spawn(forked);
    stay();
  });
};
constexpr auto by_scope_in_order = [](auto stay, auto forked) {
  dozer::scope(dozer::fifo, [&](dozer::spawner& s) {
    s.spawn(forked);
    stay();
  });
};
constexpr auto by_spawn = [](auto stay, auto forked) {
  dozer::spawn(forked);
  stay();
};
constexpr auto by_spawn_in_order = [](auto stay, auto forked) {
  dozer::spawn(dozer::fifo, forked);
  stay();
};
constexpr auto by_submit = [](auto stay, auto forked) {
  dozer::future<void> result = dozer::submit(forked);
  stay();
  result.get();
};
constexpr auto by_loop = [](auto stay, auto forked) {
  dozer::parallel_for(0, 2, [&](int i) { i == 0 ? stay() : forked(); });
};
constexpr auto by_isolated_scope = [](auto stay, auto forked) { dozer::isolate([&] { by_scope(stay, forked); }); };
constexpr auto by_isolated_loop = [](auto stay, auto forked) { dozer::isolate([&] { by_loop(stay, forked); }); };

void expect_forked(pool_core& pool, bool forked_ran) {
  expect_work_conserved(pool);
  expect(forked_ran, "lost wake-up", "a forked job was not run while its forker was long in a leaf");
}

/// How often each iteration has begun. Plain memory: one that runs twice at once is a race.
template <int Count>
struct begun_iterations {
  int times[Count] = {};

  void expect_once_each(pool_core& pool) const {
    expect_work_conserved(pool);
    for (const int each : times) {
      expect(each >= 1, "lost wake-up", "an iteration has not begun while another one was long in a leaf");
      expect(each <= 1, "job twice", "an iteration ran twice");
    }
  }
};

/// Two workers: one forks and stays in its leaf, the other one goes to sleep meanwhile, or sleeps already.
template <class Fork>
void beside_one(Fork fork) {
  pool_core& pool = make_pool(2);
  bool ran = false;
  const once& forker = put_to_work(pool, [&ran, fork] { fork([] { long_leaf(); }, [&ran] { ran = true; }); });
  wake_workers(pool, 1);
  begin(pool);
  rest_then([&] { expect_forked(pool, ran); });
  expect(forker.ran(), "lost latch", "what the forker waits for is done, and it sleeps");
  expect_idle(pool);
}

/// Three workers, one of them asleep. Two forks, and the first job is a long leaf as well: the worker that takes it
/// leaves the search, and the third must come for the other.
template <class Fork>
void beside_two(Fork fork) {
  pool_core& pool = make_pool(3);
  bool ran = false;
  const once& forker = put_to_work(pool, [&ran, fork] {
    fork([&ran, fork] { fork([] { long_leaf(); }, [&ran] { ran = true; }); }, [] { long_leaf(); });
  });
  wake_workers(pool, 1);
  begin(pool);
  rest_then([&] { expect_forked(pool, ran); });
  expect(forker.ran(), "lost latch", "what the forker waits for is done, and it sleeps");
  expect_idle(pool);
}

/// A scope whose owner is long in a leaf, inside it. `elsewhere` gets the spawner.
template <class Elsewhere>
void spawn_into_a_scope(pool_core& pool, Elsewhere elsewhere) {
  dozer::spawner* spawner = nullptr;
  bool ran = false;
  once owner([](once& self, seat&) {
    dozer::scope([&](dozer::spawner& s) {
      *static_cast<dozer::spawner**>(self.context) = &s;
      on().hold_until_go();
      long_leaf();
    });
  });
  owner.context = &spawner;
  pool.inject(owner);
  on().settle();
  wake_workers(pool, 1);
  const auto spawn = [&] { spawner->spawn([&ran] { ran = true; }); };
  elsewhere(spawn);
  begin(pool);
  rest_then([&] { expect_forked(pool, ran); });
  expect(owner.ran(), "lost latch", "all jobs of a scope are done and its owner sleeps");
  expect_idle(pool);
}

}  // namespace

void leaf_join() { beside_one(by_join); }
void leaf_join_3() { beside_two(by_join); }
void leaf_join_context() { beside_one(by_join_context); }
void leaf_many() { beside_one(by_join_of_three); }
void leaf_many_3() { beside_two(by_join_of_three); }
void leaf_isolated() { beside_one(by_isolated_join); }
void leaf_isolated_3() { beside_two(by_isolated_join); }
void leaf_isolated_many() { beside_one(by_isolated_join_of_three); }
void leaf_scope() { beside_one(by_scope); }
void leaf_scope_3() { beside_two(by_scope); }
void leaf_scope_fifo() { beside_one(by_scope_in_order); }
void leaf_scope_fifo_3() { beside_two(by_scope_in_order); }
void leaf_spawn() { beside_one(by_spawn); }
void leaf_spawn_3() { beside_two(by_spawn); }
void leaf_spawn_fifo() { beside_one(by_spawn_in_order); }
void leaf_spawn_fifo_3() { beside_two(by_spawn_in_order); }
void leaf_submit() { beside_one(by_submit); }
void leaf_loop() { beside_one(by_loop); }
void leaf_loop_3() { beside_two(by_loop); }
void leaf_isolated_scope() { beside_one(by_isolated_scope); }
void leaf_isolated_scope_3() { beside_two(by_isolated_scope); }
void leaf_isolated_loop() { beside_one(by_isolated_loop); }
void leaf_isolated_loop_3() { beside_two(by_isolated_loop); }

namespace {

/// Three workers: one forks and stays in its leaf, the others go to sleep meanwhile, or sleep already, and a job comes
/// from outside.
void leaf_beside_an_injector(unsigned awake) {
  pool_core& pool = make_pool(3);
  bool ran = false;
  const once& forker = put_to_work(pool, [&ran] { dozer::join([] { long_leaf(); }, [&ran] { ran = true; }); });
  wake_workers(pool, awake);
  once injected;
  const auto inject = [&] { pool.inject(injected); };
  new outsider("injector", inject);
  on().settle();
  begin(pool);
  rest_then([&] {
    expect_forked(pool, ran);
    expect(injected.ran(), "lost wake-up", "an injected job was not run");
  });
  expect(forker.ran(), "lost latch", "what the forker waits for is done, and it sleeps");
  expect_idle(pool);
}

}  // namespace

void leaf_join_and_injector() { leaf_beside_an_injector(2); }
void leaf_join_and_injector_one_asleep() { leaf_beside_an_injector(1); }

/// A thread of no pool spawns into the scope: its job comes by the injector.
void leaf_scope_from_outside() {
  pool_core& pool = make_pool(2);
  spawn_into_a_scope(pool, [](auto spawn) {
    new outsider("outsider", spawn);
    on().settle();
  });
}

/// So does a member of another pool.
void leaf_scope_from_another_pool() {
  pool_core& other = make_pool(1, "other");
  pool_core& pool = make_pool(2);
  spawn_into_a_scope(pool, [&other](auto spawn) { put_to_work(other, spawn); });
  expect_idle(other);
}

/// Three workers, two of them asleep, and a join of three: two jobs at once, each of them long, and for both somebody
/// must come. Where nobody was up, both are woken before the forker goes on with its own closure.
template <bool Awake>
void batch_of_two() {
  pool_core& pool = make_pool(3);
  reported<std::uint32_t> begun{0};
  const auto stay = [&begun] {
    begun.bump();
    long_leaf();
  };
  const auto fork = [&] {
    const auto first = [&] {
      for (std::uint32_t i = 0; i < pool.seats.workers(); ++i) {
        const parked state(static_cast<std::uint32_t>(on().peek(&pool.seats[i].parker)));
        expect(Awake || state.at() != parked::asleep, "slow start",
               "two jobs were forked at once beside two sleepers, and one of them was not woken");
      }
      stay();
    };
    dozer::join(first, stay, stay);
  };
  const once& forker = put_to_work(pool, fork);
  if (Awake) {
    wake_workers(pool, 1);
  }
  begin(pool);
  rest_then([&] {
    expect_work_conserved(pool);
    expect(begun.get() == 3, "lost wake-up", "two jobs were forked at once, and not both have begun");
  });
  expect(forker.ran(), "lost latch", "what the forker waits for is done, and it sleeps");
  expect_idle(pool);
}
void batch_asleep() { batch_of_two<false>(); }
void batch_one_awake() { batch_of_two<true>(); }

/// The same with a scope that spawns two jobs, one after the other.
void batch_scope() {
  pool_core& pool = make_pool(3);
  reported<std::uint32_t> begun{0};
  const auto fork = [&begun] {
    const auto stay = [&begun] {
      begun.bump();
      long_leaf();
    };
    dozer::scope([&](dozer::spawner& s) {
      s.spawn(stay);
      s.spawn(stay);
      stay();
    });
  };
  const once& forker = put_to_work(pool, fork);
  begin(pool);
  rest_then([&] {
    expect_work_conserved(pool);
    expect(begun.get() == 3, "lost wake-up", "a scope has spawned two jobs, and not both have begun");
  });
  expect(forker.ran(), "lost latch", "all jobs of a scope are done and its owner sleeps");
  expect_idle(pool);
}

namespace {

/// A thread of no pool runs its loop as a guest, and one iteration is long.
template <int Count, int Long>
void guests_loop() {
  dozer::thread_pool& handle = make_handle({.threads = 2, .name = "worker", .max_spares = 0});
  pool_core& pool = core_of(handle);
  wake_workers(pool, 1);
  begun_iterations<Count> begun;
  bool through = false;
  const auto run = [&] {
    handle.install([&begun] {
      dozer::parallel_for(0, Count, [&begun](int i) {
        ++begun.times[i];
        if (i == Long) {
          long_leaf();
        }
      });
    });
    through = true;
  };
  new outsider("caller", run);
  on().settle();
  begin(pool);
  rest_then([&] { begun.expect_once_each(pool); });
  expect(through, "lost latch", "a loop has not returned");
  expect_idle(pool);
}

/// The iteration before the long one ends when all others have come to rest, and sees that: so the look after it finds
/// somebody hungry, and what is left of its block is shared.
template <int Count, int Long>
void long_after_a_rest() {
  pool_core& pool = make_pool(2);
  begun_iterations<Count> begun;
  const once& caller = put_to_work(pool, [&begun] {
    dozer::parallel_for(0, Count, [&begun](int i) {
      ++begun.times[i];
      if (i == Long - 1) {
        on().until_quiet(0);
        on().know_everything();
      } else if (i == Long) {
        long_leaf();
      }
    });
  });
  wake_workers(pool, 1);
  begin(pool);
  rest_then([&] { begun.expect_once_each(pool); });
  expect(caller.ran(), "lost latch", "a loop has not returned");
  expect_idle(pool);
}

}  // namespace

void leaf_loop_from_outside() { guests_loop<3, 0>(); }
void leaf_loop_from_outside_second() { guests_loop<4, 1>(); }
/// Its last three iterations may be one block.
void leaf_block() { long_after_a_rest<6, 4>(); }
/// Its first iteration runs before the rest is forked.
void leaf_loop_alone() { long_after_a_rest<7, 1>(); }

}  // namespace verify
