#include <dozer/detail/mailbox.hpp>

namespace dozer::inline DOZER_PLATFORM::detail {

/// Puts what has come since the last time behind what is left.
void mailbox::take_all_in() noexcept {
  posted_job** end = &oldest_;
  while (*end != nullptr) {
    end = &(*end)->next;
  }
  *end = reversed(inbox_.exchange(nullptr, acquire));  // pairs: mailbox.inbox (posters)
}

posted_job* mailbox::pop_some() noexcept {
  if (oldest_ == nullptr) {
    take_all_in();
  }
  posted_job* const j = oldest_;
  oldest_ = j->next;
  return j;
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
