// Threads as fibers, and who goes on.
#include "machine.hpp"

#include <fmt/format.h>
#include <cstdlib>
#include <cstring>

namespace verify {

void machine::thread_main(void* raw) {
  machine& m = the_machine();
  auto& t = *static_cast<model_thread*>(raw);
  m.in_program_ = true;
  t.body(t.argument);
  m.in_program_ = false;
  t.state = status::finished;
  if (m.current_ == 0) {
    m.ended_ = true;
    m.to_host();
  } else {
    t.hash = 0xF1;
    m.reschedule();
  }
  std::abort();
}

thread_id machine::start_thread(void (*body)(void*), void* argument) noexcept {
  outside guard(*this);
  if (thread_count_ == max_threads) {
    fail("scenario", "too many threads for the machine");
  }
  const thread_id id = thread_count_++;
  model_thread& t = threads_[id];
  t = model_thread{};
  t.state = status::runnable;
  t.body = body;
  t.argument = argument;
  t.own = at_first_;
  t.hash = fold(fold(id + 1u, reinterpret_cast<std::uint64_t>(body)), reinterpret_cast<std::uint64_t>(argument));
  if (id != 0) {
    t.cur = me().cur;
  }
  t.cur.before.of[id] = 1;
  space_.used[id] = 0;
  t.context.prepare(space_.stack_end(id), &thread_main, &t);
  if (id != 0 && exploring_) {
    done();
  }
  return id;
}

void machine::join_thread(thread_id who, const site& where) noexcept {
  outside guard(*this);
  model_thread& t = me();
  if (threads_[who].state != status::finished) {
    t.next = {op_kind::join, false, false, 0};
    t.joins = who;
    t.state = status::joining;
    reschedule();
    t.state = status::runnable;
  }
  note(op_kind::join, order::acquire, where);
  if (exploring_ && (joined_ & bit(who)) == 0) {
    joined_ |= bit(who);
    found_new_visible_ = true;  // states were told apart without what it knew
  }
  t.cur.join(threads_[who].cur);
  t.hash = fold(t.hash, 0x10 + who);
  done();
}

void machine::name_thread(const char* name) noexcept { std::strncpy(me().name, name, sizeof me().name - 1); }

std::uint64_t machine::now() noexcept {
  model_thread& t = me();
  if (t.looks_without_time != 0) {
    --t.looks_without_time;
  } else {
    ++t.time;
  }
  return t.time + t.passed;
}

void machine::settle() noexcept {
  outside guard(*this);
  model_thread& t = me();
  t.state = status::waits_for_quiet;
  t.rank = 1;
  reschedule();
  t.state = status::runnable;
}

void machine::hold_until_go() noexcept {
  outside guard(*this);
  me().state = status::held;
  reschedule();
}

void machine::until_quiet(unsigned rank, const site& where) noexcept {
  outside guard(*this);
  model_thread& t = me();
  t.next = {op_kind::quiet, false, false, 0};
  t.state = status::waits_for_quiet;
  t.rank = static_cast<std::uint8_t>(rank);
  reschedule();
  t.state = status::runnable;
  note(op_kind::quiet, order::relaxed, where);
  t.hash = fold(t.hash, 0x20);
  done();
}

void machine::point(const pending& next) noexcept {
  if (exploring_) {
    me().next = next;
    reschedule();
  }
}

void machine::done() noexcept {
  model_thread& t = me();
  ++t.ops;
  if (exploring_) {
    ++t.cur.before.of[current_];
  }
  if (++steps_done_ > limits_.steps) {
    fail("livelock", fmt::format("no end after {} steps", limits_.steps));
  }
}

void machine::reschedule() noexcept {
  const thread_id next = pick_next();
  if (next != current_) {
    switch_to(next);
  }
}

void machine::per_thread(void** pointer, void* at_first) noexcept {
  for (std::size_t i = 0; i != most_per_thread; ++i) {
    if (pointers_[i] == pointer) {
      return;
    }
    if (pointers_[i] == nullptr) {
      pointers_[i] = pointer;
      at_first_.at[i] = *pointer = at_first;
      return;
    }
  }
  fail("scenario", "too many pointers for the machine");
}

machine::own_pointers machine::pointers() const noexcept {
  own_pointers now;
  for (std::size_t i = 0; i != most_per_thread && pointers_[i] != nullptr; ++i) {
    now.at[i] = *pointers_[i];
  }
  return now;
}

void machine::set_pointers(const own_pointers& to) noexcept {
  for (std::size_t i = 0; i != most_per_thread && pointers_[i] != nullptr; ++i) {
    *pointers_[i] = to.at[i];
  }
}

void machine::switch_to(thread_id next) noexcept {
  me().own = pointers();
  set_pointers(threads_[next].own);
  fiber& from = me().context;
  current_ = next;
  switch_fiber(from, threads_[next].context);
}

thread_id machine::pick_next(thread_mask only_if_alone) noexcept {
  thread_mask enabled = 0, spurious = 0, timed = 0;
  unsigned lowest_rank = 255;
  for (thread_id t = 0; t < thread_count_; ++t) {
    const model_thread& each = threads_[t];
    switch (each.state) {
      case status::runnable:
        enabled |= bit(t);
        break;
      case status::joining:
        if (threads_[each.joins].state == status::finished) {
          enabled |= bit(t);
        }
        break;
      case status::parked:
        if (each.timed && !limits_.never) {
          timed |= bit(t);
        }
        if (spurious_wakes_left_ != 0) {
          spurious |= bit(t);
        }
        break;
      case status::waits_for_quiet:
        lowest_rank = std::min<unsigned>(lowest_rank, each.rank);
        break;
      case status::absent:
      case status::held:
      case status::finished:
        break;
    }
  }
  if ((enabled & ~only_if_alone) != 0) {
    enabled &= static_cast<thread_mask>(~only_if_alone);
  }
  if (enabled == 0) {
    enabled = timed;
  } else if (timeouts_left_ != 0) {
    spurious |= timed;
  }
  if (enabled == 0) {
    for (thread_id t = 0; t < thread_count_; ++t) {
      if (threads_[t].state == status::waits_for_quiet && threads_[t].rank == lowest_rank) {
        enabled = bit(t);  // one at a time
        break;
      }
    }
  }
  if (enabled == 0) {
    std::string who;
    for (thread_id t = 0; t < thread_count_; ++t) {
      if (threads_[t].state == status::parked || threads_[t].state == status::joining) {
        who += std::string(who.empty() ? "" : ", ") + threads_[t].name +
               (threads_[t].state == status::parked ? " parked" : " joining");
      }
    }
    fail("deadlock", fmt::format("nobody can go on: {}", who));
  }
  thread_id next = current_;
  if (exploring_) {
    next = chooser_->next_thread(current_, enabled, spurious);
  } else if ((enabled & bit(current_)) == 0) {
    next = 0;
    while ((enabled & bit(next)) == 0) {
      ++next;
    }
  }
  preempts_ |= next != current_ && (enabled & bit(current_)) != 0;
  model_thread& chosen = threads_[next];
  if (chosen.state == status::parked) {
    chosen.state = status::runnable;
    chosen.timed_out = (timed & bit(next)) != 0;
    if (chosen.timed_out) {
      timeouts_left_ -= timeouts_left_ != 0 ? 1 : 0;
    } else {
      --spurious_wakes_left_;
    }
    chosen.hash = fold(chosen.hash, chosen.timed_out ? 0x31 : 0x30);
  } else if (chosen.next.kind == op_kind::start) {
    chosen.hash = fold(chosen.hash, 0x32);
  }
  return next;
}

}  // namespace verify
