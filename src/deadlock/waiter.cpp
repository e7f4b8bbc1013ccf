#include <dozer/detail/waiter.hpp>

#include <dozer/detail/blocked_member.hpp>
#include <dozer/detail/outside_wait.hpp>
#include <dozer/detail/pool_core.hpp>

#include <mutex>

namespace dozer::inline DOZER_PLATFORM::detail {

waiter::waiter(const doing_now& what) noexcept : who_(current_seat()), what_(what) {}

waiter::ending waiter::block(wait_line& in, wait_kind who_can_end_it, std::uint64_t deadline) noexcept {
  doing_now declared = what_;
  declared.timed = deadline != no_deadline;
  declared.who_can_end_it = declared.timed ? wait_kind::external : who_can_end_it;
  if (who_ == nullptr) {
    const outside_wait shown(declared);
    std::uint32_t seen = standing;
    static_cast<void>(state_.compare_exchange(seen, blocked, relaxed, relaxed));  // relaxed: nothing to publish
    return park_until_over(in, deadline);
  }
  declared.since = now_ns();
  const blocked_member so_long(*who_, declared);
  if (declared.why == wait_reason::mutex) {
    show_holder(in);
  }
  const bool is_counted = declared.who_can_end_it == wait_kind::pool;
  std::uint32_t seen = standing;
  // pairs: waiter.state (releaser, reporter)
  const bool blocks = state_.compare_exchange(seen, is_counted ? counted : blocked, acq_rel, acquire);
  if (is_counted) {
    who_->blocked_in.store(this, release);  // pairs: waiter.interrupt (reporter)
    if (blocks) {
      who_->pool->home.rest(resting::waiting);  // last: whoever releases us may have been faster
    }
  }
  const ending how = park_until_over(in, deadline);
  if (is_counted) {
    no_longer_to_be_interrupted();
  }
  return how;
}

/// From here on the situation shows who holds what is waited for, also if that changes: a verdict rests on it.
void waiter::show_holder(wait_line& in) noexcept {
  const std::lock_guard hold(in.lock);
  shows_holder_ = in_line_;
  who_->doing.held_by(holder_);
}

waiter::ending waiter::park_until_over(wait_line& in, std::uint64_t deadline) noexcept {
  for (;;) {
    const std::uint32_t seen = state_.load(acquire);  // pairs: waiter.state (releaser, reporter)
    if (seen == released || seen == released_as_well) {
      return seen == released ? ending::released : ending::both;
    }
    const bool late = deadline != no_deadline && now_ns() >= deadline;
    if (seen == interrupted || late) {
      const std::lock_guard hold(in.lock);
      if (in.remove(*this)) {
        return late ? ending::timed_out : ending::interrupted;
      }
      deadline = no_deadline;  // somebody has taken us out, and is about to release us
    }
    park(state_, seen, channel::first, deadline);
  }
}

void waiter::release_all(waiter* chain) noexcept {
  while (chain != nullptr) {
    waiter& one = *chain;
    chain = one.next_;  // read before it is released: it may be gone then
    one.release_one();
  }
}

/// counted -> claimed: whoever wins counts the waiter as able again, before it goes on.
bool waiter::claim() noexcept {
  std::uint32_t seen = counted;
  // pairs: waiter.state (the waiter)
  if (!state_.compare_exchange(seen, claimed, acq_rel, acquire)) {
    return false;
  }
  who_->pool->home.rise(resting::waiting);
  return true;
}

void waiter::release_one() noexcept {
  std::uint32_t seen = standing;
  if (state_.compare_exchange(seen, released, acq_rel, acquire)) {  // pairs: waiter.state (the waiter)
    return;
  }
  if (seen == claimed || (seen == counted && !claim())) {
    // The reporter is about to interrupt it, and has nearly done so.
    while (state_.load(acquire) == claimed) {  // pairs: waiter.state (reporter)
      park(state_, claimed, channel::second);
    }
    seen = interrupted;
  }
  state_.store(seen == interrupted ? released_as_well : released, release);  // pairs: waiter.state (the waiter)
  unpark_one(&state_, channel::first);                                       // by its address: it may be gone
}

waiter* waiter::claim_in(seat& where, bool& moves) noexcept {
  waiter* const w = where.blocked_in.exchange(nullptr, acq_rel);  // pairs: waiter.interrupt (the waiter)
  if (w == nullptr || w->claim()) {
    return w;
  }
  w->reporter_is_through();
  moves = true;
  return nullptr;
}

void waiter::interrupt() noexcept {
  state_.store(interrupted, release);  // pairs: waiter.state (the waiter, releaser)
  unpark_one(&state_, channel::first);
  unpark_one(&state_, channel::second);
  reporter_is_through();
}

/// The last that the reporter does with it: by its address it may still wake somebody.
void waiter::reporter_is_through() noexcept {
  reporter_through_.store(1, release);  // pairs: waiter.through (the waiter)
  unpark_one(&reporter_through_, channel::first);
}

/// Returns once the reporter will not touch it any more.
void waiter::no_longer_to_be_interrupted() noexcept {
  if (who_->blocked_in.exchange(nullptr, acq_rel) == nullptr) {  // pairs: waiter.interrupt (reporter)
    while (reporter_through_.load(acquire) == 0) {               // pairs: waiter.through (reporter)
      park(reporter_through_, 0, channel::first);
    }
  }
  reporter_through_.store(0, relaxed);  // relaxed: for the next block, by the same thread
}

// ---- the line -----------------------------------------------------------------------------------

void wait_line::append(waiter& w) noexcept {
  w.state_.store(waiter::standing, relaxed);  // relaxed: the lock publishes it
  w.shows_holder_ = false;
  w.in_line_ = true;
  w.next_ = nullptr;
  w.previous_ = last_;
  (last_ != nullptr ? last_->next_ : first_) = &w;
  last_ = &w;
}

void wait_line::prepend(waiter& w) noexcept {
  w.state_.store(waiter::standing, relaxed);  // relaxed: the lock publishes it
  w.shows_holder_ = false;
  w.in_line_ = true;
  w.previous_ = nullptr;
  w.next_ = first_;
  (first_ != nullptr ? first_->previous_ : last_) = &w;
  first_ = &w;
}

waiter* wait_line::take_first(std::size_t& times) noexcept {
  waiter* const chain = first_;
  waiter* last = nullptr;
  for (; times != 0 && first_ != nullptr; --times) {
    last = first_;
    last->in_line_ = false;
    first_ = last->next_;
  }
  if (last == nullptr) {
    return nullptr;
  }
  last->next_ = nullptr;
  (first_ != nullptr ? first_->previous_ : last_) = nullptr;
  return chain;
}

waiter* wait_line::take_first() noexcept {
  std::size_t one = 1;
  return take_first(one);
}

waiter* wait_line::take_all(waiter* before) noexcept {
  auto any = static_cast<std::size_t>(-1);
  waiter* const all = take_first(any);
  if (before == nullptr) {
    return all;
  }
  waiter* last = before;
  while (last->next_ != nullptr) {
    last = last->next_;
  }
  last->next_ = all;
  return before;
}

bool wait_line::remove(waiter& w) noexcept {
  if (!w.in_line_) {
    return false;
  }
  w.in_line_ = false;
  (w.previous_ != nullptr ? w.previous_->next_ : first_) = w.next_;
  (w.next_ != nullptr ? w.next_->previous_ : last_) = w.previous_;
  return true;
}

void wait_line::note_holder(std::uint64_t holder) noexcept {
  for (waiter* w = first_; w != nullptr; w = w->next_) {
    w->holder_ = holder;
    if (w->shows_holder_) {
      w->who_->doing.held_by(holder);
    }
  }
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
