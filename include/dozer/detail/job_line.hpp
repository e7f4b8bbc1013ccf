// First in, first out, for the jobs of one seat.
#pragma once

#include <dozer/detail/job.hpp>
#include <dozer/detail/platform.hpp>
#include <dozer/detail/short_lock.hpp>

namespace dozer::inline DOZER_PLATFORM::detail {

/// Each push must be followed by a push of the line itself into the deque: whoever runs that entry runs the oldest job
/// of the line. So a deque, which gives its owner the newest, gives the oldest after all.
class job_line : public job {
 public:
  job_line() noexcept;

  void push(posted_job& j) noexcept;
  /// The oldest job, for whoever has taken an entry out of the deque.
  [[nodiscard]] posted_job* pop() noexcept;

  static void run(job& self, seat& here) noexcept;
  static const char* name(const job&) noexcept { return nullptr; }

 private:
  short_lock lock_;
  posted_job* oldest_ = nullptr;  // under the lock
  posted_job* newest_ = nullptr;  // under the lock; means nothing if there is no oldest
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
