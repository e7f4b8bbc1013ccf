#include <dozer/detail/latch.hpp>

#include <dozer/detail/outside_wait.hpp>
#include <dozer/detail/pool_core.hpp>
#include <dozer/detail/seat.hpp>
#include <dozer/detail/wait.hpp>

#include <new>

namespace dozer::inline DOZER_PLATFORM::detail {

void wake_latch_owner(seat& owner, seat* by) noexcept { owner.sleep->wake_seat(owner, by, wake_cause::latch_set); }

// ---- blocking -----------------------------------------------------------------------------------

bool blocking_latch::wait(std::uint64_t deadline) noexcept {
  return deadline == no_deadline ? wait_for_ever() : wait_for_a_time(deadline);
}

bool blocking_latch::wait_for_ever() noexcept {
  domain& home = current_domain();
  home.enter();
  std::uint32_t seen = unset;
  // pairs: latch.blocking (setter)
  if (word_.compare_exchange(seen, awaited, acquire, acquire)) {
    home.rest(resting::waiting);  // last: its setter may have been faster, and counted it as able again
    seen = awaited;
  }
  while (seen != is_set) {
    park(word_, seen, channel::first);
    seen = word_.load(acquire);  // pairs: latch.blocking (setter)
  }
  home.leave();
  return true;
}

/// Nobody counts on it: it will come back by itself, and then it is an outsider like any other.
bool blocking_latch::wait_for_a_time(std::uint64_t deadline) noexcept {
  std::uint32_t seen = unset;
  // pairs: latch.blocking (setter)
  if (word_.compare_exchange(seen, awaited_for_a_time, acquire, acquire)) {
    seen = awaited_for_a_time;
  }
  while (seen != is_set && now_ns() < deadline) {
    park(word_, seen, channel::first, deadline);
    seen = word_.load(acquire);  // pairs: latch.blocking (setter)
  }
  // For the next wait. If that fails it was set after all.
  return seen == is_set || !word_.compare_exchange(seen, unset, acquire, acquire);  // pairs: latch.blocking (setter)
}

void blocking_latch::set() noexcept {
  std::uint32_t seen = unset;
  while (!word_.compare_exchange(seen, is_set, release, relaxed)) {  // pairs: latch.blocking (owner)
    if (seen == awaited) {
      current_domain().rise(resting::waiting);  // before the set: the owner goes on as soon as it sees that
      word_.store(is_set, release);             // pairs: latch.blocking (owner)
      break;
    }
    // Who waits for a time may begin and give up meanwhile, and then wait for ever.
  }
  if (seen != unset) {
    unpark_one(&word_, channel::first);  // by its address: the latch may be gone (I7)
  }
}

// ---- across pools -------------------------------------------------------------------------------

cross_pool_latch::cross_pool_latch(seat& owner) noexcept : owner_(&owner) { owner.pool->keep_in_memory(); }

void cross_pool_latch::set(seat* by) noexcept {
  seat& owner = *owner_;  // both read before the exchange: after it the latch may be gone (I7)
  pool_core& home = *owner.pool;
  if (core_.set()) {
    wake_latch_owner(owner, by);
  }
  home.let_go_of_memory();
}

// ---- for whoever calls --------------------------------------------------------------------------

caller_latch::caller_latch() noexcept : owner_(current_seat()) {
  if (owner_ != nullptr) {
    new (&at_home_) cross_pool_latch(*owner_);
  } else {
    new (&outside_) blocking_latch;
  }
}

bool caller_latch::wait(wait_reason why, const void* what, std::uint64_t deadline,
                        const std::source_location& where) noexcept {
  if (owner_ == nullptr) {
    const bool known = where.line() != 0;
    const outside_wait shown({.what = what,
                              .why = why,
                              .timed = deadline != no_deadline,
                              .file = known ? where.file_name() : nullptr,
                              .line = where.line(),
                              .function = known ? where.function_name() : nullptr});
    return outside_.wait(deadline);
  }
  return wait_until(*owner_, at_home_.core(), why, what, deadline, where);
}

void caller_latch::set(seat* by) noexcept {
  if (owner_ != nullptr) {
    at_home_.set(by);
  } else {
    outside_.set();
  }
}

void caller_latch::withdraw() noexcept {
  if (owner_ != nullptr) {
    owner_->pool->let_go_of_memory();
  }
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
