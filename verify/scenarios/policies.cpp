// The policies to choose from (idle_options.hpp): whom to wake, and how long to search. A forked job and an injected
// one each, beside a worker that is about to sleep and one that sleeps. No policy may strand a job.
#include "scenarios.hpp"
#include "support.hpp"

namespace verify {

namespace {

pool_core& make_pool_with(unsigned workers, const dozer::idle_options& idle) {
  return core_of(make_handle({.threads = workers, .name = "worker", .max_spares = 0, .idle = idle}));
}

/// A worker forks and stays in a long leaf; the forked job is long, too. A thread of no pool injects one meanwhile.
void fork_and_inject_with(const dozer::idle_options& idle) {
  pool_core& pool = make_pool_with(3, idle);
  bool forked_ran = false;
  put_to_work(pool, [&forked_ran] {
    const auto forked = [&forked_ran] {
      forked_ran = true;
      long_leaf();
    };
    dozer::join([] { long_leaf(); }, forked);
  });
  wake_workers(pool, 1);
  once injected;
  const auto inject = [&] { pool.inject(injected); };
  new outsider("injector", inject);
  on().settle();
  begin(pool);
  rest_then([&] {
    expect_work_conserved(pool);
    expect(forked_ran, "lost wake-up", "a forked job was not run");
    expect(injected.ran(), "lost wake-up", "an injected job was not run");
  });
  expect_idle(pool);
}

void wakes(dozer::wake_policy how) {
  dozer::idle_options idle;
  idle.wake = how;
  fork_and_inject_with(idle);
}

void searches(dozer::search_policy how) {
  dozer::idle_options idle;
  idle.search = how;
  fork_and_inject_with(idle);
}

}  // namespace

void wakes_frugally() { wakes(dozer::wake_policy::frugal); }
void wakes_one() { wakes(dozer::wake_policy::one); }
void wakes_two() { wakes(dozer::wake_policy::two); }
void wakes_blocks() { wakes(dozer::wake_policy::blocks); }
void wakes_all() { wakes(dozer::wake_policy::all); }
void searches_always() { searches(dozer::search_policy::always_budget); }
void searches_by_spins() { searches(dozer::search_policy::spins); }
void searches_by_yields() { searches(dozer::search_policy::yields); }

/// A policy that wakes without a look finds nobody to wake, because the sleeper's seat was just lent: then the leaver
/// must look like a frugal one.
void wakes_one_beside_a_guest() {
  pool_core& pool = make_pool_with(3, {.wake = dozer::wake_policy::one});
  bool ran = false;
  put_to_work(pool, [&ran] {
    dozer::join([&ran] { dozer::join([] { long_leaf(); }, [&ran] { ran = true; }); }, [] { long_leaf(); });
  });
  wake_workers(pool, 1);
  const auto stay = [&] { guest_stay here(pool); };
  new outsider("guest", stay);
  on().settle();
  begin(pool);
  rest_then([&] {
    expect_work_conserved(pool);
    expect(ran, "lost wake-up", "a forked job was not run");
  });
  expect_idle(pool);
}

}  // namespace verify
