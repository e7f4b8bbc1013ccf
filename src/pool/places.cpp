#include <dozer/detail/places.hpp>

namespace dozer::inline DOZER_PLATFORM::detail {

void places::take() noexcept {
  bool waits = false;
  std::uint32_t seen = free_.load(relaxed);  // relaxed: the exchange checks it
  for (;;) {
    if (seen == 0) {
      if (!waits) {
        waits = true;
        waiting_.fetch_add(1, relaxed);  // relaxed: a hint
      }
      park(free_, 0, channel::first);
      seen = free_.load(relaxed);                                                // relaxed: as above
    } else if (free_.compare_exchange_weak(seen, seen - 1, acquire, relaxed)) {  // pairs: pool.places (leave)
      break;
    }
  }
  if (waits) {
    waiting_.fetch_sub(1, relaxed);  // relaxed: a hint
    if (seen > 1) {
      unpark_one(&free_, channel::first);  // only the first place that becomes free wakes a waiter: it passes that on
    }
  }
}

void places::leave() noexcept {
  if (free_.fetch_add(1, release) == 0) {  // pairs: pool.places (take)
    unpark_one(&free_, channel::first);
  }
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
