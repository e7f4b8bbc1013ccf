// Whether a standstill is a deadlock (README.md beside this file, "After the last step").
#include <dozer/detail/pool_core.hpp>

#include <algorithm>

namespace dozer::inline DOZER_PLATFORM::detail {

verdict domain::confirm() noexcept {
  const census before = people();
  if (!before.stuck()) {
    return verdict::moving;
  }
  fence_seq_cst();  // pairs: census.post (posters)
  verdict found = verdict::deadlock;
  bool somebody_posts = false;
  pools.for_each([&](const pool_core& pool) {
    found = std::max(found, pool.sleep.at_a_standstill());
    somebody_posts |= pool.somebody_posts();  // second: whose job was seen is seen as well, or has left
  });
  return !somebody_posts && people_.after_all_that() == before ? found : verdict::moving;
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
