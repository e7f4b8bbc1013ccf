// The view machine: locations, stores, and what each operation does to what threads know.
#include "machine.hpp"

#include <fmt/format.h>

namespace verify {

std::uint32_t machine::new_location(const void* address, std::uint64_t value) noexcept {
  outside guard(*this);
  model_thread& t = me();
  const auto index = static_cast<std::uint32_t>(locations_.size());
  const std::uint64_t key = fold(0, (std::uint64_t{current_} << 32) + ++t.made);
  locations_.push_back({});
  location& l = locations_.back();
  l.address = address;
  l.key = key;
  l.kind = &kinds_[key];
  l.stores = 1;
  l.slot = -1;
  l.maker = current_;
  l.made_at = t.cur.before.of[current_];
  l.watched = -1;
  if (stores_.size() <= index) {
    stores_.resize(index + 1);
  }
  auto& list = stores_[index];
  if (list.empty()) {
    list.resize(4);
  }
  list[0].value = value;
  list[0].message = {};
  list[0].by = current_;
  list[0].rmw = false;
  list[0].time = l.made_at;
  return index;
}

void machine::end_location(std::uint32_t index, const void* address) noexcept {
  outside guard(*this);
  if (index >= locations_.size() || locations_[index].address != address || locations_[index].dead) {
    return;  // made in another run, and abandoned
  }
  location& l = locations_[index];
  l.dead = true;
  ended_hash_ += fold(l.key, 2);
  if (!exploring_) {
    return;
  }
  for (thread_id t = 0; t < thread_count_; ++t) {
    if (t != current_ && l.used_at.of[t] > me().cur.before.of[t]) {
      fail("race", fmt::format("{} is destroyed while {} may still use it", location_name(index), threads_[t].name));
    }
  }
}

std::uint32_t machine::standard_atomic(const void* address, std::uint64_t value) noexcept {
  const location* const known = find(address);
  if (known == nullptr && (exploring_ || !in_program_)) {
    fail("scenario", "an atomic that is not the seam's, and was not used before go()");
  }
  return known != nullptr ? static_cast<std::uint32_t>(known - locations_.data()) : new_location(address, value);
}

machine::location& machine::use(std::uint32_t index, const void* address, op_kind kind, bool sc, bool writes) noexcept {
  if (index >= locations_.size() || locations_[index].address != address) {
    fail("use after free", "an atomic that is no more, or was never made");
  }
  if (exploring_) {
    kind_of_location& of_all_runs = *locations_[index].kind;
    if ((of_all_runs.users & bit(current_)) == 0) {
      of_all_runs.users |= bit(current_);
      found_new_visible_ |= of_all_runs.visible;  // states were told apart without this reader
    }
    if (!of_all_runs.visible) {
      of_all_runs.written |= writes;
      if (of_all_runs.written && (of_all_runs.users & (of_all_runs.users - 1)) != 0) {
        of_all_runs.visible = true;
        found_new_visible_ = true;
      }
    }
    if (of_all_runs.visible || everything_visible_ || kind == op_kind::park) {
      if (kind != op_kind::park) {
        observe_position();
      }
      point({kind, sc, writes, index});
    }
  }
  location& l = locations_[index];
  if (l.dead) {
    fail("use after free", fmt::format("{} has been destroyed", location_name(index)));
  }
  if (!exploring_) {
    return l;
  }
  const std::size_t part = space_.offset(address) / space::part_size;
  if (part != current_ && part < max_threads && address < threads_[part].context.sp &&
      address < static_cast<const void*>(space_.stack_end(static_cast<thread_id>(part)))) {
    fail("use after free", fmt::format("{} was on the stack of a function that has returned", location_name(index)));
  }
  const clock& known = me().cur.before;
  if (!l.at_setup && l.maker != current_ && l.made_at > known.of[l.maker]) {
    fail("race", fmt::format("{} is used by a thread that does not know that it was made", location_name(index)));
  }
  l.used_at.of[current_] = known.of[current_];
  return l;
}

std::int16_t machine::slot_of(location& l) noexcept {
  if (l.slot < 0) {
    if (l.kind->slot < 0) {
      if (slots_used_ == max_slots) {
        fail("scenario", "more written locations than a view holds");
      }
      l.kind->slot = slots_used_++;
    }
    l.slot = l.kind->slot;
  }
  return l.slot;
}

std::uint32_t machine::floor_of(const location& l, order o) const noexcept {
  if (l.slot < 0) {
    return 0;
  }
  if (limits_.memory == memory_mode::sequential) {
    return l.stores - 1;
  }
  const model_thread& t = threads_[current_];
  std::uint32_t floor = t.cur.seen.at[l.slot];
  if (o == order::seq_cst) {
    floor = std::max<std::uint32_t>(floor, sc_.at[l.slot]);
  }
  if (floor + 1 < l.stores && t.stale_at[l.slot] == floor && t.stale_times[l.slot] > limits_.stale_repeats) {
    ++floor;
  }
  return floor;
}

void machine::read(location& l, std::uint32_t index, order o) noexcept {
  if (l.slot < 0) {
    return;
  }
  model_thread& t = me();
  const auto slot = static_cast<std::size_t>(l.slot);
  t.cur.seen.at[slot] = static_cast<std::uint8_t>(index);
  const knowledge& message = at(l, index).message;
  (acquires(o) ? t.cur : t.acq).join(message);
  if (o == order::seq_cst) {
    sc_.at[slot] = std::max(sc_.at[slot], static_cast<std::uint8_t>(index));
  }
  if (index + 1 == l.stores) {
    t.stale_times[slot] = 0;
  } else if (t.stale_times[slot] != 0 && t.stale_at[slot] == index) {
    ++t.stale_times[slot];
  } else {
    t.stale_at[slot] = static_cast<std::uint8_t>(index);
    t.stale_times[slot] = 1;
  }
}

void machine::append(location& l, std::uint64_t value, order o, const knowledge* inherited) noexcept {
  const auto self = static_cast<std::size_t>(&l - locations_.data());
  if (!exploring_) {
    at(l, l.stores - 1).value = value;
    return;
  }
  const auto slot = static_cast<std::size_t>(slot_of(l));
  model_thread& t = me();
  if (l.stores == 255) {
    fail("livelock", fmt::format("{} was written 255 times", location_name(static_cast<std::uint32_t>(self))));
  }
  auto& list = stores_[self];
  if (list.size() == l.stores) {
    list.resize(2 * list.size());
  }
  const auto index = static_cast<std::uint8_t>(l.stores++);
  t.cur.seen.at[slot] = index;
  stored& s = list[index];
  s.value = value;
  s.by = current_;
  s.rmw = inherited != nullptr;
  s.time = t.cur.before.of[current_];
  if (releases(o)) {
    s.message = t.cur;
  } else {
    s.message = t.rel;
    s.message.seen.at[slot] = index;
  }
  if (inherited != nullptr) {
    s.message.join(*inherited);
  }
  if (o == order::seq_cst) {
    sc_.at[slot] = index;
  }
  t.stale_times[slot] = 0;
}

void machine::tell(const location& l, std::uint64_t value, bool wrote) noexcept {
  if (l.watched >= 0) {
    const watched_location& w = watched_[static_cast<std::size_t>(l.watched)];
    if (w.accessed != nullptr && exploring_) {
      w.accessed(w.context, value, current_, wrote);
    }
    if (wrote && w.changed != nullptr && exploring_) {
      w.changed(w.context, l.stores > 1 ? at(l, l.stores - 2).value : 0, value, current_);
    }
  }
}

std::uint64_t machine::load(std::uint32_t index, const void* address, order o, const site& where) noexcept {
  outside guard(*this);
  location& l = use(index, address, op_kind::load, o == order::seq_cst, false);
  std::uint32_t from = l.stores - 1;
  if (exploring_) {
    const std::uint32_t floor = floor_of(l, o);
    if (floor < from && visible(l)) {
      from -= chooser_->choose(choice::read, from - floor + 1);
    }
    read(l, from, o);
    observe(l.key, at(l, from).value);
  }
  const std::uint64_t value = at(l, from).value;
  if (step* s = note(op_kind::load, o, where)) {
    s->location = index;
    s->value = value;
    s->from = from;
    s->newest = l.stores - 1;
    s->writer = at(l, from).by;
  }
  tell(l, value, false);
  done();
  return value;
}

void machine::store(std::uint32_t index, const void* address, std::uint64_t value, order o,
                    const site& where) noexcept {
  outside guard(*this);
  location& l = use(index, address, op_kind::store, o == order::seq_cst, true);
  if (exploring_) {
    // An RMW stands right after what it has read. So if that is known to us, the RMW comes before us as well.
    const std::uint32_t known = l.slot < 0 ? 0 : me().cur.seen.at[l.slot];
    for (std::uint32_t i = l.stores - 1; i > known; --i) {
      if (!at(l, i).rmw) {
        fail("unordered stores",
             fmt::format("{}: a plain store that is not ordered after the one before it", location_name(index)));
      }
    }
  }
  append(l, value, o, nullptr);
  observe(l.key, 1);
  if (step* s = note(op_kind::store, o, where)) {
    s->location = index;
    s->value = value;
    s->newest = s->from = l.stores - 1;
    s->wrote = true;
  }
  tell(l, value, true);
  done();
}

std::uint64_t machine::rmw_read(std::uint32_t index, const void* address, order o, const site&) noexcept {
  outside guard(*this);
  location& l = use(index, address, op_kind::rmw, o == order::seq_cst, true);
  ++me().did.rmws;
  read(l, l.stores - 1, o);
  observe(l.key, at(l, l.stores - 1).value);
  return at(l, l.stores - 1).value;
}

void machine::rmw_write(std::uint32_t index, std::uint64_t value, order o, const site& where) noexcept {
  outside guard(*this);
  location& l = locations_[index];
  const std::uint64_t old = at(l, l.stores - 1).value;
  const knowledge inherited = at(l, l.stores - 1).message;
  const thread_id writer = at(l, l.stores - 1).by;
  append(l, value, o, exploring_ ? &inherited : nullptr);
  if (step* s = note(op_kind::rmw, o, where)) {
    s->location = index;
    s->value = value;
    s->old_value = old;
    s->newest = s->from = l.stores - 1;
    s->writer = writer;
    s->wrote = true;
  }
  tell(l, value, true);
  done();
}

bool machine::compare_exchange(std::uint32_t index, const void* address, std::uint64_t& expected, std::uint64_t desired,
                               order success, order failed, bool weak, const site& where) noexcept {
  outside guard(*this);
  location& l = use(index, address, op_kind::rmw, success == order::seq_cst || failed == order::seq_cst, true);
  ++me().did.rmws;
  std::uint32_t from = l.stores - 1;
  bool won = at(l, from).value == expected;
  bool spurious = false;
  if (exploring_) {
    if (won && weak && spurious_failures_left_ != 0 && chooser_->choose(choice::spurious, 2) == 1) {
      --spurious_failures_left_;
      won = false;
      spurious = true;
    }
    if (!spurious && visible(l)) {
      // A failure is a load, and may read an older store that differs from what was expected.
      const std::uint32_t floor = floor_of(l, failed);
      static std::uint32_t older[256];  // not on the program's stack: it would have to be cleared
      unsigned count = 0;
      for (std::uint32_t i = from; i-- > floor;) {
        if (at(l, i).value != expected) {
          older[count++] = i;
        }
      }
      if (count != 0) {
        const unsigned chosen = chooser_->choose(choice::read, count + 1);
        if (chosen != 0) {
          from = older[chosen - 1];
          won = false;
        }
      }
    }
  }
  const std::uint64_t seen = at(l, from).value;
  const thread_id writer = at(l, from).by;
  const std::uint32_t newest = l.stores - 1;
  if (won) {
    const knowledge inherited = at(l, from).message;
    read(l, from, success);
    append(l, desired, success, exploring_ ? &inherited : nullptr);
  } else {
    read(l, from, failed);
  }
  observe(l.key + (won ? 1 : 0), seen);
  if (reached_ != nullptr && exploring_) [[unlikely]] {
    reached_point& here = reached_at(where);
    (won ? here.won : here.failed) = true;
  }
  if (step* s = note(op_kind::rmw, won ? success : failed, where)) {
    s->location = index;
    s->value = won ? desired : seen;
    s->old_value = won ? seen : expected;
    s->from = from;
    s->newest = newest;
    s->writer = writer;
    s->wrote = won;
    s->note = spurious ? "fails for no reason" : (won ? nullptr : "fails");
  }
  tell(l, won ? desired : seen, won);
  if (!won) {
    expected = seen;
  }
  done();
  return won;
}

void machine::fence(model_thread& t) noexcept {
  t.cur.join(t.acq);
  t.cur.seen.join(sc_);
  sc_ = t.cur.seen;
  t.rel = t.cur;
}

void machine::fence_seq_cst(const site& where) noexcept {
  outside guard(*this);
  if (limits_.memory == memory_mode::weak) {
    observe_position();
    point({op_kind::fence, true, false, 0});
    observe(2, 0);
  }
  ++me().did.fences;
  fence(me());
  note(op_kind::fence, order::seq_cst, where);
  done();
}

void machine::fence_process(const site& where) noexcept {
  outside guard(*this);
  ++me().did.fences;
  if (limits_.memory == memory_mode::sequential) {
    fence(me());
    return;
  }
  // Not an ordinary fence: it reaches those who do not run.
  observe_position();
  point({op_kind::interrupt, true, true, 0});
  observe(3, 0);
  fence(me());
  if (step* s = note(op_kind::fence, order::seq_cst, where)) {
    s->note = "process fence begins";
  }
  done();
  thread_mask running = 0;
  for (thread_id t = 0; t < thread_count_; ++t) {
    model_thread& each = threads_[t];
    if (t == current_) {
      continue;
    }
    if (each.state == status::runnable && each.ops != 0) {
      running |= bit(t);
    } else {
      fence(each);  // not running, or not any more: the system fenced it when it switched it out
    }
  }
  observe(3, running);
  while (running != 0) {
    point({op_kind::interrupt, true, true, 0});
    unsigned which = 0;
    const auto left = static_cast<unsigned>(__builtin_popcount(running));
    if (exploring_ && left > 1) {
      which = chooser_->choose(choice::pick, left);
    }
    thread_id target = 0;
    for (;; ++target) {
      if ((running & bit(target)) != 0 && which-- == 0) {
        break;
      }
    }
    running &= static_cast<thread_mask>(~bit(target));
    fence(threads_[target]);
    observe(4, target);
    if (step* s = note(op_kind::interrupt, order::seq_cst, where)) {
      s->writer = target;
    }
    done();
  }
  point({op_kind::fence, true, false, 0});
  observe(5, 0);
  fence(me());
  if (step* s = note(op_kind::fence, order::seq_cst, where)) {
    s->note = "process fence ends";
  }
  done();
}

}  // namespace verify
