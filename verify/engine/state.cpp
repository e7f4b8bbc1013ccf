// When two states are the same, and which steps need not be tried in both orders.
#include "machine.hpp"

#include <cstring>

namespace verify {

bool pending::dependent(const pending& a, const pending& b) noexcept {
  if ((a.kind == op_kind::quiet && b.kind == op_kind::park) || (a.kind == op_kind::park && b.kind == op_kind::quiet)) {
    return true;  // a wake for no reason, at rest
  }
  if (a.kind == op_kind::park && b.kind == op_kind::park) {
    return true;  // a timeout or a wake for no reason leaves one less for the other
  }
  if (a.kind == op_kind::nap || b.kind == op_kind::nap) {
    return true;  // it says who goes on
  }
  const auto touches_nothing = [](const pending& p) {
    return p.kind == op_kind::start || p.kind == op_kind::join || p.kind == op_kind::quiet;
  };
  if (touches_nothing(a) || touches_nothing(b)) {
    return false;
  }
  if (a.kind == op_kind::interrupt || b.kind == op_kind::interrupt) {
    return true;
  }
  const bool a_fence = a.kind == op_kind::fence, b_fence = b.kind == op_kind::fence;
  if (a_fence || b_fence) {
    return (a_fence || a.sc) && (b_fence || b.sc);
  }
  const bool a_wakes = a.kind == op_kind::unpark, b_wakes = b.kind == op_kind::unpark;
  if (a_wakes || b_wakes) {
    return a.location == b.location && (a_wakes || a.kind == op_kind::park) && (b_wakes || b.kind == op_kind::park);
  }
  return a.location == b.location && (a.writes || b.writes || (a.sc && b.sc));
}

namespace {

static_assert(max_slots % 8 == 0);

/// A view, counted from `base`. Of both, only so many words are in use.
std::uint64_t hash_from(const view& v, const view& base, std::size_t words, std::uint64_t seed) noexcept {
  view rest;
  for (std::size_t i = 0; i < max_slots; ++i) {
    rest.at[i] = static_cast<std::uint8_t>(std::max(v.at[i], base.at[i]) - base.at[i]);
  }
  return hash_of_words(rest.at, words, seed);
}

}  // namespace

std::uint64_t machine::state_hash() noexcept {
  // The oldest store of each location that one of its users may still read. Who waits for the end will know everything.
  view base;
  const std::size_t words = (static_cast<std::size_t>(slots_used_) + 7) / 8;
  const thread_mask readers = readers_now();
  for (const location& l : locations_) {
    if (l.slot >= 0) {
      auto oldest = static_cast<std::uint8_t>(l.stores - 1);
      const thread_mask users = readers & users_of(l);
      for (thread_id t = 0; users >> t != 0; ++t) {
        if ((users & bit(t)) != 0) {
          oldest = std::min(oldest, threads_[t].cur.seen.at[l.slot]);
        }
      }
      base.at[l.slot] = oldest;
    }
  }
  std::uint64_t sum = ended_hash_ + hash_from(sc_, base, words, 7) + spurious_wakes_left_ +
                      16 * spurious_failures_left_ + 256 * timeouts_left_;
  for (thread_id t = 0; t < thread_count_; ++t) {
    const model_thread& each = threads_[t];
    std::uint64_t hash = fold(each.hash, t + 16 * static_cast<unsigned>(each.state) + 256 * each.did.wakes);
    hash = each.passed == 0 ? hash : fold(hash, each.passed);
    if ((tallied_ & bit(t)) != 0) {
      hash = fold(fold(fold(hash, each.did.rmws), each.did.fences), each.did.allocations);
    }
    if (each.state == status::finished && (joined_ & bit(t)) != 0) {
      hash = fold(hash, hash_from(each.cur.seen, base, words, 1));  // whoever joins it gets that
    }
    if ((readers & bit(t)) != 0) {
      view acquired = each.acq.seen;  // a fence adds it to what is known already
      acquired.join(each.cur.seen);
      hash = fold(hash, hash_from(each.cur.seen, base, words, 1));
      hash = fold(hash, hash_from(acquired, base, words, 2));
      hash = fold(hash, hash_from(each.rel.seen, base, words, 3));
      clock with_fence = each.cur.before;
      with_fence.join(each.acq.before);
      hash = fold(hash, ordered_before(each.cur.before) + 0x100u * ordered_before(with_fence) +
                            0x10000u * ordered_before(each.rel.before));
      for (std::int16_t i = 0; i < slots_used_; ++i) {
        if (each.stale_times[i] != 0) {
          hash = fold(hash, static_cast<std::uint64_t>(i) + 256u * each.stale_times[i] +
                                65536u * static_cast<unsigned>(each.stale_at[i] - base.at[i]));
        }
      }
    }
    sum += fold(hash, t);
  }
  // What a store tells matters only as far as one that may read it does not know it.
  thread_mask users_before = 0;
  view known = base;
  for (std::size_t i = 1; i < locations_.size(); ++i) {
    const location& l = locations_[i];
    if (l.slot < 0) {
      continue;
    }
    std::uint64_t hash = fold(l.key, reinterpret_cast<std::uint64_t>(l.address));
    hash = fold(hash, l.dead + 2 * (std::max(l.unparked_floor, base.at[l.slot]) - base.at[l.slot]));
    const thread_mask users = readers & users_of(l);
    if (users != users_before) {
      users_before = users;
      known = known_to_all(users);
      known.join(base);
    }
    for (std::uint32_t k = base.at[l.slot]; k < l.stores; ++k) {
      hash = fold(hash, stores_[i][k].value);
      if (users != 0) {
        hash = fold(hash, hash_from(stores_[i][k].message.seen, known, words, 4));
        hash = fold(hash, ordered_before(stores_[i][k].message.before));
      }
    }
    sum += hash;
  }
  for (const std::uint32_t c : dirty_) {
    std::uint64_t value;
    std::memcpy(&value, space_.stack_begin(0) + std::size_t{c} * 8, sizeof value);
    sum += fold(fold(8, c), value);
  }
  for (std::size_t region = 0; region < counted_.size(); ++region) {
    const auto& [from, bytes] = counted_[region];
    const auto* const p = static_cast<const unsigned char*>(from);
    for (std::size_t i = 0; i < bytes; ++i) {
      sum += p[i] == 0 ? 0 : fold(fold(0x1000 * (region + 1), i), p[i]);
    }
  }
  return sum;
}

thread_mask machine::readers_now() const noexcept {
  thread_mask readers = 0;
  for (thread_id t = 0; t < thread_count_; ++t) {
    const model_thread& each = threads_[t];
    if (each.state != status::finished && !(t == 0 && each.state == status::waits_for_quiet)) {
      readers |= bit(t);
    }
  }
  return readers;
}

thread_mask machine::users_of(const location& l) const noexcept {
  // A thread that is started later begins with what the one that starts it knows.
  return l.kind->users >> thread_count_ != 0 ? static_cast<thread_mask>(~0) : l.kind->users;
}

/// The threads whose last use of plain memory that others use came before.
thread_mask machine::ordered_before(const clock& c) const noexcept {
  thread_mask covered = 0;
  for (thread_id t = 0; t < thread_count_; ++t) {
    covered |= c.of[t] >= threads_[t].touched_at ? bit(t) : thread_mask{0};
  }
  return covered;
}

view machine::known_to_all(thread_mask of) const noexcept {
  view least;
  std::memset(least.at, 0xFF, sizeof least.at);
  for (thread_id t = 0; of >> t != 0; ++t) {
    if ((of & bit(t)) != 0) {
      for (std::size_t i = 0; i < max_slots; ++i) {
        least.at[i] = std::min(least.at[i], threads_[t].cur.seen.at[i]);
      }
    }
  }
  return least;
}

void machine::observe(std::uint64_t what, std::uint64_t value) noexcept {
  std::uint64_t& hash = me().hash;
  hash = fold(fold(hash, what), value);
}

void machine::observe_position() noexcept {
  if (!exploring_) {
    return;
  }
  const noted_registers& now = verify_registers;
  std::uint64_t hash = hash_of_words(now.saved, sizeof now.saved / 8, 6);
  hash = hash_of_words(now.sp, static_cast<std::size_t>(space_.stack_end(current_) - now.sp) / 8, hash);
  model_thread& t = me();
  hash = fold(hash, 4 * t.time + (t.ops != 0 ? 2 : 0) + (t.without_memory ? 1 : 0));
  hash = t.looks_without_time == 0 ? hash : fold(hash, t.looks_without_time);
  hash = fold(hash, exceptions_of_this_fiber());
  for (const void* const own : pointers().at) {
    hash = fold(hash, reinterpret_cast<std::uint64_t>(own));
  }
  t.hash = hash;
}

void machine::observe_own_stack() noexcept {
  const auto* const from = static_cast<const std::byte*>(__builtin_frame_address(0));
  me().hash = hash_of_words(from, static_cast<std::size_t>(space_.stack_end(current_) - from) / 8, 5);
}

}  // namespace verify
