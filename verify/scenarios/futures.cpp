// Futures: continuations that are attached while the job completes, futures that are dropped, exceptions that come late
// or that nobody takes.
#include "scenarios.hpp"
#include "support.hpp"

namespace verify {

namespace {

/// Runs `ask` in a thread of no pool, against a worker that is about to look for work.
template <class Ask>
void ask_from_outside(dozer::thread_pool& handle, Ask ask) {
  pool_core& pool = core_of(handle);
  wake_workers(pool, 1);
  bool through = false;
  const auto run = [&] {
    ask(handle);
    through = true;
  };
  new outsider("asker", run);
  on().settle();
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(through, "lost latch", "a future is ready and who waits for it sleeps");
  expect_idle(pool);
}

dozer::thread_pool& make_pool_of_one(std::function<void(std::exception_ptr)> on_unhandled = {}) {
  return make_handle({.threads = 1, .name = "worker", .on_unhandled = std::move(on_unhandled), .max_spares = 0});
}

}  // namespace

/// The continuation is attached before, while, or after the job completes: it runs once, with the value.
void then_while_it_completes() {
  ask_from_outside(make_pool_of_one(), [](dozer::thread_pool& pool) {
    auto value = std::make_unique<int>(3);
    const int got = pool.submit([&value] { return std::move(value); })
                        .then([](std::unique_ptr<int> mine) { return 2 * *mine; })
                        .get();
    expect(got == 6, "latch payload", "a continuation has not got the value");
  });
}

/// Nobody asks for the result of the continuation: it runs all the same, and before the pool ends.
void then_at_the_end() {
  dozer::thread_pool& handle = make_pool_of_one();
  pool_core& pool = core_of(handle);
  int got = 0;
  begin(pool);
  static_cast<void>(handle.submit([] { return 3; }).then([&got](int value) { got = value; }));
  pool.end();
  on().until_quiet();
  on().know_everything();
  expect(got == 3, "lost job", "a pool has ended before a continuation");
  expect(on().has_finished(1), "deadlock", "a worker goes on though its pool has ended");
}

/// A continuation is attached, to a future that is ready, while the handle goes: it runs before the pool ends, or the
/// caller is told that it comes too late.
void then_against_the_end() {
  dozer::thread_pool& handle = make_pool_of_one();
  pool_core& pool = core_of(handle);
  dozer::future<int> ready = handle.submit([] { return 3; });
  on().settle();
  struct shared {
    reported<bool> too_late{false};
    int got = 0;
  }* const s = new shared;
  const auto attach = [&ready, s] {
    try {
      static_cast<void>(ready.then([s](int value) { s->got = value; }));
    } catch (const std::runtime_error&) {
      s->too_late.set(true);
    }
  };
  new outsider("asker", attach);
  on().settle();
  begin(pool);
  pool.end();
  on().until_quiet();
  on().know_everything();
  expect(s->too_late.get() == (s->got == 0), "lost job", "a pool has ended before a continuation");
  expect(on().has_finished(1), "deadlock", "a worker goes on though its pool has ended");
}

/// The job throws: its continuation is skipped, and the exception comes out at the end of the chain.
void then_after_an_exception() {
  ask_from_outside(make_pool_of_one(), [](dozer::thread_pool& pool) {
    bool ran = false;
    int thrown = 0;
    try {
      pool.submit([]() -> int { throw 5; }).then([&ran](int) { ran = true; }).get();
    } catch (const int what) {
      thrown = what;
    }
    expect(thrown == 5 && !ran, "lost exception", "the exception of a job does not come out of its continuation");
  });
}

/// A future is dropped while its job completes: the last of the two frees what they share.
void future_dropped() {
  bool ran = false;
  ask_from_outside(make_pool_of_one(),
                   [&ran](dozer::thread_pool& pool) { static_cast<void>(pool.submit([&ran] { ran = true; })); });
  expect(ran, "lost wake-up", "a submitted job was not run");
}

/// The same with a job that throws: the pool's handler gets the exception, once.
void future_dropped_with_an_exception() {
  reported<std::uint32_t> handled{0};
  const auto handle = [&handled](std::exception_ptr error) {
    try {
      std::rethrow_exception(std::move(error));
    } catch (const int what) {
      handled.set(10 * handled.get() + static_cast<std::uint32_t>(what));
    }
  };
  ask_from_outside(make_pool_of_one(handle),
                   [](dozer::thread_pool& pool) { static_cast<void>(pool.submit([] { throw 5; })); });
  expect(handled.get() == 5, "lost exception", "an exception that nobody took did not come to the handler once");
}

/// The future is dropped by the unwinding of another exception, which is on its way to somebody: the pool's handler
/// gets none.
void future_dropped_by_unwinding() {
  reported<std::uint32_t> handled{0};
  int thrown = 0;
  ask_from_outside(make_pool_of_one([&handled](std::exception_ptr) { handled.bump(); }),
                   [&thrown](dozer::thread_pool& pool) {
                     try {
                       const auto dropped = pool.submit([] { throw 5; });
                       throw 7;
                     } catch (const int what) {
                       thrown = what;
                     }
                   });
  expect(thrown == 7 && handled.get() == 0, "lost exception", "a second exception went to the handler");
}

/// A continuation in an isolation is completed in it, by a wait inside: it is for that wait to run. There is nobody
/// else.
void then_inside_an_isolation() {
  pool_core& pool = make_pool(1);
  const once& asker = put_to_work(pool, [] {
    dozer::isolate([] {
      const int got = dozer::submit([] { return 3; }).then([](int value) { return 2 * value; }).get();
      expect(got == 6, "latch payload", "a continuation has not got the value");
    });
  });
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(asker.ran(), "lost latch", "a continuation is not run by the only one who may");
  expect_idle(pool);
}

/// A continuation that was asked for in an isolation is completed outside: it goes by the injector, and is in its
/// isolation all the same.
void then_from_an_isolation() {
  pool_core& pool = make_pool(2);
  struct shared {
    reported<std::uint32_t> isolated{0};
  }* const s = new shared;
  const once& asker = put_to_work(pool, [s] {
    auto first = dozer::submit([] { return 3; });
    auto second = dozer::isolate([&] {
      return std::move(first).then([s](int value) {
        s->isolated.set(current_seat()->own().isolated_in().any() ? 1 : 2);
        return value;
      });
    });
    expect(second.get() == 3, "latch payload", "a continuation has not got the value");
  });
  wake_workers(pool, 1);
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(asker.ran(), "lost latch", "a future is ready and who waits for it sleeps");
  expect(s->isolated.get() == 1, "isolation", "a continuation ran outside the isolation in which it was asked for");
  expect_idle(pool);
}

/// A continuation is posted in an isolation, and there is no room for it in the deque, nor memory for more: it goes by
/// the injector, to the other worker. When it is through, the isolation has its number still.
void then_without_room_in_an_isolation() {
  dozer::thread_pool& handle = make_handle({.threads = 2, .name = "worker", .max_spares = 0});
  pool_core& pool = core_of(handle);
  struct shared {
    dozer::future<int> ready;
    isolation inside;
    tally through;
  }* const s = new shared;
  s->ready = handle.submit([] { return 3; });
  on().settle();
  struct takes_the_last_memory {
    explicit takes_the_last_memory(shared* all) : s(all) {}
    takes_the_last_memory(const takes_the_last_memory& from) : s(from.s) { on().deny_memory(true); }
    void operator()(int) const { s->through.add(); }
    shared* s;
  };
  put_to_work(pool, [s] {
    dozer::isolate([s] {
      s->inside = own_seat().own().isolated_in();
      for (std::size_t i = 0; i < deque_start_capacity; ++i) {
        dozer::spawn([] {});
      }
      static_cast<void>(std::move(s->ready).then(takes_the_last_memory(s)));
      on().deny_memory(false);
      long_leaf();
    });
  });
  begin(pool);
  rest_then([&] {
    expect(s->through.now() == 1, "lost wake-up", "a continuation is not run");
    const isolation another = pool.isolated.begin({}, 0);
    expect(another != s->inside, "isolation", "two isolations have the same number");
    pool.isolated.let_go(another);
  });
  expect_idle(pool);
}

}  // namespace verify
