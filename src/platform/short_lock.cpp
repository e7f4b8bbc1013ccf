#include <dozer/detail/short_lock.hpp>

namespace dozer::inline DOZER_PLATFORM::detail {

void short_lock::lock_contended() noexcept {
  // Whoever gets it here marks it awaited, since it cannot know whether others still wait.
  while (word_.exchange(awaited, acquire) != open) {  // pairs: short_lock.hand_over (unlock)
    park(word_, awaited, channel::first);
  }
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
