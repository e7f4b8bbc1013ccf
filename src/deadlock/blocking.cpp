#include <dozer/blocking.hpp>

#include <dozer/detail/abort.hpp>
#include <dozer/detail/pool_core.hpp>

namespace dozer::inline DOZER_PLATFORM {

namespace detail {

blocked_member::blocked_member(seat& who, const doing_now& wait) noexcept
    : who_(who), before_(who.state.get()), held_a_place_(pool_core::holds_a_place(who)) {
  who_.doing.begin_wait(wait);
  who_.state.set(activity::blocked);
  who_.sleep->about_to_block(who_);
  ++who_.blocked_depth;
  const bool beside_the_workers = who_.guest && who_.index >= who_.pool->seats.workers();
  who_.pool->rests(who_);
  leaves_its_place_ = wait.who_can_end_it == wait_kind::external && !who_.has_left_its_place && !beside_the_workers;
  if (leaves_its_place_) {
    who_.has_left_its_place = true;
    in_its_place_ = who_.pool->spare_workers.take_place();
  }
  who_.pool->step_aside(who_);  // after the call: the spare counts before the member stops to
}

blocked_member::~blocked_member() {
  who_.pool->step_back(who_);
  if (leaves_its_place_) {
    who_.has_left_its_place = false;
    if (!who_.pool->left_behind_by_fork()) {
      who_.pool->spare_workers.give_place_back(in_its_place_);
    }
  }
  if (held_a_place_) {
    who_.pool->runs(who_);
  }
  --who_.blocked_depth;
  who_.state.set(before_);
  who_.doing.end();
}

}  // namespace detail

blocking_scope::blocking_scope(wait_kind who_can_end_it, const char* why, std::source_location where) noexcept {
  if (detail::seat* const me = detail::current_seat()) {
    declared_.emplace(*me, detail::doing_now{.name = why,
                                             .why = wait_reason::outside,
                                             .who_can_end_it = who_can_end_it,
                                             .since = detail::now_ns(),
                                             .file = where.file_name(),
                                             .line = where.line(),
                                             .function = where.function_name()});
  }
}

void wait_slot::mark_blocked(const char* why, const void* what, std::source_location where) noexcept {
  detail::seat* const me = detail::current_seat();
  if (me == nullptr) {
    return;
  }
  me->doing.begin_wait({.name = why,
                        .what = what,
                        .why = wait_reason::slot,
                        .since = detail::now_ns(),
                        .file = where.file_name(),
                        .line = where.line(),
                        .function = where.function_name()});
  me->state.set(activity::blocked);
  me->sleep->about_to_block(*me);
  me->pool->rests(*me);
  me->pool->step_aside(*me);
  if (blocked_.exchange(me, detail::acq_rel) != nullptr) {  // pairs: slot.blocked (mark_unblocked)
    detail::abort_with("a wait_slot was marked as blocked twice: each is for one wait at a time");
  }
  me->pool->home.rest(detail::resting::waiting);
}

wait_slot::~wait_slot() {
  if (blocked_.load(detail::relaxed) != nullptr) {  // relaxed: whoever destroys it knows that nobody is at it
    detail::abort_with("a wait_slot was destroyed while it was marked as blocked");
  }
}

void wait_slot::mark_unblocked() noexcept {
  detail::seat* const who = blocked_.exchange(nullptr, detail::acq_rel);  // pairs: slot.blocked (mark_blocked)
  if (who == nullptr) {
    return;
  }
  who->state.set(activity::active);
  who->doing.end();
  who->pool->step_back(*who);
  who->pool->home.rise(detail::resting::waiting);
}

}  // namespace dozer::inline DOZER_PLATFORM
