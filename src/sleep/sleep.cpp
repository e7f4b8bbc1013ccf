// Going to sleep, and leaving the search. The step numbers are those of README.md beside this file.
#include <dozer/detail/sleep.hpp>

#include <algorithm>

namespace dozer::inline DOZER_PLATFORM::detail {

sleep_module::sleep_module(domain& home, seating& seats, injector& injected, const isolations& isolated,
                           const idle_options& options, std::uint32_t jec_start)
    : word_(jec_start),
      sleepers_(seats.capacity()),
      home_(home),
      seats_(seats),
      injected_(injected),
      isolated_(isolated),
      options_(options),
      process_fence_(options.fences == fence_policy::automatic && fence_process_available()),
      always_hungry_(0) {
  always_hungry_.add_inactive();
}

void sleep_module::fence_heavy(seat& by) noexcept {
  by.counts.heavy_fences.bump();
  if (process_fence_) {
    fence_process();  // pairs: sleep.fork (somebody_is_hungry in every other thread)
  } else {
    fence_seq_cst();  // pairs: sleep.fork (jobs_forked in every other thread)
  }
}

sleep_module::sight sleep_module::look_for_all(seat& by, std::uint32_t others_inactive, std::uint64_t departed,
                                               forks so_far) noexcept {
  // pairs: sleep.inject (poster)
  // pairs: sleep.alone (guest in an extra seat)
  // pairs: sleep.quiet (jobs_forked)
  fence_seq_cst();
  if (others_inactive + 1 == seats_.seated_since(departed)) {
    return look_where_all_are_inactive(by);
  }
  if (so_far == forks::may_have_missed_it) {
    fence_heavy(by);  // pairs: sleep.fork (somebody_is_hungry in every other thread)
  }
  return look();
}

/// Guests may have left jobs in the caller's seat, and in extra seats that are empty now.
sleep_module::sight sleep_module::look_where_all_are_inactive(seat& by) const noexcept {
  sight seen{!injected_.empty(), by.others().in_sight()};
  const std::uint32_t bound = seats_.bound();
  for (std::uint32_t i = seats_.workers(); i < bound && !seen.in_deques; ++i) {
    seen.in_deques = seats_[i].others().in_sight();
  }
  return seen;
}

// ---- birth --------------------------------------------------------------------------------------

void sleep_module::born_asleep(seat& s) noexcept {
  sleepers_.insert(s.index);
  s.parker.get_drowsy(0);
  word_.add_asleep_and_inactive();
  static_cast<void>(s.stop.get_sleepy() && s.stop.fall_asleep() && s.parker.fall_asleep(0));
  s.state.set(activity::asleep);
  s.why.set(wait_reason::work);
}

idle_state sleep_module::wait_at_birth(seat& me) noexcept {
  static_cast<void>(me.parker.wait(0, no_deadline));
  note_occupant(me);
  me.to_shun.woken(me.woken_from);
  me.stop.wake_up();
  me.state.set(activity::idle);
  return {me, me.stop, wait_reason::work, no_deadline, true};
}

// ---- searching ----------------------------------------------------------------------------------

idle_state sleep_module::start_looking(seat& me, core_latch& until, wait_reason why, std::uint64_t deadline) noexcept {
  end_quiet(me);
  word_.add_inactive();  // step 1
  me.state.set(activity::idle);
  me.why.set(why);
  return {me, until, why, deadline, false};
}

void sleep_module::no_work_found(idle_state& idle) noexcept {
  if (idle.sleepy_) {
    const sleepy_token token = *idle.sleepy_;
    idle.sleepy_.reset();
    fall_asleep(idle, token);
  } else if (!search_on(idle)) {
    announce_sleepy(idle);
  }
}

namespace {

void pause_for(std::uint32_t times) noexcept {
  for (std::uint32_t i = 0; i < times; ++i) {
    cpu_relax();
  }
}

constexpr std::uint32_t most_pauses = 32;

}  // namespace

/// Waits a little before the next search. False: enough of it.
bool sleep_module::search_on(idle_state& idle) noexcept {
  if (idle.just_woken_) {
    idle.just_woken_ = false;
    idle.who_.counts.wakes_fruitless.bump();
    if (options_.search == search_policy::budget) {
      return false;
    }
  }
  ++idle.rounds_;
  switch (options_.search) {
    case search_policy::budget:
    case search_policy::always_budget:
      return search_within_budget(idle);
    case search_policy::spins:
      pause_for(most_pauses);
      break;
    case search_policy::yields:
      yield_thread();
      break;
  }
  return idle.rounds_ < fixed_search_rounds;
}

/// Spins in the first half of the time and yields in the second.
bool sleep_module::search_within_budget(idle_state& idle) noexcept {
  const std::uint64_t now = now_ns();
  const auto budget = static_cast<std::uint64_t>(options_.search_for.count());
  if (idle.search_until_ == 0) {
    idle.search_until_ = now + budget;
  }
  if (now >= idle.search_until_) {
    return false;
  }
  if (idle.search_until_ - now > budget / 2) {
    pause_for(idle.pauses_);
    idle.pauses_ = std::min(2 * idle.pauses_, most_pauses);
  } else {
    yield_thread();
  }
  return true;
}

void sleep_module::announce_sleepy(idle_state& idle) noexcept {
  idle.sleepy_ = sleepy_token(word_.announce_sleepy().jec());  // step 2
  if (!idle.until_.get_sleepy()) {
    idle.sleepy_.reset();  // the latch is set; the caller will see it
    return;
  }
  idle.who_.state.set(activity::sleepy);
}

void sleep_module::stop_looking(idle_state& idle) noexcept {
  idle.until_.wake_up();
  seat& me = idle.who_;
  me.state.set(activity::active);
  me.why.set(wait_reason::none);
  const std::uint64_t departed = seats_.departures();
  wake_on_leaving(me, word_.sub_inactive(), departed);  // keeps I3: posters may have relied on this searcher
}

// ---- falling asleep -----------------------------------------------------------------------------

void sleep_module::fall_asleep(idle_state& idle, sleepy_token token) noexcept {
  seat& me = idle.who_;
  // Whoever sleeps in the middle of a job must come back as soon as its latch is set: its seat is not for lending.
  const std::uint32_t without_a_job = me.index < seats_.workers() ? 0 : parked::spare;
  const std::uint32_t who = me.guest ? parked::lent : (idle.why_ == wait_reason::work ? without_a_job : parked::bound);
  const std::uint32_t marks = who | (idle.deadline_ != no_deadline ? parked::timed : 0);

  sleepers_.insert(me.index);  // step 3
  me.parker.get_drowsy(marks);
  const std::uint64_t departed = seats_.departures();
  counters before(0);
  if (!word_.try_add_asleep(token.jec_, before)) {  // step 4
    sleepers_.erase(me.index);
    me.parker.stay_awake(marks);
    idle.until_.wake_up();
    announce_sleepy(idle);  // announce again, then one more search
    return;
  }
  // Steps 5 and 7. The latch is marked last: from then on its setter counts on finding the parker drowsy or asleep.
  if (something_in_sight(me, before, departed) || !idle.until_.fall_asleep() || !me.parker.fall_asleep(marks)) {
    word_.sub_asleep();  // step 6
    sleepers_.erase(me.index);
    me.parker.stay_awake(marks);
    // A job in sight that cannot be had is about to be exposed by another thread; perhaps one of lower priority, which
    // this one keeps from running.
    if (idle.in_vain_ < vain_rounds_before_naps) {
      ++idle.in_vain_;
    } else {
      nap();
    }
  } else {
    idle.just_woken_ = park(me, marks, idle.deadline_);  // step 8
    idle.in_vain_ = 0;
  }
  idle.until_.wake_up();
  me.state.set(activity::idle);
  idle.search_until_ = 0;
  idle.rounds_ = 0;
  idle.pauses_ = 1;
}

bool sleep_module::something_in_sight(seat& me, counters before, std::uint64_t departed) noexcept {
  sight seen;
  if (before.searchers() == 1) {
    // Posters that still see us searching rely on us, also for jobs in their deques (keeps I3).
    seen = look_for_all(me, before.inactive() - 1, departed);
  } else {
    fence_seq_cst();  // pairs: sleep.inject (poster)
    seen.injected = !injected_.empty();
  }
  if (seen.injected && me.guest) {
    seen.injected = guest_runs_injected(me);
  }
  return seen.injected || seen.in_deques || !me.mail.empty();
}

bool sleep_module::park(seat& me, std::uint32_t marks, std::uint64_t deadline) noexcept {
  me.counts.parks.bump();
  me.state.set(activity::asleep);
  const bool in_no_job = !parked(parked::asleep, marks).is_in_a_job();
  if (!in_no_job) {
    me.doing.lasts();
  }
  if (deadline == no_deadline) {
    home_.rest(in_no_job ? resting::without_a_job : resting::waiting);
  }
  // Not where there are more workers than processors: they would only crowd the others.
  const kept_off from_its_waker(in_no_job && options_.avoid_waker ? me.to_shun.in_this_sleep() : no_processor,
                                seats_.workers() - 1);
  if (me.parker.wait(marks, deadline)) {
    if (in_no_job) {
      note_occupant(me);
      me.to_shun.woken(me.woken_from);
    }
    return true;
  }
  // The time is up: claim the own parker and do the waker's bookkeeping, unless a waker is at it already.
  const parked sleeping(parked::asleep, marks);
  if (me.parker.claim(sleeping)) {
    no_longer_registered(me, sleeping);
    me.parker.rise(marks);
  } else {
    static_cast<void>(me.parker.wait(marks, no_deadline));
  }
  return false;
}

// ---- apart --------------------------------------------------------------------------------------

apart_state sleep_module::start_waiting_apart(seat& me, core_latch& until, wait_reason why, std::uint64_t deadline,
                                              bool runs_nothing) noexcept {
  return {me, until, why, deadline, runs_nothing};
}

bool sleep_module::search_apart(apart_state& apart) noexcept {
  seat& me = apart.who_;
  me.state.set(activity::idle);
  me.why.set(apart.why_);
  const std::uint64_t now = now_ns();
  if (apart.sleep_from_ == 0) {
    apart.sleep_from_ = now + static_cast<std::uint64_t>(options_.search_for.count());
  }
  if (now >= apart.sleep_from_) {
    return false;
  }
  yield_thread();
  return true;
}

void sleep_module::sleep_apart(apart_state& apart) noexcept {
  seat& me = apart.who_;
  about_to_block(me);  // what it has queued is for others to run
  const std::uint32_t marks =
      (me.guest ? parked::lent : parked::bound) | parked::apart | (apart.deadline_ != no_deadline ? parked::timed : 0);
  if (!apart.until_.get_sleepy()) {
    return;
  }
  const isolation in = apart.runs_nothing_ ? isolation() : me.own().isolated_in();
  if (in.any()) {
    me.waits_in.store(in.bits(), relaxed);     // relaxed: the fence orders it
    isolated_sleepers_.fetch_add(1, relaxed);  // relaxed: likewise
  }
  me.parker.get_drowsy(marks);
  // pairs: sleep.inject (who sends mail)
  // pairs: sleep.isolated (who forks in the isolation)
  fence_seq_cst();
  const bool nothing = !me.mail.has_come() && !(in.any() && isolated_job_in_sight(me));
  if (nothing && apart.until_.fall_asleep() && me.parker.fall_asleep(marks)) {
    static_cast<void>(park(me, marks, apart.deadline_));
  } else {
    me.parker.stay_awake(marks);
  }
  if (in.any()) {
    isolated_sleepers_.fetch_sub(1, relaxed);  // relaxed: seen too late it costs a needless look
    me.waits_in.store(0, relaxed);             // relaxed: likewise
  }
  apart.until_.wake_up();
}

/// Whether a thief in the same isolation could take a job from another deque. Its own deque the caller has looked at.
bool sleep_module::isolated_job_in_sight(const seat& me) noexcept {
  const isolation in(me.waits_in.load(relaxed));  // relaxed: its own
  const std::uint32_t bound = seats_.bound();
  for (std::uint32_t i = 0; i < bound; ++i) {
    if (i != me.index &&
        seats_[i].others().oldest_is([&](entry e) { return isolated_.is_inside(e.forked_in(), in); })) {
      return true;
    }
  }
  return false;
}

void sleep_module::stop_waiting_apart(apart_state& apart) noexcept {
  apart.who_.state.set(activity::active);
  apart.who_.why.set(wait_reason::none);
  apart.sleep_from_ = 0;
}

bool sleep_module::guest_runs_injected(seat& guest) noexcept {
  // Between seeing the job and looking for a sleeper: a worker that registers before this fence is found below, one
  // that registers after it finds the job.
  fence_seq_cst();  // pairs: sleep.inject (poster, sleepers)
  wake_some(1, &guest, wake_cause::job_injected, helper::runs_injected);
  return seats_.all_lent();
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
