// The reporter: the thread that looks into a suspicion, and calls the handler with no lock held.
#include "report.hpp"

#include <dozer/detail/abort.hpp>
#include <dozer/detail/pool_core.hpp>
#include <dozer/detail/waiter.hpp>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

namespace dozer::inline DOZER_PLATFORM::detail {

namespace {

void print(const deadlock_report& report) { std::fprintf(stderr, "dozer: %s", report.to_string().c_str()); }

/// Has a member in the middle of something.
bool has_a_part(const pool_core& pool) {
  for (std::uint32_t i = 0; i < pool.seats.bound(); ++i) {
    if (pool.seats[i].doing.depth() != 0) {
      return true;
    }
  }
  return false;
}

/// Asks the first pool that has a handler and a part in it. It lives as long as that takes.
deadlock_action ask_handler(const domain& of, const deadlock_report& report) {
  std::optional<deadlock_action> answer;
  of.pools.for_each([&](const pool_core& pool) {
    if (!answer && pool.options().on_deadlock && has_a_part(pool)) {
      answer = pool.options().on_deadlock(report);
    }
  });
  return answer.value_or(deadlock_action::abort);
}

/// Of whichever pool is found last. The caller may be any thread, with a signal mask and a priority of its own.
thread_settings settings_of_a_worker(const domain& of) {
  thread_settings found;
  of.pools.for_each([&](const pool_core& pool) { found = pool.workers_settings(); });
  return found;
}

/// Makes all waits throw that can. False: there are none.
bool interrupt_all(const domain& in) {
  // First all are marked, and only then anybody goes on: else the first would release others, who block again
  // elsewhere.
  std::vector<waiter*> blocked;
  std::vector<std::pair<pool_core*, seat*>> asleep;
  in.pools.for_each([&](pool_core& pool) {
    for (std::uint32_t i = 0; i < pool.seats.bound(); ++i) {
      seat& s = pool.seats[i];
      if (waiter* const w = waiter::claim_in(s)) {
        blocked.push_back(w);
      } else if (s.parker.load().at() == parked::asleep && s.innermost.interrupt()) {
        pool.keep_in_memory();
        asleep.emplace_back(&pool, &s);
      }
    }
  });
  for (waiter* const w : blocked) {
    w->interrupt();
  }
  for (const auto& [pool, s] : asleep) {
    pool->sleep.wake_seat(*s, nullptr, wake_cause::latch_set);
    pool->let_go_of_memory();
  }
  return !blocked.empty() || !asleep.empty();
}

}  // namespace

void domain::too_many_tokens() noexcept { abort_with("15000 external tokens at once are too many"); }

void domain::suspect() noexcept {
  if (this != &current_domain()) {
    return;  // in a child of fork(): it is the parent's, and its threads are not here
  }
  summons_.fetch_add(1, release);                                                // pairs: domain.summons (reporter)
  if (!has_reporter_.load(relaxed) && !has_reporter_.exchange(true, relaxed)) {  // relaxed: only one starts it
    static thread reporter;                                                      // detached at once
    static thread_settings settings;
    settings = settings_of_a_worker(*this);
    if (reporter.start([](void* self) noexcept { static_cast<domain*>(self)->report_for_ever(); }, this, 0,
                       &settings) != 0) {
      std::fprintf(stderr,
                   "dozer: no thread could be started to report a deadlock, so this comes from its last victim\n");
      for (std::uint32_t answered = 0; answered != summons_.load(acquire);) {  // pairs: domain.summons (suspect)
        answered = summons_.load(acquire);                                     // pairs: domain.summons (suspect)
        investigate();
      }
      has_reporter_.store(false, relaxed);  // relaxed: whoever tries again has its own summons
      return;
    }
    reporter.detach();
  }
  unpark_one(&summons_, channel::first);
}

void domain::report_for_ever() noexcept {
  set_thread_name("dozer-reporter");
  for (std::uint32_t answered = 0;;) {
    const std::uint32_t summoned = summons_.load(acquire);  // pairs: domain.summons (suspect)
    if (summoned == answered) {
      park(summons_, summoned, channel::first);
      continue;
    }
    answered = summoned;
    investigate();
  }
}

void domain::investigate() noexcept {
  switch (confirm()) {
    case verdict::moving:
      return;
    case verdict::lost_wake_up:
      // Twice: a worker may have been woken, run the job, and gone back to sleep meanwhile.
      if (confirm() == verdict::lost_wake_up) {
        std::fprintf(stderr,
                     "dozer: a wake-up was lost: jobs are left and everybody sleeps. This is a mistake in dozer; "
                     "somebody is woken now, but please report it.\n%s",
                     dump_state().c_str());
        pools.for_each([](pool_core& pool) { pool.sleep.wake_anyone(); });
      }
      return;
    case verdict::starved:
      if (!start_spares()) {
        report_once(verdict::starved);
      }
      return;
    case verdict::deadlock:
      report_once(verdict::deadlock);
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
bool domain::stands_still_since(census then) const noexcept {
  for (int looks = 0; looks < 1000 && people().releases() == then.releases(); ++looks) {
    if (people().stuck()) {
      return true;
    }
    nap();
  }
  return false;
}

void domain::report_once(verdict what) noexcept {
  const census now = people();
  const deadlock_report made = make_report(
      *this, what == verdict::starved ? deadlock_report::trouble::starved : deadlock_report::trouble::deadlock);
  // The same members wait, and none was released: that an outsider has come to wait, too, makes it no other standstill.
  const census standstill = now.waiting() > made.waiting_outside ? now.without(made.waiting_outside) : now;
  if (standstill == reported_) {
    return;
  }
  reported_ = standstill;
  switch (ask_handler(*this, made)) {
    case deadlock_action::proceed:
      return;
    case deadlock_action::throw_error:
      reported_ = census(0);
      if (!stands_still_since(now)) {
        return;  // it took the handler so long that things move again
      }
      if (interrupt_all(*this)) {
        return;
      }
      std::fprintf(stderr, "dozer: nothing of what is waited for here can throw\n");
      break;
    case deadlock_action::abort:
      break;
  }
  print(made);
  std::abort();
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
