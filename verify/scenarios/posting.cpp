// Jobs from outside against workers that go to sleep.
#include "monitor.hpp"
#include "scenarios.hpp"
#include "support.hpp"

namespace verify {

namespace {

/// A job from outside that its pool's monitor hears of.
struct watched_job {
  once j{[](once& self, seat&) { static_cast<monitor*>(self.context)->job_runs(); }};
  std::uint32_t wakes = 0;
};

struct injecting {
  pool_core& pool;
  monitor& costs;
  watched_job& posted;
  void operator()() const {
    const std::uint32_t before = on().wakes(on().self());
    costs.post_begins();
    pool.inject(posted.j);
    costs.post_ends();
    posted.wakes = on().wakes(on().self()) - before;
  }
};

}  // namespace

template <unsigned Workers, unsigned Awake, unsigned Injectors>
void inject() {
  pool_core& pool = make_pool(Workers);
  wake_workers(pool, Awake);
  monitor costs(pool, Workers == 1);
  watched_job jobs[Injectors];
  static constexpr const char* names[] = {"injector 1", "injector 2"};
  for (unsigned i = 0; i < Injectors; ++i) {
    jobs[i].j.context = &costs;
    new outsider(names[i], injecting{pool, costs, jobs[i]});
  }
  on().settle();
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  for (watched_job& each : jobs) {
    expect(each.j.ran(), "lost wake-up", "an injected job was not run");
    expect(each.wakes <= 1 || !now_set.costs, "needless wake", "one job, and more than one futex wake for it");
  }
  if (Injectors == 1 && now_set.costs) {
    // Whoever takes the only job has nobody to wake for it, except while it cannot know that it has.
    for (thread_id worker = 1; worker <= Workers; ++worker) {
      expect(on().wakes(worker) <= (Workers == 1 ? 0 : 1), "needless wake",
             "a worker wakes others for a job that it has taken");
    }
  }
  expect_idle(pool);
}

void one_sleeper_one_injector() { inject<1, 1, 1>(); }
void two_workers_one_injector() { inject<2, 2, 1>(); }
void one_worker_two_injectors() { inject<1, 1, 2>(); }
void three_workers_one_injector() { inject<3, 3, 1>(); }
void three_workers_one_asleep_one_injector() { inject<3, 2, 1>(); }

/// What a job from outside costs while all workers are busy: the poster has one RMW that others contend for, the push,
/// and three at its door. A worker that runs one job after the other has one for each, the pop.
template <std::uint32_t Spurious>
void inject_busy() {
  count_people();
  pool_core& pool = make_pool(1);
  once busy([](once&, seat&) {
    on().hold_until_go();
    long_leaf();
  });
  pool.inject(busy);
  on().settle();
  const auto rmws = [] { return on().did(on().self()).rmws; };
  std::uint32_t began[2] = {};
  const auto post = [&] {
    for (std::uint32_t& when : began) {
      const std::uint32_t before = rmws();
      spawn_in(pool, false, [&when, rmws] { when = rmws(); });
      expect(rmws() - before <= 4 + Spurious, "cost of a post", "more than the push and three RMWs at the door");
    }
  };
  new outsider("poster", post);
  on().settle();
  begin(pool);
  rest_then([] {});
  expect(began[0] != 0 && began[1] != 0, "lost wake-up", "an injected job was not run");
  expect(began[1] - began[0] <= 1 + Spurious, "cost of a post",
         "a worker has more than one RMW for the next job of a stream");
  expect_idle(pool);
}
void injected_into_a_busy_pool() { inject_busy<0>(); }
void injected_with_spurious_failures() { inject_busy<1>(); }

}  // namespace verify
