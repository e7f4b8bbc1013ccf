#include <dozer/isolate.hpp>

#include <dozer/detail/pool_core.hpp>

namespace dozer::inline DOZER_PLATFORM::detail {

isolations::number* isolations::known(isolation i) noexcept {
  return i.any() && i != isolation::nameless() ? &numbers_[i.number() - 1] : nullptr;
}

isolation isolations::begin(isolation around, std::uint32_t by_seat) noexcept {
  for (std::uint32_t i = 0; i < max_isolations; ++i) {
    const std::uint32_t free = (by_seat + i) % max_isolations + 1;
    std::uint32_t uses = 0;
    if (numbers_[free - 1].uses.compare_exchange(uses, 1, acquire, relaxed)) {  // pairs: isolation.uses (let_go)
      add(around);
      // relaxed: whoever is told of the isolation later sees it
      numbers_[free - 1].around.store(known(around) != nullptr ? around.number() : 0, relaxed);
      return isolation::numbered(free);
    }
  }
  return isolation::nameless();
}

void isolations::add(isolation to) noexcept {
  if (number* const n = known(to)) {
    n->uses.fetch_add(1, relaxed);  // relaxed: whoever adds is inside, so it is in use
  }
}

void isolations::let_go(isolation of) noexcept {
  while (number* const n = known(of)) {
    of = isolation::numbered(n->around.load(relaxed));  // relaxed: the caller is inside; read while it is in use
    if (n->uses.fetch_sub(1, release) != 1) {           // pairs: isolation.uses (begin)
      return;
    }
  }
}

bool isolations::is_inside(isolation one, isolation other) const noexcept {
  if (one == isolation::nameless() || other == isolation::nameless()) {
    return false;
  }
  // No further than there are numbers: if what was read in a slot is old, so is what is found here, and worth nothing.
  for (std::uint32_t i = 0; i < max_isolations && one.any() && one != other; ++i) {
    one =
        isolation::numbered(numbers_[one.number() - 1].around.load(relaxed));  // relaxed: whoever says `one` was inside
  }
  return one.any() && one == other;
}

job_line* seat::line_in(isolation in) {
  if (!in.any()) {
    return &line_;
  }
  return in == isolation::nameless() ? nullptr : &lines_[in.number()];
}

deque_owner::seclusion seat::enter_isolation(isolation in) noexcept {
  hunger = &sleep->hunger(in);
  return own().enter(in);
}

void seat::leave_isolation(deque_owner::seclusion before) noexcept {
  own().leave_to(before);
  hunger = &sleep->hunger(before.in);
}

isolated_stay::isolated_stay(seat& me) noexcept
    : me_(me), in_(me.pool->isolated.begin(me.own().isolated_in(), me.index)), before_(me.enter_isolation(in_)) {}

isolated_stay::~isolated_stay() {
  me_.leave_isolation(before_);
  me_.pool->isolated.let_go(in_);
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
