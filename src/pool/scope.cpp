#include <dozer/scope.hpp>

namespace dozer::inline DOZER_PLATFORM {

detail::scope_lines::scope_lines(seat& owner)
    : all_in_(owner.own().isolated_in()), lines_(new std::unique_ptr<job_line>[owner.pool->seats.capacity()]) {}

void detail::post_to_scope(seat& me, job& j) noexcept {
  post_job(me, j);
  if (somebody_is_hungry(me)) {
    me.sleep->jobs_forked(me);
  }
  me.pool->posted_while_aside(me);
}

void spawner::post(detail::posted_job& j) {
  detail::seat* const me = detail::current_seat();
  if (me == nullptr || me->pool != &pool_) {
    pool_.check_usable();
    pending_.add();
    pool_.inject(j);
    return;
  }
  // Room is made before anything is counted: from here on nothing may throw.
  detail::job_line* const line = lines_ ? lines_->of(*me) : nullptr;
  me->own().reserve();
  pending_.add();
  if (line != nullptr) {
    line->push(j);
  }
  post_to_scope(*me, line != nullptr ? static_cast<detail::job&>(*line) : j);
}

void spawner::keep_first(std::exception_ptr error) noexcept {
  if (!failed_.exchange(true, detail::relaxed)) {  // relaxed: the latch publishes what follows
    error_ = std::move(error);
  }
}

}  // namespace dozer::inline DOZER_PLATFORM
