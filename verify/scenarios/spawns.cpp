// Spawned jobs: the memory that one leaves to the next, and those that run in order.
#include "scenarios.hpp"
#include "support.hpp"

namespace verify {

namespace {

/// A small closure that knows what it was made with: it goes into the memory of one that has run. Its destructor still
/// reads it.
class remembering {
 public:
  remembering(std::uint32_t value, reported<std::uint32_t>& sum) noexcept : value_(value), sum_(&sum) {}
  remembering(remembering&& other) noexcept : value_(other.value_), sum_(std::exchange(other.sum_, nullptr)) {}
  ~remembering() {
    if (sum_ != nullptr) {
      sum_->set(sum_->get() + 16 * value_);
    }
  }
  void operator()() const { sum_->set(sum_->get() + value_); }

 private:
  std::uint32_t value_;
  reported<std::uint32_t>* sum_;
};

/// Once run and once destroyed.
constexpr std::uint32_t each_of(std::uint32_t values) { return 17 * values; }

}  // namespace

/// A thread of no pool spawns again while the worker that has run the first job leaves its memory to the next.
void spawn_into_memory_left_by_a_worker() {
  pool_core& pool = make_pool(1);
  reported<std::uint32_t> sum{0};
  const auto spawn = [&] {
    spawn_in(pool, false, remembering(1, sum));
    spawn_in(pool, false, remembering(2, sum));
  };
  new outsider("spawner", spawn);
  on().settle();
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(sum.get() == each_of(3), "lost wake-up", "a spawned job was not run, or not destroyed, once");
  expect_idle(pool);
}

/// A worker has run a job, and later a guest: each leaves the memory, so that the next post allocates none.
void spawn_into_memory_that_is_there() {
  pool_core& pool = make_pool(1);
  reported<std::uint32_t> sum{0};
  spawn_in(pool, false, remembering(1, sum));
  on().settle();
  const auto spawn = [&](std::uint32_t value) {
    const std::uint32_t before = on().did(on().self()).allocations;
    spawn_in(pool, false, remembering(value, sum));
    expect(on().did(on().self()).allocations == before || !now_set.costs, "cost of a post",
           "memory is allocated for a job, though another one has left its own");
  };
  begin(pool);
  {
    guest_stay here(pool);
    spawn(2);
    static_cast<void>(dozer::yield_local());
  }
  spawn(4);
  rest_then([&] { expect_work_conserved(pool); });
  expect(sum.get() == each_of(7), "lost wake-up", "a spawned job was not run, or not destroyed, once");
  expect_idle(pool);
}

/// What a post by a member costs while nobody is hungry: one fence for a job that is detached, and none for one of a
/// scope.
void spawn_beside_nobody() {
  pool_core& pool = make_pool(1);
  const auto fences = [] { return on().did(on().self()).fences; };
  const once& poster = put_to_work(pool, [&] {
    std::uint32_t before = fences();
    dozer::spawn([] {});
    expect(fences() - before <= 1, "cost of a post", "more than one fence for a detached job");
    dozer::scope([&](dozer::spawner& s) {
      before = fences();
      s.spawn([] {});
      // Where there is no process fence, every push has a fence.
      expect(!now_set.process_fence || fences() == before, "cost of a post",
             "a fence for a job of a scope, though nobody is hungry");
    });
  });
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(poster.ran(), "lost latch", "all jobs of a scope are done and its owner sleeps");
  expect_idle(pool);
}

/// There is memory for a job, and none for a longer deque: the spawn throws, and the scope does not wait for the job.
void spawn_without_room() {
  struct last_piece {  // of memory: it is made in the job
    last_piece() = default;
    last_piece(last_piece&&) noexcept { on().deny_memory(true); }
    void operator()() const {}
  };
  pool_core& pool = make_pool(1);
  const once& poster = put_to_work(pool, [] {
    dozer::scope([](dozer::spawner& s) {
      bool refused = false;
      for (std::size_t i = 0; i <= deque_start_capacity && !refused; ++i) {
        try {
          s.spawn(last_piece());
        } catch (const std::bad_alloc&) {
          refused = true;
        }
        on().deny_memory(false);
      }
      expect(refused, "set-up", "there was room for all jobs");
    });
  });
  begin(pool);
  rest_then([] {});
  expect(poster.ran(), "lost latch", "a scope waits for a job that it could not spawn");
  expect_idle(pool);
}

/// Two workers have run a job each and leave its memory at the same time, while a third job is spawned.
void spawn_into_memory_left_by_two() {
  pool_core& pool = make_pool(2);
  reported<std::uint32_t> sum{0};
  const auto spawn_one = [&](std::uint32_t value) {
    return [&, value] { spawn_in(pool, false, remembering(value, sum)); };
  };
  // Both have one in their deques, which they run when the set-up is over.
  put_to_work(pool, spawn_one(1));
  put_to_work(pool, spawn_one(2));
  new outsider("spawner", spawn_one(4));
  on().settle();
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(sum.get() == each_of(7), "lost wake-up", "a spawned job was not run, or not destroyed, once");
  expect_idle(pool);
}

/// A guest runs what it has spawned, and leaves the memory at once, while a thread of no pool spawns.
void spawn_into_memory_left_by_a_guest() {
  pool_core& pool = make_pool(1);
  reported<std::uint32_t> sum{0};
  const auto stay = [&] {
    guest_stay here(pool);
    spawn_in(pool, false, remembering(1, sum));
    static_cast<void>(dozer::yield_local());
  };
  const auto spawn = [&] { spawn_in(pool, false, remembering(2, sum)); };
  new outsider("guest", stay);
  new outsider("spawner", spawn);
  on().settle();
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(sum.get() == each_of(3), "lost wake-up", "a spawned job was not run, or not destroyed, once");
  expect_idle(pool);
}

/// One worker alone: what it spawns in order runs in order, and before that what it has spawned otherwise since.
void spawn_in_order_alone() {
  pool_core& pool = make_pool(1);
  std::uint32_t order = 0;
  const auto next = [&order](std::uint32_t digit) { return [&order, digit] { order = 10 * order + digit; }; };
  put_to_work(pool, [&] {
    dozer::spawn(dozer::fifo, next(2));
    dozer::spawn(dozer::fifo, next(3));
    dozer::spawn(next(1));
  });
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(order == 123, "order", "jobs of a line do not run in order");
  expect_idle(pool);
}

/// With a thief that takes entries of the line while its owner adds to it, and takes some itself.
void spawn_in_order_with_a_thief() {
  pool_core& pool = make_pool(2);
  int ran[3] = {};
  put_to_work(pool, [&ran] {
    for (int& times : ran) {
      dozer::spawn(dozer::fifo, [&times] { ++times; });
    }
    static_cast<void>(dozer::yield_local());
  });
  wake_workers(pool, 1);
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  for (const int times : ran) {
    expect(times == 1, "job twice", "a job of a line ran not once");
  }
  expect_idle(pool);
}

/// A scope in order: its owner and a job of it, perhaps in another thread, both spawn. Each has a line of its own.
void scope_in_order_with_two_lines() {
  pool_core& pool = make_pool(2);
  int ran[3] = {};
  const once& owner = put_to_work(pool, [&ran] {
    dozer::scope(dozer::fifo, [&ran](dozer::spawner& s) {
      s.spawn([&ran](dozer::spawner& same) {
        ++ran[0];
        same.spawn([&ran] { ++ran[1]; });
      });
      s.spawn([&ran] { ++ran[2]; });
    });
    for (const int times : ran) {
      expect(times == 1, "job twice", "a job of a scope ran not once");
    }
  });
  wake_workers(pool, 1);
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(owner.ran(), "lost latch", "all jobs of a scope are done and its owner sleeps");
  expect_idle(pool);
}

/// Jobs of a scope throw, in two threads: one of the exceptions leaves, when all have ended.
void scope_whose_jobs_throw() {
  pool_core& pool = make_pool(2);
  reported<std::uint32_t> ran{0};
  const once& owner = put_to_work(pool, [&ran] {
    int thrown = 0;
    try {
      dozer::scope([&ran](dozer::spawner& s) {
        for (const int which : {1, 2}) {
          s.spawn([&ran, which] {
            ran.bump();
            throw which;
          });
        }
      });
    } catch (const int which) {
      thrown = which;
    }
    expect(ran.get() == 2, "lost latch", "a scope ended before its jobs");
    expect(thrown == 1 || thrown == 2, "lost exception", "the exception of a scope's job does not leave it");
  });
  wake_workers(pool, 1);
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(owner.ran(), "lost latch", "all jobs of a scope are done and its owner sleeps");
  expect_idle(pool);
}

/// A worker spawns while no other one is idle: that costs no step of the word that all look at.
void spawned_in_a_busy_pool() {
  pool_core& pool = make_pool(1);
  bool ran = false;
  put_to_work(pool, [&] {
    const std::uint64_t before = on().peek(&pool.sleep);
    dozer::spawn([&ran] { ran = true; });
    expect(on().peek(&pool.sleep) == before, "cost of a post", "work is announced, and no worker is idle");
  });
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(ran, "lost wake-up", "a spawned job was not run");
  expect_idle(pool);
}

/// The closure of a scope throws before its job does: its exception leaves, and not the job's.
void scope_that_throws_first() {
  pool_core& pool = make_pool(1);
  const once& owner = put_to_work(pool, [] {
    int thrown = 0;
    try {
      dozer::scope([](dozer::spawner& s) {
        s.spawn([] { throw 2; });
        throw 1;
      });
    } catch (const int which) {
      thrown = which;
    }
    expect(thrown == 1, "lost exception", "another exception leaves a scope than the first");
  });
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(owner.ran(), "lost latch", "all jobs of a scope are done and its owner sleeps");
  expect_idle(pool);
}

}  // namespace verify
