#include <dozer/detail/outside_wait.hpp>

#include <dozer/detail/domain.hpp>
#include <dozer/detail/seat.hpp>

#include <new>

namespace dozer::inline DOZER_PLATFORM::detail {

outside_wait::outside_wait(const doing_now& wait) noexcept {
  if (current_seat() != nullptr) {
    return;
  }
  outside_waits& all = current_domain().outsiders;
  for (auto* at = all.first_.load(acquire); at != nullptr; at = at->next) {  // pairs: outside.list (a waiter)
    bool free = false;
    if (!at->taken.load(relaxed) &&                                  // relaxed: a hint
        at->taken.compare_exchange(free, true, acq_rel, relaxed)) {  // pairs: outside.place (for_each, its last waiter)
      place_ = at;
      break;
    }
  }
  outside_waits::place* const made = place_ == nullptr ? new (std::nothrow) outside_waits::place : nullptr;
  if (made != nullptr) {
    place_ = made;
  } else if (place_ == nullptr) {
    return;  // no memory: it waits without being shown
  }
  place_->thread.set(thread_number());
  place_->wait.set(wait);
  place_->callers.set(wait.callers);
  place_->wait.since.set(now_ns());
  if (made != nullptr) {
    made->next = all.first_.load(relaxed);  // relaxed: the exchange checks it
    // pairs: outside.list (for_each, a waiter)
    while (!all.first_.compare_exchange_weak(made->next, made, release, relaxed)) {
    }
  }
}

outside_wait::~outside_wait() {
  if (place_ != nullptr) {
    place_->taken.store(false, release);  // pairs: outside.place (the next waiter)
  }
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
