// The policies to choose from (idle_options.hpp): whom to wake, and how long to search. With each of them jobs are
// forked, and a job is injected, beside workers that are about to sleep or sleep. No policy may strand one.
#include "scenarios.hpp"
#include "support.hpp"

namespace verify {

namespace {

pool_core& make_pool_with(unsigned workers, const dozer::idle_options& idle) {
  return core_of(make_handle({.threads = workers, .name = "worker", .max_spares = 0, .idle = idle}));
}

/// As fork-leaf-3: the worker that takes the first job leaves the search for a long leaf, and the third must come for
/// the second job.
void fork_with(const dozer::idle_options& idle) {
  pool_core& pool = make_pool_with(3, idle);
  bool ran = false;
  put_to_work(pool, [&ran] {
    dozer::join([&ran] { dozer::join([] { long_leaf(); }, [&ran] { ran = true; }); }, [] { long_leaf(); });
  });
  wake_workers(pool, 1);
  begin(pool);
  rest_then([&] {
    expect_work_conserved(pool);
    expect(ran, "lost wake-up", "a forked job was not run");
  });
  expect_idle(pool);
}

/// Two jobs from outside, the first of them long, for two workers of which one is about to sleep.
void inject_with(const dozer::idle_options& idle) {
  pool_core& pool = make_pool_with(2, idle);
  wake_workers(pool, 1);
  once injected[2] = {once([](once&, seat&) { long_leaf(); }), once()};
  const auto inject = [&] {
    for (once& each : injected) {
      pool.inject(each);
    }
  };
  new outsider("injector", inject);
  on().settle();
  begin(pool);
  rest_then([&] {
    expect_work_conserved(pool);
    expect(injected[1].ran(), "lost wake-up", "an injected job was not run");
  });
  expect_idle(pool);
}

constexpr auto wake_one = dozer::wake_policy::one;
constexpr auto wake_two = dozer::wake_policy::two;
constexpr auto wake_blocks = dozer::wake_policy::blocks;
constexpr auto wake_all = dozer::wake_policy::all;

}  // namespace

void fork_wakes_one() { fork_with({.wake = wake_one}); }
void fork_wakes_two() { fork_with({.wake = wake_two}); }
void fork_wakes_blocks() { fork_with({.wake = wake_blocks}); }
void fork_wakes_all() { fork_with({.wake = wake_all}); }
void inject_wakes_frugally() { inject_with({}); }
void inject_wakes_one() { inject_with({.wake = wake_one}); }
void inject_wakes_two() { inject_with({.wake = wake_two}); }
void inject_wakes_blocks() { inject_with({.wake = wake_blocks}); }
void inject_wakes_all() { inject_with({.wake = wake_all}); }

void fork_searches_always() { fork_with({.search = dozer::search_policy::always_budget}); }
void fork_searches_by_spins() { fork_with({.search = dozer::search_policy::spins}); }
void fork_searches_by_yields() { fork_with({.search = dozer::search_policy::yields}); }
void inject_searches_always() { inject_with({.search = dozer::search_policy::always_budget}); }
void inject_searches_by_spins() { inject_with({.search = dozer::search_policy::spins}); }
void inject_searches_by_yields() { inject_with({.search = dozer::search_policy::yields}); }

/// Two sleepers are woken for one job. One of them finds nothing, and its pool's statistics say so.
void one_of_two_is_woken_for_nothing() {
  pool_core& pool = make_pool_with(2, {.wake = wake_all});
  once before;
  put_into(pool, before);  // so that they sleep for the second time, and not as they were born
  const auto fruitless = [&pool] {
    return pool.seats[0].counts.wakes_fruitless.get() + pool.seats[1].counts.wakes_fruitless.get();
  };
  const std::uint64_t so_far = fruitless();
  once injected;
  outside_after_go("injector", [&] { pool.inject(injected); });
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(injected.ran(), "lost wake-up", "an injected job was not run");
  expect(fruitless() > so_far, "statistics", "a worker was woken for nothing, and is not counted");
  expect_idle(pool);
}

}  // namespace verify
