// Waking: how many, and whom (README.md beside this file).
#include <dozer/detail/sleep.hpp>

#include <algorithm>
#include <bit>

namespace dozer::inline DOZER_PLATFORM::detail {

void sleep_module::jobs_forked(seat& by, std::uint32_t jobs) noexcept {
  end_quiet(by);
  const bool isolated = by.own().isolated_in().any();
  if (!process_fence_ || isolated) {
    by.own().publish();  // nothing is private there
  }
  // pairs: sleep.fork (heavy fence, where there is no membarrier)
  // pairs: sleep.quiet (a guest that leaves quietly)
  // pairs: sleep.isolated (sleep_apart)
  fence_seq_cst();
  if (isolated) {
    wake_isolated(by, jobs);
  }
  const counters now = word_.load(relaxed);  // relaxed: the fence orders it
  if (now.inactive() != 0) {
    const bool had_jobs = by.own().publish(jobs);
    wake_for(&by, jobs, had_jobs, wake_cause::job_forked, helper::anyone);
  } else if (now.quiet() != 0) {
    end_quiet_of_all();  // else every fork of this member would come here until they leave
  }
}

void sleep_module::job_detached(seat& by) noexcept {
  end_quiet(by);
  // pairs: sleep.inject (sleepers)
  // pairs: sleep.isolated (sleep_apart)
  fence_seq_cst();
  if (by.own().isolated_in().any()) {
    wake_isolated(by, 1);
  }
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

void sleep_module::wake_on_leaving(seat& by, counters before, std::uint64_t departed) noexcept {
  if (before.asleep() + before.quiet() == 0 || wake_by_policy(by, before) || before.searchers() > 1) {
    return;  // no member could take a job; or one is up, or still searches, and sees to it
  }
  // A quiet guest leaves without a heavy fence, since every fork sees its hunger. Those forks that have relied on this
  // searcher may not have: so the guests' quiet ends here, or, for one that has just left, this searcher looks.
  if (before.quiet() != 0 && end_quiet_of_all() == before.quiet() && before.asleep() == 0) {
    return;
  }
  wake_for_what_is_left(by, before, departed);
}

/// Wakes those that the policy wakes without a look. True: at least one.
bool sleep_module::wake_by_policy(seat& by, counters before) noexcept {
  std::uint32_t count = 0;
  switch (options_.wake) {
    case wake_policy::frugal:
      return false;
    case wake_policy::two:
      count = 2;
      break;
    case wake_policy::one:
      count = before.searchers() > 1 ? 0 : 1;
      break;
    case wake_policy::blocks:
      count = before.searchers() > 1 ? 0 : block_to_wake(before);
      break;
    case wake_policy::all:
      count = before.searchers() > 1 ? 0 : before.asleep();
      break;
  }
  count = std::min(count, before.asleep());
  return count != 0 && wake_some(count, &by, wake_cause::search_left, helper::anyone) != 0;
}

void sleep_module::wake_for_what_is_left(seat& by, counters before, std::uint64_t departed) noexcept {
  const bool all_inactive = before.inactive() == seats_.seated_since(departed);  // then the first look finds nothing
  if (all_inactive || !wake_for(look(), by)) {
    static_cast<void>(wake_for(look_for_all(by, before.inactive() - 1, departed), by));
  }
}

/// Wakes one for what the leaving searcher still sees. A worker is up for anything; a guest only for what is in deques.
bool sleep_module::wake_for(sight seen, seat& by) noexcept {
  if (seen.injected && wake_some(1, &by, wake_cause::search_left, helper::runs_injected) == 1) {
    return true;
  }
  if (!seen.in_deques) {
    return false;
  }
  // If no sleeper is found, one is on its way out and looks for itself; or a guest sits in its seat, and leaves without
  // a heavy fence: then it must not miss what was seen here without one.
  return wake_some(1, &by, wake_cause::search_left, helper::anyone) == 1 ||
         word_.load(relaxed).searchers() != 0;  // relaxed: not older than the caller's own step
}

/// For jobs of the isolation that the caller is in: members that wait in it, or around it, are in no counter.
void sleep_module::wake_isolated(seat& by, std::uint32_t jobs) noexcept {
  if (isolated_sleepers_.load(relaxed) == 0) {  // relaxed: the caller's fence orders it
    return;
  }
  const isolation in = by.own().isolated_in();
  const std::uint32_t bound = seats_.bound();
  for (std::uint32_t i = 0; i < bound && jobs != 0; ++i) {
    const isolation waits_in(seats_[i].waits_in.load(relaxed));  // relaxed: likewise
    if (waits_in.any() && isolated_.is_inside(in, waits_in) && seats_[i].parker.load().is_apart() &&
        try_wake(seats_[i], &by, wake_cause::job_forked, true)) {
      --jobs;
    }
  }
}

std::uint32_t sleep_module::end_quiet_of_all() noexcept {
  std::uint32_t ended = 0;
  for (std::uint32_t i = 0; i < seats_.workers(); ++i) {
    // relaxed: a mark that is seen too late is left to the guest
    ended += seats_[i].quiet.load(relaxed) && seats_[i].quiet.exchange(false, relaxed) ? 1 : 0;
  }
  if (ended != 0) {
    word_.sub_quiet(ended);
  }
  return ended;
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
