#include <dozer/detail/spares.hpp>

#include <dozer/detail/pool_core.hpp>
#include <dozer/detail/wait.hpp>

#include "name_thread.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

namespace dozer::inline DOZER_PLATFORM::detail {

// ---- when one is needed -------------------------------------------------------------------------

void pool_core::step_aside(seat& who) noexcept {
  if (who.aside++ == 0) {
    (who.guest ? guests_aside_ : workers_aside_).fetch_add(1, relaxed);  // relaxed: the fence orders it
  }
  fence_seq_cst();  // pairs: pool.aside (posters)
  stand_in();       // also if it was aside before: it may have posted since
}

void pool_core::step_back(seat& who) noexcept {
  if (--who.aside == 0) {
    // relaxed: seen too late it costs a spare worker that is not needed
    (who.guest ? guests_aside_ : workers_aside_).fetch_sub(1, relaxed);
  }
}

void pool_core::stand_in() noexcept {
  if (left_behind_by_fork()) {
    return;
  }
  if (queued_jobs_starve()) {
    static_cast<void>(spare_workers.run_what_is_left());
  }
}

bool pool_core::queued_jobs_starve() const noexcept {
  // relaxed: the caller's fence orders them
  const std::uint32_t aside = workers_aside_.load(relaxed) + guests_aside_.load(relaxed);
  const bool one_is_idle = sleep.now().inactive() != 0;  // it sees to what is in the deques
  return (!one_is_idle && aside >= seats.seated() && sleep.jobs_in_sight()) || nobody_runs_injected(0);
}

bool pool_core::nobody_runs_injected(std::uint32_t but) const noexcept {
  return !injected.empty() && workers_aside_.load(relaxed) + but >= seats.seated_workers() &&  // relaxed: as above
         !seats.all_lent();
}

// ---- calling one --------------------------------------------------------------------------------

spare* spares::take_idle_or_make(bool& out_of_memory) noexcept {
  const std::lock_guard hold(lock_);
  if (spare* const found = idle_) {
    idle_ = found->next_;
    return found;
  }
  bool* const free = std::find(number_taken_.get(), number_taken_.get() + most_, false);
  const auto number = static_cast<std::uint32_t>(free - number_taken_.get());
  if (ending_ || number == most_) {
    why_none_came_.set(ending_ ? "the pool is ending" : "as many as max_spares allows are busy");
    return nullptr;
  }
  spare* const made = new (std::nothrow) spare(pool_, number);
  if (made == nullptr) {
    why_none_came_.set("there is no memory for one");
    out_of_memory = true;
    return nullptr;
  }
  *free = true;
  alive_.fetch_add(1, relaxed);  // relaxed: nobody waits for them to be gone before they are sent home
  return made;
}

bool spares::one_can_be_had(bool also_made) noexcept {
  const std::lock_guard hold(lock_);
  const bool* const end = number_taken_.get() + most_;
  return idle_ != nullptr ||
         (also_made && !ending_ && std::find(number_taken_.get(), number_taken_.get() + most_, false) != end);
}

spare* spares::call(spare::task to_do) noexcept {
  seat* const place = pool_.seats.take_extra();
  if (place == nullptr) {
    why_none_came_.set("the pool has no seat left for one");
    return nullptr;
  }
  bool out_of_memory = false;
  spare* const s = take_idle_or_make(out_of_memory);
  if (s == nullptr) {
    pool_.seats.return_extra(*place);
    fence_seq_cst();  // pairs: spares.seat (a spare that has become idle, or ended, and has found no seat)
    return one_can_be_had(!out_of_memory) ? call(to_do) : nullptr;
  }
  s->place_ = place;
  s->task_ = to_do;
  new (&s->dismissed_) core_latch;
  if (s->word_.load(relaxed) == spare::unborn && !start(*s)) {  // relaxed: nobody else knows it
    why_none_came_.set("the system refuses a thread");
    pool_.seats.return_extra(*place);
    return nullptr;
  }
  why_none_came_.set(nullptr);
  pool_.seats.count_in_spare();            // only now: whoever sees that relies on it
  pool_.home.enter();                      // for the spare, so that there is no moment at which nobody is able
  s->word_.store(spare::called, release);  // pairs: spares.call (the spare)
  unpark_one(&s->word_, channel::first);
  return s;
}

spare* spares::take_place() noexcept {
  spare* const called = call(spare::task::takes_a_place);
  if (called == nullptr) {
    {
      const std::lock_guard hold(lock_);
      lacking_.fetch_add(1, relaxed);  // relaxed: the fence orders it
    }
    fence_seq_cst();  // pairs: spares.lacking (who lets a spare come)
    serve();          // what was missing may have come just before
  }
  return called;
}

void spares::give_place_back(spare* mine) noexcept {
  if (mine == nullptr) {
    const std::lock_guard hold(lock_);
    if (lacking_.load(relaxed) != 0) {  // relaxed: written under the lock
      lacking_.fetch_sub(1, relaxed);   // relaxed: likewise
      return;
    }
    mine = came_late_;
    came_late_ = mine->next_;
  }
  dismiss(*mine);
}

void spares::serve_lacking() noexcept {
  if (pool_.left_behind_by_fork()) {
    return;
  }
  while (begin_serving() && served_by(call(spare::task::takes_a_place))) {
    // the next
  }
}

bool spares::begin_serving() noexcept {
  const std::lock_guard hold(lock_);
  if (ending_ || lacking_.load(relaxed) <= being_served_) {  // relaxed: written under the lock
    serve_again_ = true;  // also if none lacks one: then the next call that fails is tried once more, for nothing
    return false;
  }
  ++being_served_;
  return true;
}

bool spares::served_by(spare* called) noexcept {
  {
    const std::lock_guard hold(lock_);
    --being_served_;
    if (called == nullptr) {
      return std::exchange(serve_again_, false);
    }
    if (lacking_.load(relaxed) != 0) {  // relaxed: written under the lock
      lacking_.fetch_sub(1, relaxed);   // relaxed: likewise
      called->next_ = came_late_;
      came_late_ = called;
      return true;
    }
  }
  dismiss(*called);  // the wait is over
  return true;
}

bool spares::start(spare& s) noexcept {
  if (s.thread_.start(&spare::main, &s, pool_.options().stack_size, &pool_.workers_settings()) != 0) {
    const std::uint32_t number = s.number_;
    delete &s;
    free_number(number);
    one_fewer_alive();
    return false;
  }
  s.thread_.detach();  // it waits for its first call meanwhile
  return true;
}

void spares::dismiss(spare& s) noexcept {
  seat& place = *s.place_;  // read before: afterwards it may be somebody else's spare
  if (s.dismissed_.set()) {
    wake_latch_owner(place, current_seat());
  }
}

// ---- its life -----------------------------------------------------------------------------------

void spare::main(void* self) noexcept {
  auto& me = *static_cast<spare*>(self);
  pool_core& pool = me.pool_;
  const pool_options& options = pool.options();
  const std::uint32_t index = pool.seats.workers() + me.number_;
  name_thread(options.name, "-s", me.number_);
  if (options.on_thread_start) {
    options.on_thread_start(index);
  }
  while (me.word_.load(acquire) == unborn) {  // pairs: spares.call (caller)
    park(me.word_, unborn, channel::first);
  }
  do {
    me.work();
  } while (pool.spare_workers.wait_for_call(me));
  if (options.on_thread_exit) {
    options.on_thread_exit(index);
  }
  const std::uint32_t number = me.number_;
  delete &me;
  pool.spare_workers.gone(number);
}

void spare::work() noexcept {
  const extra_stay here(*place_, false);
  task_ == task::takes_a_place ? live_until(*place_, dismissed_) : run_until_others_run(*place_);
}

bool spares::become_idle(spare& s) noexcept {
  const std::lock_guard hold(lock_);
  if (ending_) {
    return false;
  }
  s.word_.store(spare::idle, relaxed);  // relaxed: the lock publishes it
  s.next_ = idle_;
  idle_ = &s;
  return true;
}

bool spares::wait_for_call(spare& s) noexcept {
  if (!become_idle(s)) {
    return false;
  }
  // pairs: pool.aside (step_aside)
  // pairs: spares.lacking (take_place)
  // pairs: spares.seat (call)
  fence_seq_cst();
  serve();
  pool_.stand_in_if_nobody_runs();
  pool_.home.leave();  // not sooner: whoever looks into a standstill must find it idle
  std::uint64_t until = deadline_after(idle_for);
  for (;;) {
    const std::uint32_t seen = s.word_.load(acquire);  // pairs: spares.call (caller)
    if (seen == spare::sent_home) {
      pool_.home.enter();
      return false;
    }
    if (seen == spare::called) {
      return true;
    }
    if (now_ns() >= until) {
      const std::lock_guard hold(lock_);
      for (spare** at = &idle_; *at != nullptr; at = &(*at)->next_) {
        if (*at == &s) {
          *at = s.next_;
          pool_.home.enter();  // until its number is free again: whoever looks into a standstill must find either
          return false;
        }
      }
      until = no_deadline;  // somebody is about to call
    }
    park(s.word_, spare::idle, channel::first, until);
  }
}

// ---- the end ------------------------------------------------------------------------------------

void spares::gone(std::uint32_t number) noexcept {
  free_number(number);
  // pairs: pool.aside (step_aside)
  // pairs: spares.lacking (take_place)
  // pairs: spares.seat (call)
  fence_seq_cst();
  serve();
  pool_.stand_in_if_nobody_runs();
  pool_.home.leave();
  one_fewer_alive();
}

void spares::free_number(std::uint32_t number) noexcept {
  const std::lock_guard hold(lock_);
  number_taken_[number] = false;
}

void spares::one_fewer_alive() noexcept {
  if (alive_.fetch_sub(1, release) == 1) {  // pairs: spares.gone (wait_until_gone)
    unpark_all(&alive_, channel::first);
  }
}

void spares::send_home() noexcept {
  const std::lock_guard hold(lock_);
  ending_ = true;
  while (idle_ != nullptr) {
    spare& one = *idle_;
    idle_ = one.next_;
    one.word_.store(spare::sent_home, release);  // pairs: spares.call (the spare)
    unpark_one(&one.word_, channel::first);
  }
}

void spares::wait_until_gone() noexcept {
  for (;;) {
    const std::uint32_t left = alive_.load(acquire);  // pairs: spares.gone (the spares)
    if (left == 0) {
      return;
    }
    park(alive_, left, channel::first);
  }
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
