// The mailbox of a seat: jobs for whoever sits there and for nobody else, oldest first. Anyone posts; the seat's
// occupant takes.
#pragma once

#include <dozer/detail/job.hpp>
#include <dozer/detail/platform.hpp>

namespace dozer::inline DOZER_PLATFORM::detail {

class mailbox {
 public:
  void push(posted_job& j) noexcept {
    posted_job* under = inbox_.load(relaxed);  // relaxed: the exchange checks it
    do {
      j.next = under;
    } while (!inbox_.compare_exchange_weak(under, &j, release, relaxed));  // pairs: mailbox.inbox (occupant)
  }

  /// For the occupant: the oldest job, or null.
  [[nodiscard]] posted_job* pop() noexcept {
    if (empty()) {
      return nullptr;
    }
    return pop_some();
  }

  /// For the occupant: the oldest job that is wanted, or null.
  template <class Wanted>
  [[nodiscard]] posted_job* pop_if(Wanted&& wanted) noexcept {
    if (empty()) {
      return nullptr;
    }
    take_all_in();
    for (posted_job** at = &oldest_; *at != nullptr; at = &(*at)->next) {
      posted_job* const j = *at;
      if (wanted(*j)) {
        *at = j->next;
        return j;
      }
    }
    return nullptr;
  }

  /// For anybody: there is mail that the occupant has not taken in yet.
  [[nodiscard]] bool has_come() const noexcept { return inbox_.load(relaxed) != nullptr; }  // relaxed: as empty

  /// For the occupant. As fresh as its fences make it.
  [[nodiscard]] bool empty() const noexcept {
    return oldest_ == nullptr && inbox_.load(relaxed) == nullptr;  // relaxed: only says whether to look
  }

 private:
  DOZER_COLD posted_job* pop_some() noexcept;
  void take_all_in() noexcept;

  atomic<posted_job*> inbox_{nullptr};  // newest first
  posted_job* oldest_ = nullptr;        // the occupant's; a change of occupants is ordered by the parker
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
