// Posting: every job that comes into a pool by other ways than a fork comes through here.
#include <dozer/detail/pool_core.hpp>

#include <stdexcept>

namespace dozer::inline DOZER_PLATFORM::detail {

namespace {

/// The one that the calling thread is in, if it is one of that pool.
isolation isolation_here(const pool_core& of) noexcept {
  seat* const me = current_seat();
  return me != nullptr && me->pool == &of ? me->own().isolated_in() : isolation();
}

}  // namespace

void pool_core::put_into_the_injector(posted_job& j) noexcept {
  const bool had_jobs = injected.push(j);
  sleep.jobs_injected(1, had_jobs);
  stand_in_if_nobody_runs();  // jobs_injected has the fence
}

/// By a poster inside that door: the job may run, and the handle be destroyed, before the wake.
void pool_core::inject_and_leave(posted_job& j, door& by) noexcept {
  domain& around = home;
  put_into_the_injector(j);
  if (by.leave()) {
    settle(by);
  }
  around.poster_left();
}

/// The same where the doors are shut, with a hold of the poster's own.
void pool_core::inject_and_let_go(posted_job& j) noexcept {
  const token_from_outside until_it_is_there(home);
  put_into_the_injector(j);
  let_go();
}

void pool_core::inject(posted_job& j) noexcept {
  door& by = own_door();
  if (by.enter()) {
    inject_and_leave(j, by);
    return;
  }
  hold();
  inject_and_let_go(j);
}

void pool_core::post(posted_job& j) { post_detached(j, false); }
void pool_core::post_first_in_first_out(posted_job& j) { post_detached(j, true); }

void pool_core::note_isolation(posted_job& j) noexcept {
  const isolation here = isolation_here(*this);
  j.made_in = here;
  isolated.add(here);
}

void pool_core::post_noted(posted_job& j) noexcept {
  const isolation in = j.made_in;
  if (in == isolation_here(*this) && in != isolation::nameless()) {
    try {
      post(j);
      isolated.let_go(in);  // it has one from the deque's entry now
      return;
    } catch (...) {
      // No room. The injector needs none.
    }
  }
  hold();  // the job's
  inject(j);
}

void pool_core::post_detached(posted_job& j, bool in_line) {
  seat* const me = current_seat();
  const bool inside = me != nullptr && me->pool == this;
  if (!inside) {
    door& by = own_door();
    if (by.enter()) {
      by.bring_job();
      inject_and_leave(j, by);
      return;
    }
    if (!try_hold(2)) {  // the job's, and the caller's
      throw std::runtime_error("dozer: a job for a pool that has ended");
    }
    inject_and_let_go(j);
    return;
  }
  me->own().reserve();  // may throw, as the next; nothing after them does
  job_line* const line = in_line ? me->line_in(me->own().isolated_in()) : nullptr;
  hold();  // the job's
  if (line != nullptr) {
    line->push(j);
  }
  post_job(*me, line != nullptr ? static_cast<job&>(*line) : j);
  sleep.job_detached(*me);
  posted_while_aside(*me);
}

void pool_core::posted_while_aside(const seat& by) noexcept {
  if (by.aside != 0) {
    fence_seq_cst();  // pairs: pool.aside (step_aside)
    stand_in_if_nobody_runs();
  }
}

void pool_core::send_mail(std::uint32_t to, posted_job& j) noexcept {
  note_isolation(j);
  seats[to].mail.push(j);
}

void pool_core::mail_sent() noexcept { sleep.mail_posted(current_seat(), seats.workers()); }

}  // namespace dozer::inline DOZER_PLATFORM::detail
