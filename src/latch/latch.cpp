#include <dozer/detail/latch.hpp>

#include <dozer/detail/pool_core.hpp>
#include <dozer/detail/seat.hpp>
#include <dozer/detail/wait.hpp>

#include <new>

namespace dozer::inline DOZER_PLATFORM::detail {

void wake_latch_owner(seat& owner, seat* by) noexcept { owner.sleep->wake_seat(owner, by, wake_cause::latch_set); }

// ---- blocking -----------------------------------------------------------------------------------

bool blocking_latch::wait(std::uint64_t deadline) noexcept {
  for (;;) {
    std::uint32_t seen = unset;
    // pairs: latch.blocking (setter)
    if (!word_.compare_exchange(seen, awaited, acquire, acquire) && seen == is_set) {
      return true;
    }
    if (deadline != no_deadline && now_ns() >= deadline) {
      return false;
    }
    park(word_, awaited, channel::first, deadline);
  }
}

void blocking_latch::set() noexcept {
  if (word_.exchange(is_set, release) == awaited) {  // pairs: latch.blocking (owner)
    unpark_one(&word_, channel::first);              // by its address: the latch may be gone (I7)
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

bool caller_latch::wait(wait_reason why, std::uint64_t deadline) noexcept {
  if (owner_ == nullptr) {
    return outside_.wait(deadline);
  }
  return wait_until(*owner_, at_home_.core(), why, deadline);
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
