#include <dozer/detail/future_state.hpp>

#include "../deadlock/without_memory.hpp"

#include <mutex>

namespace dozer::inline DOZER_PLATFORM::detail {

namespace {

struct future_waiter : future_observer {
  future_waiter() noexcept : future_observer{&came, nullptr} {}
  static void came(future_observer& self, seat* by) noexcept { static_cast<future_waiter&>(self).latch.set(by); }
  caller_latch latch;
};

}  // namespace

bool future_state::observe(future_observer& who) noexcept {
  const std::lock_guard hold(observing_);
  if (ready()) {
    return false;
  }
  who.next = observers_;
  observers_ = &who;
  return true;
}

bool future_state::forget(future_observer& who) noexcept {
  const std::lock_guard hold(observing_);
  for (future_observer** at = &observers_; *at != nullptr; at = &(*at)->next) {
    if (*at == &who) {
      *at = who.next;
      return true;
    }
  }
  return false;
}

void future_state::complete(seat* by) noexcept {
  future_observer* told = nullptr;
  {
    const std::lock_guard hold(observing_);
    ready_.store(true, release);  // pairs: future.ready (ready)
    told = std::exchange(observers_, nullptr);
  }
  while (told != nullptr) {
    future_observer& one = *told;
    told = one.next;  // read before it is told: it may be gone then
    one.notify(one, by);
  }
}

bool future_state::wait(std::uint64_t deadline, const std::source_location& where) {
  if (ready()) {
    return true;
  }
  future_waiter me;
  if (!observe(me)) {
    me.latch.withdraw();
    return true;
  }
  if (me.latch.wait(wait_reason::future, static_cast<job*>(this), deadline, where)) {
    return true;
  }
  if (forget(me)) {
    me.latch.withdraw();
    if (deadline == no_deadline) {
      throw_deadlock_error([] {
        return "dozer: this wait for a future was part of a deadlock, and the pool's handler wanted it to end";
      });
    }
    return false;
  }
  while (!me.latch.wait(wait_reason::future, static_cast<job*>(this))) {
    // The job came at the same time and is about to set the latch.
  }
  return true;
}

void future_state::let_go(bool error_seen) noexcept {
  if (error_seen) {
    error_seen_.store(true, relaxed);  // relaxed: the subtraction publishes it
  }
  if (shares_.fetch_sub(1, acq_rel) != 1) {  // pairs: future.shares (the other one)
    return;
  }
  if (!error_seen_.load(relaxed)) {  // relaxed: nobody else is left
    if (std::exception_ptr unseen = take_error()) {
      pool_.unhandled(std::move(unseen));
    }
  }
  delete this;
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
