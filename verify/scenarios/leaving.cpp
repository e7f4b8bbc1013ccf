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

}  // namespace verify
