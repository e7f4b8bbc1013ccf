#include <dozer/detail/deque.hpp>

#include <bit>
#include <cstddef>

namespace dozer::inline DOZER_PLATFORM::detail {

static_assert(sizeof(deque) == 2 * cache_line, "the owner's fields must not share a line with the others'");

deque::deque(std::size_t capacity) : buffer_(new buffer(std::bit_ceil(capacity))) {
  const buffer& b = *buffer_.load(relaxed);  // relaxed: nobody else is here yet
  mask_ = b.mask;
  slots_ = b.slots.get();
  room_until_ = 1 + b.mask + 1;
}

deque::~deque() { delete buffer_.load(relaxed); }  // relaxed: nobody else is left

void deque_owner::make_room(deque& d) {
  const std::uint64_t h = d.head_.load(relaxed);  // relaxed: only the owner writes
  const std::uint64_t t = d.top_.load(acquire);   // pairs: deque.top (thief)
  if (h - t > d.mask_) {
    deque::buffer* const old = d.buffer_.load(relaxed);  // relaxed: only the owner writes
    auto larger = std::make_unique<deque::buffer>(2 * (d.mask_ + 1));
    for (std::uint64_t i = t; i < h; ++i) {
      // relaxed: the store to buffer_ publishes them
      larger->slots[i & larger->mask].store(d.slots_[i & d.mask_].load(relaxed), relaxed);
    }
    larger->older.reset(old);
    d.mask_ = larger->mask;
    d.slots_ = larger->slots.get();
    d.buffer_.store(larger.release(), release);  // pairs: deque.buffer (thief)
  }
  d.room_until_ = t + d.mask_ + 1;
}

bool deque_owner::take_public(std::uint64_t position) noexcept {
  d_.split_.store(position, release);       // pairs: deque.split (thief, exposer)
  fence_seq_cst();                          // pairs: deque.dekker (thief)
  std::uint64_t t = d_.top_.load(relaxed);  // relaxed: the fence orders it
  if (t < position) {
    return true;
  }
  bool won = false;
  if (t == position) {
    won = d_.top_.compare_exchange(t, position + 1, seq_cst, relaxed);  // pairs: deque.top (thief)
    t = position + 1;
  }
  d_.head_.store(t, release);   // pairs: deque.head (exposer)
  d_.split_.store(t, release);  // pairs: deque.split (thief, exposer)
  return won;
}

deque_thief::loot deque_thief::steal() noexcept {
  std::uint64_t t = d_.top_.load(acquire);  // pairs: deque.top (other thieves, owner)
  fence_seq_cst();                          // pairs: deque.dekker (owner)
  const split s(d_.split_.load(acquire));   // pairs: deque.split (owner, exposer)
  if (s.is_marked() || t >= s.index()) {
    return {nullptr, false};
  }
  // The buffer is read after the split: one that a push has replaced since still holds the job at t, if t is still
  // ours.
  const deque::buffer& b = *d_.buffer_.load(acquire);  // pairs: deque.buffer (owner)
  // relaxed: the slot, whose worth the exchange decides
  job* const j = b.slots[t & b.mask].load(relaxed);
  if (!d_.top_.compare_exchange(t, t + 1, seq_cst, relaxed)) {  // pairs: deque.top (other thieves, owner)
    return {nullptr, true};
  }
  return {j, false};
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
