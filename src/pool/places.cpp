#include <dozer/detail/places.hpp>

#include <mutex>

namespace dozer::inline DOZER_PLATFORM::detail {

void places::take() noexcept {
  waiting me;
  {
    const std::lock_guard hold(lock_);
    if (free_ != 0) {  // so nobody waits
      --free_;
      return;
    }
    if (first_.load(relaxed) != nullptr) {  // relaxed: written under the lock
      last_->next = &me;
    } else {
      first_.store(&me, relaxed);  // relaxed: who reads it without the lock takes it for a hint
    }
    last_ = &me;
  }
  while (me.has_place.load(acquire) == 0) {  // pairs: pool.places (leave)
    park(me.has_place, 0, channel::first);
  }
}

void places::leave() noexcept {
  waiting* longest = nullptr;
  {
    const std::lock_guard hold(lock_);
    longest = first_.load(relaxed);  // relaxed: written under the lock
    if (longest == nullptr) {
      ++free_;
      return;
    }
    first_.store(longest->next, relaxed);  // relaxed: as in take
  }
  longest->has_place.store(1, release);  // from here on it may be gone  pairs: pool.places (take)
  unpark_one(&longest->has_place, channel::first);
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
