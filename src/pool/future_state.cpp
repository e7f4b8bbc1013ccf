#include <dozer/detail/future_state.hpp>

namespace dozer::inline DOZER_PLATFORM::detail {

future_observer future_state::is_ready{nullptr};

namespace {

struct waiter : future_observer {
  waiter() noexcept : future_observer{&came} {}
  static void came(future_observer& self, seat* by) noexcept { static_cast<waiter&>(self).latch.set(by); }
  caller_latch latch;
};

}  // namespace

bool future_state::wait(std::uint64_t deadline) noexcept {
  if (ready()) {
    return true;
  }
  waiter me;
  if (!observe(me)) {
    me.latch.withdraw();
    return true;
  }
  if (me.latch.wait(wait_reason::future, deadline)) {
    return true;
  }
  future_observer* seen = &me;
  if (observer_.compare_exchange(seen, nullptr, acq_rel, acquire)) {  // pairs: future.ready (complete)
    me.latch.withdraw();
    return false;
  }
  me.latch.wait(wait_reason::future);  // the job came at the same time and is about to set the latch
  return true;
}

void future_state::complete(seat* by) noexcept {
  // pairs: future.ready (whoever waits or looks)
  future_observer* const seen = observer_.exchange(&is_ready, acq_rel);
  if (seen != nullptr) {
    seen->notify(*seen, by);
  }
}

void future_state::let_go(bool error_seen) noexcept {
  if (error_seen) {
    error_seen_.store(true, relaxed);  // relaxed: the subtraction publishes it
  }
  if (shares_.fetch_sub(1, acq_rel) != 1) {  // pairs: future.shares (the other one)
    return;
  }
  if (!error_seen_.load(relaxed)) {  // relaxed: nobody else is left
    if (std::exception_ptr unseen = error()) {
      pool_.unhandled(std::move(unseen));
    }
  }
  delete this;
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
