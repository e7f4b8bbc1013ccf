// A lock for a few instructions of bookkeeping: no user code and no waiting inside, ever.
#pragma once

#include <dozer/detail/platform.hpp>

#include <cstdint>

namespace dozer::inline DOZER_PLATFORM::detail {

class short_lock {
 public:
  void lock() noexcept {
    if (!try_lock()) {
      lock_contended();
    }
  }
  [[nodiscard]] bool try_lock() noexcept {
    std::uint32_t seen = open;
    return word_.compare_exchange(seen, taken, acquire, relaxed);  // pairs: short_lock.hand_over (unlock)
  }
  void unlock() noexcept {
    if (word_.exchange(open, release) == awaited) {  // pairs: short_lock.hand_over (lock)
      unpark_one(&word_, channel::first);
    }
  }

 private:
  static constexpr std::uint32_t open = 0, taken = 1, awaited = 2;

  DOZER_COLD void lock_contended() noexcept;

  atomic<std::uint32_t> word_{open};
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
