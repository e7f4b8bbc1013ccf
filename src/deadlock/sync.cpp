#include <dozer/sync.hpp>

#include "without_memory.hpp"

#include <dozer/detail/abort.hpp>
#include <dozer/detail/seat.hpp>

#include <string>
#include <system_error>

namespace dozer::inline DOZER_PLATFORM {

namespace detail {

std::uint64_t my_holder_id() noexcept {
  if (const seat* const me = current_seat()) {
    return me->thread.get();
  }
  return thread_number() | outsiders_mark;
}

namespace {

doing_now noted(const char* name, const void* what, wait_reason why, std::source_location where) noexcept {
  return {.name = name,
          .what = what,
          .why = why,
          .file = where.file_name(),
          .line = where.line(),
          .function = where.function_name()};
}

[[noreturn]] void throw_out(const waiter& of) {
  throw_deadlock_error([&] {
    const doing_now& wait = of.what();
    return "dozer: this wait for " + awaited_text(wait.why, wait.name != nullptr ? wait.name : "") +
           " was part of a deadlock, and the pool's handler wanted it to end";
  });
}

DOZER_COLD [[noreturn]] void abort_over_mutex(const char* done, const char* name, const std::string& why) {
  abort_with((std::string(done) + " of " + awaited_text(wait_reason::mutex, name != nullptr ? name : "") +
              " by a thread " + why)
                 .c_str());
}

/// Blocks. False: the time was up.
bool wait_in(wait_line& line, waiter& me, wait_kind kind, std::uint64_t deadline) {
  switch (me.block(line, kind, deadline)) {
    case waiter::ending::released:
    case waiter::ending::both:
      return true;
    case waiter::ending::timed_out:
      return false;
    case waiter::ending::interrupted:
      break;
  }
  throw_out(me);
}

}  // namespace
}  // namespace detail

// ---- mutex --------------------------------------------------------------------------------------

void mutex::lock_contended(std::source_location where) {
  using namespace detail;
  const void* const caller = __builtin_return_address(0);
  const std::uint64_t me = my_holder_id();
  if (is_outsider(me) && thread_of(holder_.load(relaxed)) == thread_of(me)) {  // relaxed: what we wrote ourselves
    abort_over_mutex("lock", name_, "of no pool that holds it already: it would wait for itself for ever");
  }
  for (int i = 0; i < mutex_spins; ++i) {
    cpu_relax();
    if (holder_.load(relaxed) == 0 && try_lock()) {  // relaxed: a hint
      return;
    }
  }
  doing_now wait = noted(name_, this, wait_reason::mutex, where);
  if (is_of_the_standard_library(wait.file)) {
    wait.callers = callers_from(caller);
  }
  waiter mine(wait);
  bool been_in_line = false, last_try = false;
  for (;;) {
    std::uint64_t seen = 0;
    {
      const std::lock_guard hold(line_.lock);
      seen = holder_.load(relaxed);  // relaxed: the exchanges check it
      for (;;) {
        if ((seen & ~awaited) == 0) {
          const std::uint64_t next = me | (line_.empty() ? 0 : awaited);
          if (holder_.compare_exchange(seen, next, acquire, relaxed)) {  // pairs: mutex.hand_over (unlock)
            line_.note_holder(me);
            return;
          }
        } else if ((seen & awaited) != 0 ||
                   holder_.compare_exchange(seen, seen | awaited, relaxed, relaxed)) {  // relaxed: nothing to publish
          break;
        }
      }
      if (last_try) {
        throw_out(mine);  // whoever was faster has the line to see to
      }
      been_in_line ? line_.prepend(mine) : line_.append(mine);
      been_in_line = true;
      mine.held_by(seen & ~awaited);
    }
    // Held by a thread in no pool it is not the pool's affair; when that one unlocks all look again. But the caller
    // itself is in a pool now, wherever it was when it locked.
    const bool held_outside = is_outsider(seen) && thread_of(seen) != thread_of(me);
    const wait_kind kind = held_outside ? wait_kind::external : wait_kind::pool;
    switch (mine.block(line_, kind)) {
      case waiter::ending::interrupted:
        throw_out(mine);
      case waiter::ending::both:
        last_try = true;
        break;
      default:
        break;
    }
  }
}

void mutex::unlock_contended() noexcept {
  using namespace detail;
  const std::uint64_t locked_by = holder_.load(relaxed);  // relaxed: if we hold it, only its mark changes
  if (thread_of(locked_by) != thread_number()) {
    const std::uint64_t holder = system_number_of(thread_of(locked_by));
    abort_over_mutex(
        "unlock", name_,
        "that does not hold it: " + (holder == 0 ? "it is not locked" : "thread " + std::to_string(holder) + " does"));
  }
  waiter* released = nullptr;
  for (;;) {
    std::uint64_t held = 0;
    bool all = false;
    {
      const std::lock_guard hold(line_.lock);
      // All of them, if it comes out of an outsider's hands or into them: then it is somebody else's affair.
      all = released != nullptr || is_outsider(locked_by) || line_.outsider_is_first();
      released = all ? line_.take_all(released) : line_.take_first();
      held = holder_.load(relaxed);  // relaxed: only its mark changes while we hold it
      if (line_.empty()) {
        held = holder_.fetch_and(~awaited, relaxed) & ~awaited;  // relaxed: we hold it still
      }
    }
    // What follows is the last touch of the mutex: whoever gets it may destroy it.
    if (released != nullptr && !all) {
      holder_.fetch_and(awaited, release);  // pairs: mutex.hand_over (lock)
      waiter::release_all(released);
      return;
    }
    if (holder_.compare_exchange(held, 0, release, relaxed)) {  // pairs: mutex.hand_over (lock)
      waiter::release_all(released);
      return;
    }
    // Somebody has come into the line since, and would count on a member though an outsider may be next.
  }
}

// ---- condition variable -------------------------------------------------------------------------

bool condition_variable::wait(std::unique_lock<mutex>& held, std::uint64_t deadline, std::source_location where) {
  using namespace detail;
  if (!held.owns_lock()) {
    throw std::system_error(std::make_error_code(std::errc::operation_not_permitted),
                            "dozer: a wait for a condition variable without its mutex");
  }
  waiter mine(noted(name_, this, wait_reason::condition, where));
  {
    const std::lock_guard hold(line_.lock);
    line_.append(mine);
  }
  const wait_kind kind = kind_;  // behind the unlock it may be notified, and then destroyed
  held.unlock();
  const auto lock_again = [&] {
    held.mutex()->lock(where);  // not held.lock(): that would be noted with a line of the standard library
    held = std::unique_lock(*held.mutex(), std::adopt_lock);
  };
  bool in_time = false;
  try {
    in_time = wait_in(line_, mine, kind, deadline);
  } catch (const deadlock_error&) {
    try {
      lock_again();
    } catch (const deadlock_error&) {
      // The mutex has a part in it, too. The first one leaves, and `held` holds nothing.
    }
    throw;
  }
  lock_again();
  return in_time;
}

void condition_variable::notify_one() noexcept {
  line_.lock.lock();
  detail::waiter* const next = line_.take_first();
  line_.lock.unlock();
  detail::waiter::release_all(next);
}

void condition_variable::notify_all() noexcept {
  line_.lock.lock();
  detail::waiter* const all = line_.take_all();
  line_.lock.unlock();
  detail::waiter::release_all(all);
}

// ---- semaphore ----------------------------------------------------------------------------------

bool semaphore::try_acquire() noexcept {
  std::size_t seen = count_.load(detail::relaxed);  // relaxed: the exchange checks it
  while (seen != 0) {
    // pairs: semaphore.count (release)
    if (count_.compare_exchange_weak(seen, seen - 1, detail::acquire, detail::relaxed)) {
      return true;
    }
  }
  return false;
}

bool semaphore::acquire(std::uint64_t deadline, std::source_location where) {
  using namespace detail;
  waiter mine(noted(name_, this, wait_reason::semaphore, where));
  {
    const std::lock_guard hold(line_.lock);
    if (try_acquire()) {
      return true;
    }
    line_.append(mine);
  }
  return wait_in(line_, mine, kind_, deadline);
}

void semaphore::release(std::size_t times) noexcept {
  line_.lock.lock();
  detail::waiter* const next = line_.take_first(times);  // straight to whoever is next
  if (times != 0) {
    count_.fetch_add(times, detail::release);  // pairs: semaphore.count (try_acquire)
  }
  line_.lock.unlock();
  detail::waiter::release_all(next);
}

// ---- event --------------------------------------------------------------------------------------

void event::set() noexcept {
  line_.lock.lock();
  happened_.store(true, detail::release);  // pairs: event.set (is_set)
  detail::waiter* const all = line_.take_all();
  line_.lock.unlock();
  detail::waiter::release_all(all);
}

bool event::wait(std::uint64_t deadline, std::source_location where) {
  using namespace detail;
  waiter mine(noted(name_, this, wait_reason::event, where));
  {
    // Also if it is set: whoever has the lock after the setter may destroy the event, as the setter is through with it.
    const std::lock_guard hold(line_.lock);
    if (is_set()) {
      return true;
    }
    line_.append(mine);
  }
  return wait_in(line_, mine, kind_, deadline);
}

}  // namespace dozer::inline DOZER_PLATFORM
