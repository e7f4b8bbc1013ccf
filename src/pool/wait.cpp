#include <dozer/detail/wait.hpp>

#include <dozer/detail/pool_core.hpp>

namespace dozer::inline DOZER_PLATFORM::detail {

void run_job(seat& me, job& j) noexcept {
  me.counts.jobs.bump();
  const char* const outer = me.job_name.get();
  me.job_name.set(j.kind->name(j));
  j.kind->run(j, me);
  me.job_name.set(outer);
}

namespace {

job* steal_from(seat& me, seat& victim, bool& lost) noexcept {
  const deque_thief::loot got = victim.others().steal();
  if (got.stolen != nullptr) {
    me.counts.steals.bump();
  } else if (got.lost) {
    me.counts.steals_lost.bump();
    lost = true;
  }
  return got.stolen;
}

/// Every other deque, from a random one on and around.
job* steal(seat& me) noexcept {
  seating& seats = me.pool->seats;
  for (;;) {
    const std::uint32_t bound = seats.bound();
    bool lost = false;
    std::uint32_t victim = me.chance.below(bound);
    for (std::uint32_t i = 0; i < bound; ++i) {
      if (victim != me.index) {
        if (job* const j = steal_from(me, seats[victim], lost)) {
          return j;
        }
      }
      victim = victim + 1 == bound ? 0 : victim + 1;
    }
    if (!lost) {
      return nullptr;
    }
  }
}

job* take_injected(seat& me) noexcept {
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

namespace {

/// Searches and sleeps until a job is found or `over()`, and leaves the search.
template <class Over>
job* look_for_a_job(seat& me, idle_state& idle, Over&& over) noexcept {
  sleep_module& sleep = me.pool->sleep;
  job* found = nullptr;
  bool passed_on = false;
  while (!over() && (found = find_job(me)) == nullptr) {
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

}  // namespace

bool wait_until(seat& me, core_latch& latch, wait_reason why, std::uint64_t deadline) noexcept {
  const auto over = [&] { return latch.probe() || (deadline != no_deadline && now_ns() >= deadline); };
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

void live(seat& me) noexcept {
  idle_state at_birth = me.pool->sleep.wait_at_birth(me);
  if (job* const first = look_for_a_job(me, at_birth, [&] { return me.stop.probe(); })) {
    run_job(me, *first);
  }
  static_cast<void>(wait_until(me, me.stop, wait_reason::work));
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
