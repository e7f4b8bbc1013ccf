// The reporter: who answers a suspicion, and what it does about it.
#include "scenarios.hpp"
#include "waiting.hpp"

#include <dozer/detail/waiter.hpp>
#include <dozer/sync.hpp>

namespace verify {

/// A wait is released and interrupted at the same time.
void interrupted_and_released() {
  count_people();
  pool_core& pool = make_pool(1);
  struct shared {
    dozer::event happened{dozer::wait_kind::pool};
    bool over = false;
  }* const s = new shared;
  put_into(pool, job_after_go([s] {
             try {
               s->happened.wait();
             } catch (const dozer::deadlock_error&) {
             }
             s->over = true;
           }));
  auto* const tokens = new dozer::external_token[2];
  outside_after_go("setter", [&] {
    s->happened.set();
    tokens[0].drop();
  });
  outside_after_go("reporter", [&] {
    if (waiter* const w = waiter::claim_in(pool.seats[0])) {
      w->interrupt();
    }
    tokens[1].drop();
  });
  begin(pool);
  rest_then([] {});
  expect(s->over, "lost wake-up", "somebody waits for what has happened");
  expect_reports(0);
  expect_idle(pool);
}

/// Two call for the reporter, and the system gives no thread: whoever has the duty answers, and leaves.
void two_summons_without_a_thread() {
  struct shared {
    summons calls;
    reported<std::uint32_t> came{0}, answered{0};  // a bit for each caller
  }* const s = new shared;
  const auto calls = [s](std::uint32_t bit) {
    s->came.set(s->came.get() | bit);
    if (s->calls.call()) {
      s->calls.answer_and_leave([&] { s->answered.set(s->answered.get() | s->came.get()); });
    }
  };
  outside_after_go("first", [&] { calls(1); });
  outside_after_go("second", [&] { calls(2); });
  on().go();
  on().until_quiet();
  on().know_everything();
  expect(s->answered.get() == 3, "lost summons", "a call came after the last answer began, and no thread is on duty");
}

}  // namespace verify
