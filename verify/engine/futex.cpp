// Parking and unparking.
#include "machine.hpp"

namespace verify {

void machine::park(std::uint32_t index, const void* address, std::uint64_t expected, std::uint32_t channel,
                   std::uint64_t deadline, const site& where) noexcept {
  outside guard(*this);
  if (!falls_asleep(index, address, expected, where)) {
    return;
  }
  model_thread& t = me();
  t.state = status::parked;
  t.parked_at = address;
  ++t.parks;
  t.channel = channel;
  t.timed = deadline != ~std::uint64_t{0};
  has_timed_parks_ |= t.timed && exploring_;
  t.timed_out = false;
  t.next = {op_kind::park, false, false, index};
  t.time = 0;
  // What the program keeps in registers counts as well: this makes them be saved, in this frame.
  __asm__ __volatile__("" ::: "rbx", "r12", "r13", "r14", "r15");
  observe_own_stack();
  observe(reinterpret_cast<std::uint64_t>(address), 2 * channel + (t.timed ? 1 : 0));
  reschedule();
  t.parked_at = nullptr;
  t.passed = t.timed_out ? std::max(t.passed, deadline) : t.passed;
}

bool machine::falls_asleep(std::uint32_t index, const void* address, std::uint64_t expected,
                           const site& where) noexcept {
  location& l = use(index, address, op_kind::park, false, false);
  std::uint32_t from = l.stores - 1;
  if (exploring_) {
    // Whoever unparks before this has locked the same bucket before: its change is seen.
    const std::uint32_t floor = std::max<std::uint32_t>(floor_of(l, order::relaxed), l.unparked_floor);
    if (floor < from && visible(l)) {
      from -= chooser_->choose(choice::read, from - floor + 1);
    }
    read(l, from, order::relaxed);
  }
  const bool sleeps = at(l, from).value == expected;
  observe(l.key, sleeps ? 1 : 0);
  if (step* s = note(op_kind::park, order::relaxed, where)) {
    s->location = index;
    s->value = at(l, from).value;
    s->from = from;
    s->newest = l.stores - 1;
    s->writer = at(l, from).by;
    s->note = sleeps ? "sleeps" : "the value has changed";
  }
  done();
  return sleeps;
}

void machine::nap(const site& where) noexcept {
  outside guard(*this);
  if (!exploring_) {
    return;
  }
  if (naps_forbidden_) {
    fail("fruitless search", "a thread keeps looking for what it cannot have");
  }
  observe_position();
  point({op_kind::nap, false, false, 0});
  observe(7, 0);
  note(op_kind::nap, order::relaxed, where);
  done();
  const thread_id next = pick_next(bit(current_));
  if (next != current_) {
    switch_to(next);
  }
}

void machine::unpark(const void* address, std::uint32_t channel, bool all, const site& where) noexcept {
  outside guard(*this);
  const location* l = find(address);
  const std::uint32_t index = l != nullptr ? static_cast<std::uint32_t>(l - locations_.data()) : 0;
  observe_position();
  point({op_kind::unpark, false, false, index});
  model_thread& t = me();
  ++t.did.wakes;
  if (l != nullptr && exploring_) {
    location& here = locations_[index];
    if (here.slot >= 0) {
      here.unparked_floor = std::max(here.unparked_floor, t.cur.seen.at[here.slot]);
    }
  }
  thread_mask waiting = 0;
  for (thread_id other = 0; other < thread_count_; ++other) {
    const model_thread& o = threads_[other];
    if (o.state == status::parked && o.parked_at == address && (o.channel & channel) != 0) {
      waiting |= bit(other);
    }
  }
  const auto count = static_cast<unsigned>(__builtin_popcount(waiting));
  if (!all && count > 1) {
    unsigned which = exploring_ ? chooser_->choose(choice::pick, count) : 0;
    thread_id target = 0;
    for (;; ++target) {
      if ((waiting & bit(target)) != 0 && which-- == 0) {
        break;
      }
    }
    waiting = bit(target);
  }
  for (thread_id other = 0; other < thread_count_; ++other) {
    if ((waiting & bit(other)) != 0) {
      threads_[other].state = status::runnable;
      threads_[other].next = {};
    }
  }
  observe(6, waiting);
  if (step* s = note(op_kind::unpark, order::relaxed, where)) {
    s->location = index;
    s->value = waiting;
  }
  done();
}

}  // namespace verify
