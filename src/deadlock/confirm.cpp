// Whether a standstill is a deadlock (README.md beside this file, "After the last step").
#include <dozer/detail/holder.hpp>
#include <dozer/detail/pool_core.hpp>

#include <algorithm>

namespace dozer::inline DOZER_PLATFORM::detail {

verdict domain::confirm(census& at) noexcept {
  const std::uint64_t rests = people_.rests();
  at = people();
  if (!at.stuck()) {
    return verdict::moving;
  }
  fence_seq_cst();  // pairs: census.post (posters)
  verdict found = verdict::deadlock;
  bool somebody_posts = false;
  pools.for_each([&](const pool_core& pool) {
    found = std::max(found, pool.sleep.at_a_standstill());
    somebody_posts |= pool.somebody_posts();  // second: whose job was seen is seen as well, or has left
  });
  if (found == verdict::deadlock && guest_has_left_with_a_lock()) {
    return verdict::moving;  // the guest will unlock it, or come back and rest here: then the word says stuck again
  }
  // The rests last: the step on the word shows them. Whoever has rested meanwhile calls for the reporter again.
  return !somebody_posts && people_.after_all_that() == at && people_.rests() == rests ? found : verdict::moving;
}

bool domain::guest_has_left_with_a_lock() const noexcept {
  const auto any_seat = [&](auto&& is_so) {
    bool found = false;
    pools.for_each([&](const pool_core& pool) {
      for (std::uint32_t i = 0; i < pool.seats.bound(); ++i) {
        found = found || is_so(pool.seats[i]);
      }
    });
    return found;
  };
  return any_seat([&](const seat& waiting) {
    const std::uint64_t holder = thread_of(waiting.doing.awaited_holder());
    return holder != 0 &&
           !any_seat([&](const seat& s) { return s.thread.get() == holder || s.worker.get() == holder; });
  });
}

verdict sleep_module::at_a_standstill() const noexcept {
  const sight seen = look();
  bool jobs = seen.injected || seen.in_deques;
  bool beside_a_sleeper = false;
  for (std::uint32_t i = 0; i < seats_.bound(); ++i) {
    const parked now = seats_[i].parker.load();
    if (now.at() != parked::asleep || now.is_apart()) {
      continue;  // blocked, or up for nothing: what is in its mailbox has to wait for it
    }
    const bool runs_injected = !now.is_lent() || seats_.all_lent();
    beside_a_sleeper |= seen.in_deques || (seen.injected && runs_injected) || seats_[i].mail.has_come();
  }
  return beside_a_sleeper ? verdict::lost_wake_up : jobs ? verdict::starved : verdict::deadlock;
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
