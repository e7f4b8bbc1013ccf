// Posting: every job that comes into a pool by other ways than a fork comes through here.
#include <dozer/detail/pool_core.hpp>

#include <stdexcept>

namespace dozer::inline DOZER_PLATFORM::detail {

void pool_core::inject(posted_job& j) noexcept {
  hold();
  inject_and_let_go(j);
}

/// With a hold of the poster's own: the job may run, and the handle be destroyed, before the wake.
void pool_core::inject_and_let_go(posted_job& j) noexcept {
  const token_from_outside until_it_is_there(home);
  const bool had_jobs = injected.push(j);
  sleep.jobs_injected(1, had_jobs);
  stand_in_if_nobody_runs();  // jobs_injected has the fence
  let_go();
}

void pool_core::post(posted_job& j) { post_detached(j, false); }
void pool_core::post_first_in_first_out(posted_job& j) { post_detached(j, true); }

void pool_core::post_or_inject(posted_job& j) noexcept {
  try {
    post(j);
  } catch (...) {
    hold();  // the job's
    inject(j);
  }
}

void pool_core::post_detached(posted_job& j, bool in_line) {
  seat* const me = current_seat();
  const bool inside = me != nullptr && me->pool == this;
  if (!inside) {
    sleep.fetch_early();
    if (!try_hold(2)) {  // the job's, and the caller's
      throw std::runtime_error("dozer: a job for a pool that has ended");
    }
    inject_and_let_go(j);
    return;
  }
  me->own().reserve();                                               // may throw; nothing after it does
  hold();                                                            // the job's
  const bool into_line = in_line && !me->own().isolated_in().any();  // the line's jobs are in no isolation
  if (into_line) {
    me->line.push(j);
  }
  post_job(*me, into_line ? static_cast<job&>(me->line) : j);
  sleep.job_detached(*me);
}

void pool_core::send_mail(std::uint32_t to, posted_job& j) noexcept { seats[to].mail.push(j); }

void pool_core::mail_sent() noexcept { sleep.mail_posted(current_seat(), seats.workers()); }

}  // namespace dozer::inline DOZER_PLATFORM::detail
