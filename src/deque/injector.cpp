#include <dozer/detail/injector.hpp>

#include <algorithm>
#include <mutex>
#include <utility>

namespace dozer::inline DOZER_PLATFORM::detail {

bool injector::push(posted_job& j) noexcept {
  std::uintptr_t under = inbox_.load(relaxed);  // relaxed: the exchange checks it
  do {
    while (pile(under).is_full()) {
      make_room();
      under = inbox_.load(relaxed);  // relaxed: the exchange checks it
    }
    j.next = pile(under).newest();
    // pairs: injector.inbox (whoever empties it, empty)
  } while (!inbox_.compare_exchange_weak(under, pile(under).with(j).bits(), release, relaxed));
  last_pushed_.set(&j);
  return under != 0 || listed_.load(relaxed) != 0 || !nothing_on_the_counter();  // relaxed: a hint for the wake rule
}

/// By a producer that is faster than the consumers: so nobody ever has to turn round more than a full inbox.
void injector::make_room() noexcept {
  const std::lock_guard hold(moving_);
  if (pile(inbox_.load(relaxed)).is_full()) {  // relaxed: the exchange follows
    empty_the_inbox();
  }
}

posted_job* injector::pop() noexcept {
  if (posted_job* const j = take_from_the_counter()) {
    return j;
  }
  if (empty()) {
    return nullptr;
  }
  const std::lock_guard hold(moving_);
  if (posted_job* const j = take_from_the_counter()) {
    return j;  // another consumer was here
  }
  // Only for a job that is there: a consumer that raised listed_ for nothing would keep another from sleeping, who
  // would come, find nothing, raise it himself, and so on.
  if (oldest_ == nullptr && inbox_.load(relaxed) != 0) {  // relaxed: the exchange follows
    empty_the_inbox();
  }
  if (oldest_ == nullptr) {
    return nullptr;
  }
  posted_job* const j = take_from_the_list();
  fill_the_counter();
  return j;
}

posted_job* injector::take_from_the_counter() noexcept {
  std::uint64_t at = taken_.load(relaxed);  // relaxed: the exchange checks it
  while (at < put_.load(acquire)) {         // pairs: injector.counter (whoever fills it)
    posted_job* const j =
        slots_[at % injector_batch].load(relaxed);  // relaxed: ordered by put_; too new: the exchange fails
    if (taken_.compare_exchange_weak(at, at + 1, release, relaxed)) {  // pairs: injector.taken (whoever fills it)
      return j;
    }
  }
  return nullptr;
}

void injector::empty_the_inbox() noexcept {
  const std::uint64_t before = listed_.load(relaxed);  // relaxed: under the lock
  // Raised first, so that nobody finds both empty while the jobs are on their way from one to the other.
  listed_.store(before + 1, release);            // pairs: injector.list (empty)
  const pile all(inbox_.exchange(0, acq_rel));   // pairs: injector.inbox (producers, empty)
  listed_.store(before + all.count(), release);  // pairs: injector.list (empty)
  posted_job* const first = reversed(all.newest());
  (oldest_ != nullptr ? newest_->next : oldest_) = first;
  newest_ = all.newest();
}

/// It is empty, and one job was taken from the list before.
void injector::fill_the_counter() noexcept {
  const std::uint64_t first = taken_.load(acquire);  // pairs: injector.taken (consumers)
  std::uint64_t put = first;
  std::uint64_t left = listed_.load(relaxed) - 1;  // relaxed: under the lock
  for (; left != 0 && put - first < injector_batch; --left, ++put) {
    slots_[put % injector_batch].store(take_from_the_list(), relaxed);  // relaxed: the store to put_ publishes it
  }
  if (put != first) {
    put_.store(put, release);  // pairs: injector.counter (consumers)
  }
  listed_.store(left, release);  // pairs: injector.list (empty)
}

std::uint64_t injector::count() const noexcept {
  // relaxed: for reports
  const std::uint64_t put = put_.load(relaxed);
  const std::uint64_t taken = std::min(put, taken_.load(relaxed));                  // relaxed: for reports
  return pile(inbox_.load(relaxed)).count() + listed_.load(relaxed) + put - taken;  // relaxed: for reports
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
