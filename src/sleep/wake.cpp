// Waking: how many, and whom (README.md beside this file).
#include <dozer/detail/sleep.hpp>

#include <algorithm>
#include <bit>

namespace dozer::inline DOZER_PLATFORM::detail {

void sleep_module::jobs_forked(seat& by) noexcept {
  const bool had_jobs = by.own().publish();
  if (!process_fence_) {
    fence_seq_cst();  // pairs: sleep.fork (heavy fence)
  }
  if (word_.load(relaxed).inactive() != 0) {  // relaxed: the fence orders it, or somebody_is_hungry's
    wake_for(&by, 1, had_jobs, wake_cause::job_forked, helper::anyone);
  }
}

void sleep_module::job_detached(seat& by) noexcept {
  fence_seq_cst();                            // pairs: sleep.inject (sleepers)
  if (word_.load(relaxed).inactive() != 0) {  // relaxed: the fence orders it
    wake_for(&by, 1, by.own().publish(), wake_cause::job_detached, helper::anyone);
  }
}

void sleep_module::jobs_injected(std::uint32_t jobs, bool had_jobs) noexcept {
  // pairs: sleep.inject (sleepers)
  // pairs: pool.aside (step_aside)
  // pairs: census.post (confirm)
  fence_seq_cst();
  if (word_.load(relaxed).inactive() != 0) {  // relaxed: the fence orders it
    wake_for(nullptr, jobs, had_jobs, wake_cause::job_injected, helper::runs_injected);
  }
}

void sleep_module::wake_for(seat* by, std::uint32_t jobs, bool had_jobs, wake_cause cause, helper who) noexcept {
  const counters now = word_.announce_work();
  if (now.asleep() == 0) {
    return;
  }
  // If jobs stood in the queue already, the searchers are not enough as it is.
  std::uint32_t count = had_jobs ? jobs : jobs - std::min(jobs, now.searchers());
  if (count == 0) {
    return;
  }
  if (options_.wake == wake_policy::blocks) {
    count = std::max(count, block_to_wake(now));
  } else if (options_.wake == wake_policy::all) {
    count = now.asleep();
  }
  wake_some(std::min(count, now.asleep()), by, cause, who);
}

sleep_module::sight sleep_module::look() const noexcept {
  sight seen;
  seen.injected = !injected_.empty();
  const std::uint32_t bound = seats_.bound();
  for (std::uint32_t i = 0; i < bound && !seen.in_deques; ++i) {
    seen.in_deques = seats_[i].others().in_sight();
  }
  return seen;
}

void sleep_module::wake_on_leaving(seat& by, counters before) noexcept {
  if (before.asleep() == 0) {
    return;
  }
  if (options_.wake == wake_policy::two) {
    wake_some(std::min(before.asleep(), std::uint32_t{2}), &by, wake_cause::search_left, helper::anyone);
    return;
  }
  if (before.searchers() > 1) {
    return;  // those who still search see to it
  }
  switch (options_.wake) {
    case wake_policy::frugal: {
      const bool all_inactive = before.inactive() == seats_.bound();  // then the first look would find nothing
      if (all_inactive || wake_for(look(), by) == prospect::nothing_in_deques) {
        static_cast<void>(wake_for(look_for_all(by, before.inactive() - 1), by));
      }
      return;
    }
    case wake_policy::one:
      wake_some(1, &by, wake_cause::search_left, helper::anyone);
      return;
    case wake_policy::blocks:
      wake_some(std::min(before.asleep(), block_to_wake(before)), &by, wake_cause::search_left, helper::anyone);
      return;
    case wake_policy::all:
    case wake_policy::two:
      wake_some(before.asleep(), &by, wake_cause::search_left, helper::anyone);
      return;
  }
}

/// Wakes one for what the leaving searcher still sees. A worker is up for anything; a guest only for what is in deques.
sleep_module::prospect sleep_module::wake_for(sight seen, seat& by) noexcept {
  if (seen.injected && wake_some(1, &by, wake_cause::search_left, helper::runs_injected) == 1) {
    return prospect::somebody_searches;
  }
  if (!seen.in_deques) {
    return prospect::nothing_in_deques;
  }
  // Nobody found: somebody is on the way out, and looks for himself.
  wake_some(1, &by, wake_cause::search_left, helper::anyone);
  return prospect::somebody_searches;
}

/// What brings the number of awake workers to the next power of two.
std::uint32_t sleep_module::block_to_wake(counters now) const noexcept {
  const std::uint32_t awake = seats_.workers() - std::min(seats_.workers(), now.asleep());
  return std::bit_ceil(awake + 1) - awake;
}

/// Wakes up to `count`, near ones first. Returns how many; fewer means that the others are on their way out by
/// themselves.
std::uint32_t sleep_module::wake_some(std::uint32_t count, seat* by, wake_cause cause, helper who) noexcept {
  const std::uint32_t near = tallies_of(by) != nullptr ? by->index : 0;
  std::uint32_t woken = 0;
  const auto visit_all = [&](bool guests_too) {
    sleepers_.visit_from(near, [&](std::uint32_t index) {
      // Not the caller itself: a guest that is drowsy already passes injected jobs on to others.
      woken += &seats_[index] != by && try_wake(seats_[index], by, cause, guests_too) ? 1 : 0;
      return woken >= count;
    });
  };
  visit_all(who == helper::anyone);
  if (who == helper::runs_injected && woken == 0 && seats_.all_lent()) {
    visit_all(true);
  }
  return woken;
}

namespace {

/// Whether a waker has work of its own to go on with.
bool works_on(wake_cause cause) noexcept {
  return cause == wake_cause::job_forked || cause == wake_cause::job_detached || cause == wake_cause::search_left;
}

}  // namespace

/// By whoever has claimed it, asleep.
void sleep_module::no_longer_registered(const seat& who, parked asleep) noexcept {
  if (!asleep.is_apart()) {
    sleepers_.erase(who.index);
    word_.sub_asleep();
  }
}

bool sleep_module::try_wake(seat& who, seat* by, wake_cause cause, bool guests_too) noexcept {
  tallies* const mine = tallies_of(by);
  for (;;) {
    const parked seen = who.parker.load();
    switch (seen.at()) {
      case parked::awake:
      case parked::claimed:
        return false;
      case parked::drowsy:
        // A guest as well: it may be on its way out, and then its worker is the one who is caught.
        if (who.parker.cancel(seen)) {
          mine != nullptr ? mine->sleeps_cancelled.bump() : outside_.sleeps_cancelled.bump_shared();
          return true;
        }
        break;
      case parked::asleep:
        if (seen.is_lent() && !guests_too) {
          return false;
        }
        if (who.parker.claim(seen)) {
          no_longer_registered(who, seen);
          const auto slot = static_cast<std::size_t>(cause);
          mine != nullptr ? mine->wakes_sent[slot].bump() : outside_.wakes_sent[slot].bump_shared();
          who.woken_from = works_on(cause) ? current_processor() : no_processor;
          if (!seen.is_timed()) {
            home_.rise(seen.is_in_a_job() ? resting::waiting : resting::without_a_job);
          }
          who.parker.wake_claimed(seen);
          return true;
        }
        break;
    }
  }
}

void sleep_module::wake_seat(seat& who, seat* by, wake_cause cause) noexcept {
  static_cast<void>(try_wake(who, by, cause, true));
}

void sleep_module::mail_posted(seat* by, std::uint32_t seats) noexcept {
  fence_seq_cst();  // pairs: sleep.inject (sleepers)
  for (std::uint32_t i = 0; i < seats; ++i) {
    wake_seat(seats_[i], by, wake_cause::mail);
  }
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
