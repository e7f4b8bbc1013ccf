// Whether a standstill is a deadlock (README.md beside this file, "After the last step").
#include <dozer/detail/holder.hpp>
#include <dozer/detail/pool_core.hpp>

#include <algorithm>

namespace dozer::inline DOZER_PLATFORM::detail {

verdict domain::confirm(census& at) noexcept {
  for (;;) {
    const std::uint64_t rests = rests_so_far();
    const verdict found = look_once(at);
    if (found == verdict::moving || rests_so_far() == rests) {
      return found;
    }
  }
}

verdict domain::look_once(census& at) noexcept {
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
  return !somebody_posts && people_.after_all_that() == at ? found : verdict::moving;
}

/// A member that comes, or is woken, and rests again without being released leaves the word as it was, and shows here.
std::uint64_t domain::rests_so_far() const noexcept {
  std::uint64_t sum = 0;
  pools.for_each([&](const pool_core& pool) {
    for (std::uint32_t i = 0; i < pool.seats.bound(); ++i) {
      sum += pool.seats[i].rests.load(acquire);  // pairs: census.rests (count_rest)
    }
  });
  return sum;
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
