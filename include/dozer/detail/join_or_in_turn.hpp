// A join for algorithms that must not fail halfway for want of memory.
#pragma once

#include <dozer/detail/pool_core.hpp>
#include <dozer/join.hpp>

namespace dozer::inline DOZER_PLATFORM::detail {

/// a(), then b(), whatever the first one throws. Its exception counts, as in a join.
template <class A, class B>
void call_both(const A& a, const B& b) {
  try {
    a();
  } catch (...) {
    try {
      b();
    } catch (...) {  // the first one leaves
    }
    throw;
  }
  b();
}

/// join(a, b). If the deque cannot grow, one after the other: so it throws what they throw, and nothing else.
template <class A, class B>
void join_or_in_turn(const A& a, const B& b) {
  if (seat* const me = current_seat(); me == nullptr || me->own().try_reserve()) {
    join(a, b);
  } else {
    call_both(a, b);
  }
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
