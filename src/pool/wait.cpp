#include <dozer/detail/wait.hpp>

#include <dozer/detail/join_job.hpp>
#include <dozer/detail/pool_core.hpp>

#include <iterator>

namespace dozer::inline DOZER_PLATFORM::detail {

namespace {

void run_here(seat& me, job& j) noexcept {
  me.counts.jobs.bump();
  me.doing.begin_job(j.kind->name(j), j.kind->awaited_as(j));
  j.kind->run(j, me);
  me.doing.end();
}

/// Its waits and forks are in the isolation that it was forked in.
DOZER_COLD void run_isolated(seat& me, entry e) noexcept {
  const isolation in = e.forked_in();
  if (in == me.own().isolated_in()) {
    run_here(me, *e.what());
  } else {
    const deque_owner::seclusion before = me.enter_isolation(in);
    run_here(me, *e.what());
    me.leave_isolation(before);
  }
  if (e.is_posted()) {
    me.pool->isolated.let_go(in);
  }
}

}  // namespace

void run_job(seat& me, entry e) noexcept { e.forked_in().any() ? run_isolated(me, e) : run_here(me, *e.what()); }

void run_in_between(seat& me, entry e) noexcept {
  const bool goes_on = pool_core::holds_a_place(me);
  const activity before = me.state.get();
  me.pool->runs_another(me);
  me.state.set(activity::active);
  run_job(me, e);
  me.state.set(before);
  goes_on ? me.pool->runs(me) : me.pool->rests(me);
}

namespace {

/// From the own deque.
entry take_own_job(seat& me) noexcept {
  me.took_from = &me;
  return me.own().take();
}

entry take_oldest_own(seat& me) noexcept {
  me.took_from = &me;
  return me.own().take_oldest();
}

entry steal_from(seat& me, seat& victim, isolation only_in, bool& lost) noexcept {
  const isolations& known = me.pool->isolated;
  const deque_thief::loot got =
      only_in.any() ? victim.others().steal_if([&](entry e) { return known.is_inside(e.forked_in(), only_in); })
                    : victim.others().steal();
  if (got.stolen) {
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
entry visit_others(seat& me, Visit&& visit) noexcept {
  seating& seats = me.pool->seats;
  const std::uint32_t bound = seats.bound();
  std::uint32_t victim = me.chance.below(bound);
  for (std::uint32_t i = 0; i < bound; ++i) {
    if (victim != me.index) {
      if (const entry found = visit(seats[victim])) {
        return found;
      }
    }
    victim = victim + 1 == bound ? 0 : victim + 1;
  }
  return {};
}

/// What is public.
entry steal(seat& me, isolation only_in = isolation()) noexcept {
  for (;;) {
    bool lost = false;
    const entry found = visit_others(me, [&](seat& victim) { return steal_from(me, victim, only_in, lost); });
    if (found || !lost) {
      return found;
    }
  }
}

/// What an owner keeps to itself because it does not fork, and so does not see that somebody is hungry.
entry expose_and_steal(seat& me) noexcept {
  return visit_others(me, [&](seat& victim) -> entry {
    while (victim.others().has_private()) {
      victim.others().expose(me.index, [&] {
        me.sleep->fence_heavy(me);  // pairs: deque.expose (owner)
      });
      bool lost = false;
      if (const entry found = steal_from(me, victim, isolation(), lost)) {
        return found;
      }
    }
    return {};
  });
}

/// Or null, and then none.
entry posted_elsewhere(posted_job* j) noexcept { return j != nullptr ? entry::posted(*j, j->made_in) : entry(); }

/// In an isolation only what was sent inside, or is awaited by the caller itself.
entry take_mail(seat& me, const void* awaited = nullptr) noexcept {
  const isolation in = me.own().isolated_in();
  return posted_elsewhere(!in.any() ? me.mail.pop() : me.mail.pop_if([&](const posted_job& j) {
    return me.pool->isolated.is_inside(j.made_in, in) || j.kind->awaited_as(j) == awaited;
  }));
}

DOZER_WAKE_PATH entry take_injected(seat& me) noexcept {
  pool_core& pool = *me.pool;
  if (pool.injected.empty() || (me.guest && !pool.seats.all_lent())) {
    return {};
  }
  posted_job* const j = pool.injected.pop();
  if (j == nullptr) {
    return {};
  }
  me.counts.injected.bump();
  me.turn.took_injected();
  return posted_elsewhere(j);
}

/// The next of a stream of injected jobs, by a member that is not counted as looking for work: so it costs no step of
/// the counters. The stream has an end: a member that forks must see from time to time that another one is hungry.
DOZER_WAKE_PATH entry take_next_injected(seat& me) noexcept {
  return me.turn.is_in_a_stream() ? take_injected(me) : entry();
}

/// Once in a while a job from where find_job looks late or never: jobs that spawn themselves again would keep the
/// member from it for ever.
DOZER_WAKE_PATH entry take_in_turn(seat& me) noexcept {
  if (!me.turn.is_others()) {
    return {};
  }
  using source = entry (*)(seat&) noexcept;
  static constexpr source sources[] = {[](seat& s) noexcept { return take_mail(s); }, &take_injected, &take_oldest_own};
  const bool isolated = me.own().isolated_in().any();  // then the injector is not for the member
  const std::uint32_t first = me.turn.first_of(std::size(sources));
  for (std::uint32_t i = 0; i < std::size(sources); ++i) {
    const source from = sources[(first + i) % std::size(sources)];
    if (isolated && from == &take_injected) {
      continue;
    }
    if (const entry found = from(me)) {
      return found;
    }
  }
  return {};
}

entry find_job(seat& me) noexcept {
  if (const entry own = find_own_job(me)) {
    return own;
  }
  if (const entry stolen = steal(me)) {
    me.turn.took_from_a_deque();
    return stolen;
  }
  // An owner deep in a long job does not see that the caller is hungry, and the caller does not insist while it finds
  // injected jobs.
  if (me.turn.is_private_jobs()) {
    if (const entry exposed = expose_and_steal(me)) {
      return exposed;
    }
  }
  return take_injected(me);
}

/// What was forked in the isolation that the caller is in, wherever it stands.
entry find_isolated(seat& me, const void* awaited) noexcept {
  if (const entry in_turn = take_in_turn(me)) {
    return in_turn;
  }
  if (const entry own = take_own_job(me)) {
    return own;
  }
  if (const entry mail = take_mail(me, awaited)) {
    return mail;
  }
  const isolation in = me.own().isolated_in();
  return in == isolation::nameless() ? entry() : steal(me, in);
}

}  // namespace

entry find_own_job(seat& me) noexcept {
  if (const entry own = take_own_job(me)) {
    return own;
  }
  return take_mail(me);
}

entry find_any_job(seat& me) noexcept {
  if (me.own().isolated_in().any()) {
    return find_isolated(me, nullptr);
  }
  const entry found = find_job(me);
  return found ? found : expose_and_steal(me);
}

bool stack_is_short(const seat& me) noexcept { return stack_has_less_than(me.pool->options().stack_headroom); }

namespace {

/// Where the stack is short. Nobody else can run the mail; but in the end only what the caller waits for itself.
entry take_mail_at_the_end(seat& me, const void* awaited) noexcept {
  if (!stack_has_less_than(me.pool->options().stack_headroom / 4)) {
    return take_mail(me, awaited);
  }
  return posted_elsewhere(me.mail.pop_if([&](const posted_job& j) { return j.kind->awaited_as(j) == awaited; }));
}

/// Searches and sleeps until a job is found or `over()`, and leaves the search.
template <class Over>
DOZER_WAKE_PATH entry look_for_a_job(seat& me, idle_state& idle, Over&& over) noexcept {
  sleep_module& sleep = me.pool->sleep;
  entry found;
  bool passed_on = false;
  while (!over()) {
    // Who has just been woken, all others being asleep perhaps, looks first where it is likely to have been woken for.
    found = idle.just_woken() ? take_injected(me) : entry();
    if (!found) {
      found = idle.insists() ? find_any_job(me) : find_job(me);
    }
    if (found) {
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

struct wait {
  core_latch& latch;
  wait_reason why;
  const void* what;
  std::uint64_t deadline;

  [[nodiscard]] bool is_over(const seat& me) const noexcept {
    return latch.probe() || (deadline != no_deadline && now_ns() >= deadline) ||
           (why == wait_reason::future && me.innermost.is_interrupted());
  }
};

DOZER_WAKE_PATH void help_until(seat& me, const wait& w) noexcept {
  const auto over = [&] { return w.is_over(me); };
  const bool goes_on = w.why != wait_reason::work && pool_core::holds_a_place(me);
  while (!over()) {
    me.pool->abort_if_forked();
    // Own queues first, as a rule: a member that finds work there never touches the counters.
    entry found = take_in_turn(me);
    if (!found) {
      found = find_own_job(me);
    }
    if (!found) {
      found = take_next_injected(me);
    }
    if (!found) {
      me.pool->rests(me);
      me.pool->settle(me);
      idle_state idle = me.pool->sleep.start_looking(me, w.latch, w.why, w.deadline);
      found = look_for_a_job(me, idle, over);
    }
    if (found) {
      me.pool->runs_another(me);
      me.doing.lasts();
      me.state.set(activity::active);
      run_job(me, found);
    }
  }
  goes_on ? me.pool->runs(me) : me.pool->rests(me);
}

/// In an isolation, or where the stack comes to its end: runs nothing but what belongs to the isolation, or nothing. So
/// nobody may count on the caller.
DOZER_COLD void wait_apart(seat& me, const wait& w, bool runs_nothing) noexcept {
  apart_state apart = me.pool->sleep.start_waiting_apart(me, w.latch, w.why, w.deadline, runs_nothing);
  const bool goes_on = pool_core::holds_a_place(me);
  while (!w.is_over(me)) {
    me.pool->abort_if_forked();
    if (const entry found = runs_nothing ? take_mail_at_the_end(me, w.what) : find_isolated(me, w.what)) {
      me.pool->runs_another(me);
      me.pool->sleep.stop_waiting_apart(apart);
      me.doing.lasts();
      me.state.set(activity::active);
      run_job(me, found);
    } else if (!me.pool->sleep.search_apart(apart)) {
      me.pool->rests(me);
      me.pool->step_aside(me);
      me.pool->sleep.sleep_apart(apart);
      me.pool->step_back(me);
    }
  }
  goes_on ? me.pool->runs(me) : me.pool->rests(me);
  me.pool->sleep.stop_waiting_apart(apart);
}

}  // namespace

bool wait_until(seat& me, core_latch& latch, wait_reason why, const void* what, std::uint64_t deadline,
                const std::source_location& where) noexcept {
  const wait w{latch, why, what, deadline};
  const bool known = where.line() != 0;
  me.doing.begin_wait({.what = what,
                       .why = why,
                       .timed = deadline != no_deadline,
                       .file = known ? where.file_name() : nullptr,
                       .line = where.line(),
                       .function = known ? where.function_name() : nullptr});
  const std::uint64_t outer = me.innermost.begin(why == wait_reason::future);
  const activity before = me.state.get();
  const bool runs_nothing = stack_is_short(me);
  me.own().isolated_in().any() || runs_nothing ? wait_apart(me, w, runs_nothing) : help_until(me, w);
  me.pool->abort_if_forked();
  me.state.set(before);
  me.innermost.end(outer);
  me.doing.end();
  return latch.probe();
}

bool get_back(core_latch& done, std::uint64_t position) noexcept {
  if (current_seat() == nullptr) {
    abort_after_fork();
  }
  seat& me = own_seat();
  deque_owner mine = me.own();
  bool on_top = mine.nothing_above(position);
  // What top has passed was stolen; `done` may say late that it has run.
  while (!on_top && mine.holds(position) && !done.probe() && !stack_is_short(me)) {
    entry above = take_in_turn(me);  // the jobs above may never end
    if (!above) {
      above = take_own_job(me);
    }
    if (!above) {
      break;
    }
    run_in_between(me, above);
    on_top = mine.position() == position + 1;
  }
  return on_top && mine.take_public(position);
}

bool take_back_or_wait(const job& forked, core_latch& done, std::uint64_t position) noexcept {
  if (get_back(done, position)) {
    return true;
  }
  wait_until(own_seat(), done, wait_reason::join, &forked);
  return false;
}

void live(seat& me) noexcept {
  idle_state at_birth = me.pool->sleep.wait_at_birth(me);
  if (const entry first = look_for_a_job(me, at_birth, [&] { return me.stop.probe(); })) {
    me.pool->runs(me);
    run_job(me, first);
  }
  live_until(me, me.stop);
}

void run_until_others_run(seat& me) noexcept {
  bool gives_way = false;
  do {
    const entry found = find_any_job(me);
    if (!found) {
      break;
    }
    me.pool->runs(me);
    run_job(me, found);
    gives_way = me.pool->bodies.wanted();  // the next step takes the first one out of the line
    me.pool->rests(me);
  } while (!gives_way &&
           (me.pool->sleep.now().searchers() == 0 || me.pool->nobody_runs_injected(1)));  // searchers may be guests
}

void live_until(seat& me, core_latch& over) noexcept {
  help_until(me, {over, wait_reason::work, nullptr, no_deadline});
  me.pool->abort_if_forked();
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
