// Guests borrow the seats of sleeping workers and give them back (README.md beside this file, the steps of Enter and
// Leave).
#include <dozer/detail/sleep.hpp>

namespace dozer::inline DOZER_PLATFORM::detail {

seat* sleep_module::borrow_seat() noexcept {
  seat* borrowed = nullptr;
  sleepers_.visit_from(0, [&](std::uint32_t index) {
    seat& s = seats_[index];
    if (!s.parker.borrow()) {  // Enter 1
      return false;
    }
    sleepers_.erase(index);        // Enter 2
    word_.sit_down_quietly();      // Enter 3
    s.quiet.store(true, relaxed);  // after it: whoever clears this takes the guest out of the word  relaxed: a mark
    s.guest = true;
    s.guest_inside.set(true);
    s.state.set(activity::active);
    s.why.set(wait_reason::none);
    s.parker.sit_down();  // Enter 4
    borrowed = &s;
    return true;
  });
  return borrowed;
}

bool sleep_module::give_back(seat& s) noexcept {
  s.guest = false;
  s.guest_inside.set(false);
  s.state.set(activity::asleep);
  s.why.set(wait_reason::work);
  const auto anything = [&](sight seen) { return seen.injected || seen.in_deques || !s.mail.empty(); };
  // relaxed: as in end_quiet
  const bool quiet = s.quiet.load(relaxed) && s.quiet.exchange(false, relaxed);
  if (!quiet && anything(look())) {  // Leave 1
    word_.add_inactive();
  } else {
    sleepers_.insert(s.index);  // Leave 2
    s.parker.get_drowsy(parked::lent);
    const std::uint64_t departed = seats_.departures();
    const counters before = quiet ? word_.get_up_quietly() : word_.add_asleep_and_inactive();  // Leave 3
    bool seen = false;
    if (before.searchers() == 0) {  // Leave 4
      seen =
          anything(look_for_all(s, before.inactive(), departed, quiet ? forks::saw_hunger : forks::may_have_missed_it));
    } else {
      fence_seq_cst();  // pairs: sleep.inject (poster)
      seen = !injected_.empty() || !s.mail.empty();
    }
    if (!seen && s.parker.give_back_asleep()) {
      return false;  // the seat is the worker's again
    }
    word_.sub_asleep();  // Leave 5
    sleepers_.erase(s.index);
  }
  s.counts.wakes_sent[static_cast<std::size_t>(wake_cause::guest_left)].bump();
  s.woken_from = no_processor;
  s.parker.give_back_awake();  // Leave 6
  return true;
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
