#include <dozer/detail/wait.hpp>

#include <dozer/detail/join_job.hpp>
#include <dozer/detail/pool_core.hpp>

namespace dozer::inline DOZER_PLATFORM::detail {

void run_job(seat& me, job& j) noexcept {
  me.counts.jobs.bump();
  me.doing.begin_job(j.kind->name(j), j.kind->awaited_as(j));
  j.kind->run(j, me);
  me.doing.end();
}

namespace {

job* steal_from(seat& me, seat& victim, bool& lost) noexcept {
  const deque_thief::loot got = victim.others().steal();
  if (got.stolen != nullptr) {
    me.took_from = &victim;
    me.counts.steals.bump();
  } else if (got.lost) {
    me.counts.steals_lost.bump();
    lost = true;
  }
  return got.stolen;
}

/// Visits every other seat, from a random one on and around, until `visit` returns a job.
template <class Visit>
job* visit_others(seat& me, Visit&& visit) noexcept {
  seating& seats = me.pool->seats;
  const std::uint32_t bound = seats.bound();
  std::uint32_t victim = me.chance.below(bound);
  for (std::uint32_t i = 0; i < bound; ++i) {
    if (victim != me.index) {
      if (job* const j = visit(seats[victim])) {
        return j;
      }
    }
    victim = victim + 1 == bound ? 0 : victim + 1;
  }
  return nullptr;
}

/// What is public.
job* steal(seat& me) noexcept {
  for (;;) {
    bool lost = false;
    job* const j = visit_others(me, [&](seat& victim) { return steal_from(me, victim, lost); });
    if (j != nullptr || !lost) {
      return j;
    }
  }
}

/// What an owner keeps to itself because it does not fork, and so does not see that somebody is hungry.
job* expose_and_steal(seat& me) noexcept {
  return visit_others(me, [&](seat& victim) -> job* {
    while (victim.others().has_private()) {
      victim.others().expose(me.index, [&] {
        me.sleep->fence_heavy(me);  // pairs: deque.expose (owner)
      });
      bool lost = false;
      if (job* const j = steal_from(me, victim, lost)) {
        return j;
      }
    }
    return nullptr;
  });
}

DOZER_WAKE_PATH job* take_injected(seat& me) noexcept {
  pool_core& pool = *me.pool;
  if (pool.injected.empty() || (me.guest && !pool.seats.all_lent())) {
    return nullptr;
  }
  job* const j = pool.injected.pop();
  if (j != nullptr) {
    me.counts.injected.bump();
  }
  return j;
}

}  // namespace

job* find_job(seat& me) noexcept {
  if (job* const j = find_own_job(me)) {
    return j;
  }
  if (job* const j = steal(me)) {
    return j;
  }
  return take_injected(me);
}

job* find_any_job(seat& me) noexcept {
  job* const j = find_job(me);
  return j != nullptr ? j : expose_and_steal(me);
}

namespace {

/// Searches and sleeps until a job is found or `over()`, and leaves the search.
template <class Over>
DOZER_WAKE_PATH job* look_for_a_job(seat& me, idle_state& idle, Over&& over) noexcept {
  sleep_module& sleep = me.pool->sleep;
  job* found = nullptr;
  bool passed_on = false;
  while (!over()) {
    // Who has just been woken, all others being asleep perhaps, looks first where it is likely to have been woken for.
    found = idle.just_woken() ? take_injected(me) : nullptr;
    if (found == nullptr) {
      found = idle.insists() ? find_any_job(me) : find_job(me);
    }
    if (found != nullptr) {
      break;
    }
    if (me.guest && !passed_on && !me.pool->injected.empty()) {
      // Not ours to run, but somebody may have counted on us: the sooner a worker knows the better. Once is enough, the
      // rest is seen to before we sleep.
      passed_on = true;
      if (sleep.guest_runs_injected(me)) {
        continue;
      }
    }
    sleep.no_work_found(idle);
  }
  sleep.stop_looking(idle);
  return found;
}

DOZER_WAKE_PATH bool help_until(seat& me, core_latch& latch, wait_reason why, std::uint64_t deadline) noexcept {
  const auto over = [&] {
    return latch.probe() || (deadline != no_deadline && now_ns() >= deadline) ||
           (why == wait_reason::future && me.interrupted.load(relaxed));  // relaxed: nothing comes with it
  };
  while (!over()) {
    me.pool->abort_if_forked();
    // Own queues first: who finds work there never touches the counters.
    job* found = find_own_job(me);
    if (found == nullptr) {
      idle_state idle = me.pool->sleep.start_looking(me, latch, why, deadline);
      found = look_for_a_job(me, idle, over);
    }
    if (found != nullptr) {
      run_job(me, *found);
    }
  }
  me.pool->abort_if_forked();
  return latch.probe();
}

}  // namespace

bool wait_until(seat& me, core_latch& latch, wait_reason why, const void* what, std::uint64_t deadline) noexcept {
  me.doing.begin_wait({.what = what, .why = why});
  const bool set = help_until(me, latch, why, deadline);
  me.interrupted.store(false, relaxed);  // relaxed: nothing comes with it
  me.doing.end();
  return set;
}

bool take_back_or_wait(const job& forked, core_latch& done, std::uint64_t position) noexcept {
  if (current_seat() == nullptr) {
    abort_after_fork();
  }
  seat& me = *current_seat();
  deque_owner mine = me.own();
  bool on_top = mine.nothing_above(position);
  while (!on_top && !done.probe()) {
    job* const j = take_own_job(me);
    if (j == nullptr) {
      break;
    }
    run_job(me, *j);
    on_top = mine.position() == position + 1;
  }
  if (on_top && mine.take_public(position)) {
    return true;
  }
  wait_until(me, done, wait_reason::join, &forked);
  return false;
}

void live(seat& me) noexcept {
  idle_state at_birth = me.pool->sleep.wait_at_birth(me);
  if (job* const first = look_for_a_job(me, at_birth, [&] { return me.stop.probe(); })) {
    run_job(me, *first);
  }
  live_until(me, me.stop);
}

void live_until(seat& me, core_latch& over) noexcept {
  static_cast<void>(help_until(me, over, wait_reason::work, no_deadline));
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
