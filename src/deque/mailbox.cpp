#include <dozer/detail/mailbox.hpp>

namespace dozer::inline DOZER_PLATFORM::detail {

posted_job* mailbox::pop_some() noexcept {
  if (oldest_ == nullptr) {
    oldest_ = reversed(inbox_.exchange(nullptr, acquire));  // pairs: mailbox.inbox (posters)
  }
  posted_job* const j = oldest_;
  oldest_ = j->next;
  return j;
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
