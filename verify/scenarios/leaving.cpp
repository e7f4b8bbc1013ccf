// A member leaves the search for another reason than a job: its latch is set, or its time is up. Posters may have
// counted on it.
#include "scenarios.hpp"
#include "support.hpp"

namespace verify {

/// Three workers. One forks and stays in a long leaf. Another waits for the job of its join, which the third one has
/// stolen, and goes on with a long leaf when that is done; the third one goes to sleep. So the one that leaves for its
/// latch must see to it that the third one comes for the forked job.
void leave_for_a_latch() {
  pool_core& pool = make_pool(3);
  bool ran = false;
  put_to_work(pool, [&ran] { dozer::join([] { long_leaf(); }, [&ran] { ran = true; }); });
  once joiner([](once&, seat&) {
    const auto hold = [] { on().hold_until_go(); };
    dozer::join(hold, hold);  // so the second one is stolen in the set-up
    long_leaf();
  });
  pool.inject(joiner);
  on().settle();
  begin(pool);
  rest_then([&] {
    expect_work_conserved(pool);
    expect(ran, "lost wake-up", "a forked job was not run, beside a worker that sleeps");
  });
  expect_idle(pool);
}

/// Two workers, and a guest beside them that waits for its time to be up.
void leave_because_time_is_up() {
  pool_core& pool = make_pool(2);
  bool ran = false;
  put_to_work(pool, [&ran] { dozer::join([] { long_leaf(); }, [&ran] { ran = true; }); });
  wake_workers(pool, 1);
  const auto wait = [&] {
    guest_stay here(pool);
    core_latch never;
    on().hold_until_go();
    if (!now_set.never) {  // else it would never leave
      static_cast<void>(wait_until(*current_seat(), never, dozer::wait_reason::join, nullptr, deadline_after(1)));
    }
    long_leaf();
  };
  new outsider("guest", wait, false);
  on().settle();
  begin(pool);
  rest_then([&] {
    expect_work_conserved(pool);
    expect(ran, "lost wake-up", "a forked job was not run, beside a worker that sleeps");
  });
  expect_idle(pool);
}

/// A worker goes to sleep while a guest searches, who will look at everything: so it needs no heavy fence.
void cost_of_sleeping_beside_a_searcher() {
  pool_core& pool = make_pool(2);
  put_to_work(pool, [] { long_leaf(); });
  gate through;
  const auto search = [&] {
    guest_stay beside(pool);
    core_latch never;
    idle_state idle = pool.sleep.start_looking(*current_seat(), never, dozer::wait_reason::join, no_deadline);
    through.wait();
    pool.sleep.stop_looking(idle);
  };
  wake_workers(pool, 1);
  new outsider("searcher", search, false);
  on().settle();
  begin(pool);
  rest_then([&] {
    for (std::uint32_t i = 0; i < pool.seats.workers(); ++i) {
      expect(pool.seats[i].counts.heavy_fences.get() == 0, "cost of a sleep",
             "a worker that is not the last to search has a heavy fence");
    }
    through.open();
  });
  expect_idle(pool);
}

/// A worker spawns beside a sleeper and a guest that searches, and counts on the guest. That leaves the search, sees
/// the job, and wakes the sleeper: so it needs no heavy fence.
void cost_of_leaving_with_a_job_in_sight() {
  pool_core& pool = make_pool(2);
  gate spawned;
  bool ran = false;
  put_to_work(pool, [&] {
    dozer::spawn([&ran] { ran = true; });
    spawned.open();
    long_leaf();
  });
  const auto search = [&] {
    guest_stay beside(pool);
    seat& mine = *current_seat();
    core_latch never;
    idle_state idle = pool.sleep.start_looking(mine, never, dozer::wait_reason::join, no_deadline);
    spawned.wait();
    pool.sleep.stop_looking(idle);
    const std::uint64_t woken = mine.counts.wakes_sent[static_cast<std::size_t>(dozer::wake_cause::search_left)].get();
    expect(woken == 0 || mine.counts.heavy_fences.get() == 0, "cost of leaving",
           "a searcher that leaves has woken one, and has a heavy fence");
  };
  wake_workers(pool, 1);  // so the guest sits beside the workers
  new outsider("searcher", search, false);
  on().settle();
  begin(pool);
  rest_then([&] {
    expect_work_conserved(pool);
    expect(ran, "lost wake-up", "a spawned job was not run, beside a worker that sleeps");
  });
  expect_idle(pool);
}

}  // namespace verify
