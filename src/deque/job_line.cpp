#include <dozer/detail/job_line.hpp>

#include <dozer/detail/abort.hpp>
#include <dozer/detail/seat.hpp>

#include <mutex>

namespace dozer::inline DOZER_PLATFORM::detail {

job_line::job_line() noexcept : job(kind_of<job_line>) {}

void job_line::push(posted_job& j) noexcept {
  j.next = nullptr;
  const std::lock_guard hold(lock_);
  (oldest_ != nullptr ? newest_->next : oldest_) = &j;
  newest_ = &j;
}

posted_job* job_line::pop() noexcept {
  const std::lock_guard hold(lock_);
  posted_job* const j = oldest_;
  if (j != nullptr) {
    oldest_ = j->next;
  }
  return j;
}

void job_line::run(job& self, seat& here) noexcept {
  posted_job* const oldest = static_cast<job_line&>(self).pop();
  if (oldest == nullptr) {
    abort_with("a first-in-first-out line has fewer jobs than entries in the deque");
  }
  here.doing.is_job(oldest->kind->name(*oldest), oldest->kind->awaited_as(*oldest));
  // The line may die with its last job, so nothing of it is touched from here on.
  oldest->kind->run(*oldest, here);
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
