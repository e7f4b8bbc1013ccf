// worker_local: each member has a value of its own, and whoever sits down in a seat after another sees what that one
// has left there.
#include "scenarios.hpp"
#include "support.hpp"

namespace verify {

/// Two workers count at the same time, each in its own.
void local_of_two_workers() {
  dozer::thread_pool& handle = make_handle({.threads = 2, .name = "worker", .max_spares = 0});
  pool_core& pool = core_of(handle);
  auto* const counts = new dozer::worker_local<int>(handle);
  const once& caller = put_to_work(pool, [counts] {
    dozer::parallel_for(0, 3, [counts](int) { ++counts->local(); });
    expect(counts->combine([](int a, int b) { return a + b; }) == 3, "local", "a member's count is lost");
  });
  wake_workers(pool, 1);
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(caller.ran(), "lost latch", "a loop has not returned");
  expect_idle(pool);
}

/// A guest in the worker's seat, and then the worker: the second one goes on with the value of the first.
void local_of_a_guest_and_its_worker() {
  dozer::thread_pool& handle = make_handle({.threads = 1, .name = "worker", .max_spares = 0});
  pool_core& pool = core_of(handle);
  auto* const counts = new dozer::worker_local<int>(handle);
  const auto stay = [&] { handle.install([counts] { ++counts->local(); }); };
  const auto spawn = [&] { handle.spawn([counts] { ++counts->local(); }); };
  new outsider("guest", stay);
  new outsider("spawner", spawn);
  on().settle();
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(counts->combine([](int a, int b) { return a + b; }) == 2, "local", "a member's count is lost");
  expect_idle(pool);
}

/// Two guests, one after the other or at the same time, in extra seats.
void local_of_two_guests() {
  dozer::thread_pool& handle = make_handle({.threads = 1, .name = "worker", .max_spares = 0});
  pool_core& pool = core_of(handle);
  wake_workers(pool, 1);
  auto* const counts = new dozer::worker_local<int>(handle);
  const auto stay = [&] { handle.install([counts] { ++counts->local(); }); };
  new outsider("guest 1", stay);
  new outsider("guest 2", stay);
  on().settle();
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(counts->combine([](int a, int b) { return a + b; }) == 2, "local", "a member's count is lost");
  expect_idle(pool);
}

}  // namespace verify
