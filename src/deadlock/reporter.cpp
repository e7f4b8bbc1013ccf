// The reporter: the thread that looks into a suspicion, and calls the handler with no lock held.
#include "report.hpp"

#include <dozer/detail/abort.hpp>
#include <dozer/detail/pool_core.hpp>
#include <dozer/detail/waiter.hpp>

#include <optional>

namespace dozer::inline DOZER_PLATFORM::detail {

namespace {

/// Has a member in the middle of something.
bool has_a_part(const pool_core& pool) {
  for (std::uint32_t i = 0; i < pool.seats.bound(); ++i) {
    if (pool.seats[i].doing.depth() != 0) {
      return true;
    }
  }
  return false;
}

/// Asks the first pool that has a handler and a part in it. It lives as long as that takes. Nothing: there is none.
std::optional<deadlock_action> ask_handler(const domain& of, const deadlock_report& report) {
  std::optional<deadlock_action> answer;
  of.pools.for_each([&](pool_core& pool) {
    if (!answer && pool.options().on_deadlock && has_a_part(pool)) {
      const handler_call here(pool.in_on_deadlock);
      answer = pool.options().on_deadlock(report);
    }
  });
  return answer;
}

/// Of whichever pool is found last. The caller may be any thread, with a signal mask and a priority of its own.
thread_settings settings_of_a_worker(const domain& of) {
  thread_settings found;
  of.pools.for_each([&](const pool_core& pool) { found = pool.workers_settings(); });
  return found;
}

/// Makes all waits throw that can. False: there are none, and no other thread is about to end one.
bool interrupt_all(const domain& in) {
  // First all are marked, and only then anybody goes on: else the first would release others, who block again
  // elsewhere. Nothing is allocated: there may be no memory.
  waiter* blocked = nullptr;
  bool any = false;
  in.pools.for_each([&](pool_core& pool) {
    for (std::uint32_t i = 0; i < pool.seats.bound(); ++i) {
      seat& s = pool.seats[i];
      if (waiter* const w = waiter::claim_in(s, any)) {
        w->next_claimed = blocked;
        blocked = w;
        any = true;
      } else if (const parked now = s.parker.load(); now.at() == parked::asleep) {
        any |= s.innermost.interrupt();
      } else {
        any |= now.at() == parked::claimed;  // by a waker that has perhaps not counted it yet
      }
    }
  });
  while (blocked != nullptr) {
    waiter& one = *blocked;
    blocked = one.next_claimed;  // read before it goes on: it may be gone then
    one.interrupt();
  }
  in.pools.for_each([](pool_core& pool) {
    for (std::uint32_t i = 0; i < pool.seats.bound(); ++i) {
      if (pool.seats[i].innermost.is_interrupted()) {
        pool.sleep.wake_seat(pool.seats[i], nullptr, wake_cause::latch_set);
      }
    }
  });
  return any;
}

}  // namespace

void domain::too_many_tokens() noexcept { abort_with("15000 external tokens at once are too many"); }

void domain::suspect() noexcept {
  if (this != &current_domain()) {
    return;  // in a child of fork(): it is the parent's, and its threads are not here
  }
  if (for_the_reporter_.call() && !start_reporter()) {
    report_here();
  }
}

/// False: the system refuses a thread for a second, or nothing stands still any more. The caller counts as waiting, but
/// does not sleep yet. So it looks every few milliseconds whether anything moves: it may be the one that was released.
bool domain::start_reporter() noexcept {
  constexpr std::uint64_t pause = 10'000'000;
  for (int tries = 0; people().stuck(); ++tries) {
    static thread reporter;
    static thread_settings settings;
    settings = settings_of_a_worker(*this);
    if (reporter.start([](void* self) noexcept { static_cast<domain*>(self)->report_for_ever(); }, this, 0,
                       &settings) == 0) {
      reporter.detach();
      return true;
    }
    if (tries + 1 == reporter_tries) {
      return false;
    }
    const atomic<std::uint32_t> only_time{0};
    park(only_time, 0, channel::first, now_ns() + pause);
  }
  return false;
}

void domain::report_for_ever() noexcept {
  set_thread_name("dozer-reporter");
  for_the_reporter_.answer_for_ever([&] { investigate(); });
}

/// By the thread whose own step has led into the standstill. A member counts as waiting already, so it must not act as
/// one: what the handler does it does as a thread of no pool, as in the reporter.
void domain::report_here() noexcept {
  if (people().stuck()) {
    print_error("dozer: no thread could be started to report a deadlock, so this comes from its last victim\n");
  }
  seat* const mine = current_seat();
  get_up();
  for_the_reporter_.answer_and_leave([&] { investigate(); });
  if (mine != nullptr) {
    sit_down(*mine);
  }
}

void domain::investigate() noexcept {
  census at(0);
  switch (confirm(at)) {
    case verdict::moving:
      return;
    case verdict::lost_wake_up:
      print_error(
          "dozer: a wake-up was lost: jobs are left and everybody sleeps. This is a mistake in dozer; somebody is "
          "woken "
          "now, but please report it.\n");
      dozer_dump_state();
      pools.for_each([](pool_core& pool) { pool.sleep.wake_anyone(); });
      return;
    case verdict::starved:
      if (!start_spares() && !guest_has_left_with_a_lock()) {
        report_once(verdict::starved, at);
      }
      return;
    case verdict::deadlock:
      report_once(verdict::deadlock, at);
      return;
  }
}

/// One for each pool that has jobs. False: there can be none.
bool domain::start_spares() noexcept {
  bool started = false;
  pools.for_each([&](pool_core& pool) {
    if (pool.sleep.jobs_in_sight()) {
      started |= pool.spare_workers.run_what_is_left();
    }
  });
  return started;
}

/// Nobody was released since. An outsider that comes to wait acts for a moment, but that does not count.
bool domain::stands_still_since(census then) noexcept {
  for (int looks = 0; looks < standstill_looks; ++looks) {
    const census seen = people_.after_all_that();
    if (seen.stuck() || seen.releases() != then.releases()) {
      return seen.releases() == then.releases();
    }
    nap();
  }
  return false;
}

/// Nothing if somebody was released since it was confirmed: what is shown may be halfway to the next standstill, which
/// will be looked into by itself.
void domain::report_once(verdict what, census confirmed) noexcept {
  const census now = people();
  std::optional<deadlock_report> room;
  const deadlock_report& made = make_report_in(
      room, *this, what == verdict::starved ? deadlock_report::trouble::starved : deadlock_report::trouble::deadlock);
  // The same members wait, and none was released: that an outsider has come to wait, too, makes it no other standstill.
  const census standstill = now.standstill_without(now.waiting() > made.waiting_outside ? made.waiting_outside : 0);
  if (standstill == reported_ || !stands_still_since(confirmed)) {
    return;
  }
  reported_ = standstill;
  const std::optional<deadlock_action> answer = ask_handler(*this, made);
  if (answer == deadlock_action::proceed) {
    return;
  }
  if (answer == deadlock_action::throw_error) {
    reported_ = census(0);
    // It may have taken the handler so long that things move again.
    if (!stands_still_since(confirmed) || interrupt_all(*this)) {
      return;
    }
  }
  // A job from outside may have released what was waited for, just before it was to be asked or thrown out.
  if (answer != deadlock_action::abort && !stands_still_since(confirmed)) {
    return;
  }
  if (answer == deadlock_action::throw_error) {
    print_error("dozer: nothing of what is waited for here can throw\n");
  }
  print(made);
  abort_now();
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
