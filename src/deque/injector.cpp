#include <dozer/detail/injector.hpp>

#include <mutex>

namespace dozer::inline DOZER_PLATFORM::detail {

bool injector::push(posted_job& j) noexcept {
  posted_job* under = inbox_.load(relaxed);  // relaxed: the exchange checks it
  do {
    j.next = under;
  } while (!inbox_.compare_exchange_weak(under, &j, release, relaxed));  // pairs: injector.inbox (consumer, empty)
  return under != nullptr || front_.load(relaxed);                       // relaxed: a hint for the wake rule
}

posted_job* injector::pop() noexcept {
  if (empty()) {
    return nullptr;
  }
  const std::lock_guard hold(consumers_);
  // Only for a job that is there: a consumer that raised front_ for nothing would keep another from sleeping, who would
  // come, find nothing, raise it himself, and so on.
  if (oldest_ == nullptr && inbox_.load(relaxed) != nullptr) {  // relaxed: the exchange follows
    // Raised first, so that nobody finds both parts empty while the jobs are on their way from one to the other.
    front_.store(true, relaxed);                            // relaxed: the exchange publishes it
    oldest_ = reversed(inbox_.exchange(nullptr, acq_rel));  // pairs: injector.inbox (producers, empty)
  }
  posted_job* const j = oldest_;
  if (j != nullptr) {
    oldest_ = j->next;
  }
  if (oldest_ == nullptr) {
    front_.store(false, relaxed);  // relaxed: whoever still sees true finds nothing under the lock
  }
  return j;
}

std::uint64_t injector::count() noexcept {
  if (empty()) {
    return 0;
  }
  const std::unique_lock hold(consumers_, std::try_to_lock);
  if (!hold) {
    return 1;
  }
  std::uint64_t found = 0;  // nobody takes one out while we have the lock
  for (const posted_job* j = oldest_; j != nullptr; j = j->next) {
    ++found;
  }
  for (const posted_job* j = inbox_.load(acquire); j != nullptr; j = j->next) {  // pairs: injector.inbox (producers)
    ++found;
  }
  return found;
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
