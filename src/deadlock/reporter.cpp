// The reporter: the thread that looks into a suspicion, and calls the handler with no lock held.
#include "report.hpp"

#include <dozer/detail/pool_core.hpp>
#include <dozer/detail/waiter.hpp>

#include <cstdio>
#include <cstdlib>
#include <exception>

namespace dozer::inline DOZER_PLATFORM::detail {

namespace {

void print(const deadlock_report& report) { std::fprintf(stderr, "dozer: %s", report.to_string().c_str()); }

/// Of the first pool that has one and a part in it.
std::function<deadlock_action(const deadlock_report&)> find_handler(const domain& of) {
  std::function<deadlock_action(const deadlock_report&)> found;
  of.pools.for_each([&](const pool_core& pool) {
    for (std::uint32_t i = 0; !found && i < pool.seats.bound(); ++i) {
      if (pool.seats[i].doing.depth() != 0) {
        found = pool.options().on_deadlock;
      }
    }
  });
  return found;
}

/// All waits that can throw.
void interrupt_all(const domain& in) {
  in.pools.for_each([](pool_core& pool) {
    for (std::uint32_t i = 0; i < pool.seats.bound(); ++i) {
      seat& s = pool.seats[i];
      const std::uint32_t depth = s.doing.depth();
      if (depth != 0 && depth <= situation_depth && s.doing[depth - 1].why == wait_reason::future) {
        s.interrupted.store(true, relaxed);  // relaxed: the wake-up publishes it
        pool.sleep.wake_seat(s, nullptr, wake_cause::latch_set);
      }
      waiter::interrupt_in(s);
    }
  });
}

}  // namespace

void domain::suspect() noexcept {
  summons_.fetch_add(1, release);                                                // pairs: domain.summons (reporter)
  if (!has_reporter_.load(relaxed) && !has_reporter_.exchange(true, relaxed)) {  // relaxed: only one starts it
    static thread reporter;                                                      // detached at once
    if (reporter.start([](void* self) noexcept { static_cast<domain*>(self)->report_for_ever(); }, this, 0) != 0) {
      std::fprintf(stderr,
                   "dozer: no thread could be started to report a deadlock, so this comes from its last victim\n");
      investigate();
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
  const census now = people();
  if (now == reported_) {
    return;  // somebody came and went, but nobody was released
  }
  switch (confirm()) {
    case verdict::moving:
      return;
    case verdict::lost_wake_up:
      std::fprintf(stderr,
                   "dozer: a wake-up was lost: jobs are left and everybody sleeps. This is a mistake in dozer; "
                   "somebody is woken now, but please report it.\n%s",
                   dump_state().c_str());
      pools.for_each([](pool_core& pool) { pool.sleep.wake_anyone(); });
      return;
    case verdict::starved:
      if (!start_spares()) {
        report(verdict::starved);
      }
      break;
    case verdict::deadlock:
      report(verdict::deadlock);
      break;
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

void domain::report(verdict what) noexcept {
  reported_ = people();
  const deadlock_report made = make_report(
      *this, what == verdict::starved ? deadlock_report::trouble::starved : deadlock_report::trouble::deadlock);
  const auto handler = find_handler(*this);
  switch (handler ? handler(made) : deadlock_action::abort) {
    case deadlock_action::abort:
      print(made);
      std::abort();
    case deadlock_action::throw_error:
      interrupt_all(*this);
      return;
    case deadlock_action::proceed:
      return;
  }
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
