// The injector: jobs from outside, first in first out, many producers and many consumers (src/deque/README.md).
#pragma once

#include <dozer/detail/job.hpp>
#include <dozer/detail/platform.hpp>
#include <dozer/detail/short_lock.hpp>

namespace dozer::inline DOZER_PLATFORM::detail {

class injector {
 public:
  /// One job. Returns true if jobs stood there already.
  DOZER_WAKE_PATH bool push(posted_job& j) noexcept;

  /// The oldest job, or null.
  [[nodiscard]] DOZER_WAKE_PATH posted_job* pop() noexcept;

  /// How many stand there; at least one if that cannot be found out now. Waits for nobody.
  [[nodiscard]] std::uint64_t count() noexcept;

  /// False from the moment a push has taken effect until its job is popped. As fresh as the caller's fences make it.
  [[nodiscard]] bool empty() const noexcept {
    // The order matters: a consumer raises front_ before it empties the inbox.
    return inbox_.load(acquire) == nullptr &&  // pairs: injector.inbox (producers, the consumer that took it)
           !front_.load(relaxed);              // relaxed: ordered by the load before it
  }

 private:
  // Producers put jobs on top of a stack; a consumer takes all of it and turns it round.
  alignas(cache_line) atomic<posted_job*> inbox_{nullptr};
  alignas(cache_line) short_lock consumers_;
  atomic<bool> front_{false};     // jobs in oldest_; written under the lock
  posted_job* oldest_ = nullptr;  // under the lock
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
