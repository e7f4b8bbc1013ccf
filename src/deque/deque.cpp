#include <dozer/detail/deque.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <new>
#include <utility>

namespace dozer::inline DOZER_PLATFORM::detail {

static_assert(sizeof(deque) == 2 * cache_line, "the owner's fields must not share a line with the others'");

std::uint64_t deque::usual_start() noexcept {
  const std::uint64_t asked = hooks.deque_start.load(relaxed);  // relaxed: set by a test, before
#if defined(NDEBUG)
  constexpr std::uint64_t otherwise = 1;
#else
  constexpr std::uint64_t otherwise = ~std::uintptr_t{0} / sizeof(slot) - 63;  // soon the addresses of slots wrap
#endif
  return asked != 0 ? asked : otherwise;
}

deque::deque(std::size_t capacity, std::uint64_t start)
    : head_(start), buffers_(std::make_unique<buffer>(std::bit_ceil(capacity))), top_(start), split_(start) {
  use_buffer_from(start);
  origin_.store(slots_.address(), relaxed);  // relaxed: nobody else is here yet
}

deque::~deque() = default;

bool deque_owner::try_make_room(std::size_t jobs) noexcept {
  try {
    make_room(jobs);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void deque_owner::make_room(std::size_t jobs) {
  const std::uint64_t h = d_.head_.load(relaxed);  // relaxed: only the owner writes
  if (h + jobs <= d_.end()) {
    return;  // in an isolation
  }
  const std::uint64_t t = d_.top_.load(acquire);  // pairs: deque.top (thief)
  const std::size_t size = d_.buffers_->size;
  const std::size_t needed = 2 * (static_cast<std::size_t>(h - t) + jobs);
  if (needed <= size && d_.buffers_->has_spare()) {
    // Nothing that it held when it was last in use is still there (README.md).
    std::unique_ptr<deque::buffer> spare = std::move(d_.buffers_->older);
    d_.buffers_->older = std::move(spare->older);
    spare->older = std::move(d_.buffers_);
    d_.buffers_ = std::move(spare);
  } else {
    auto fresh = std::make_unique<deque::buffer>(needed <= size ? size : std::bit_ceil(std::max(2 * size, needed)));
    fresh->older = std::move(d_.buffers_);
    d_.buffers_ = std::move(fresh);
  }
  const deque::origin left = d_.slots_;
  d_.use_buffer_from(t);
  for (std::uint64_t i = t; i < h; ++i) {
    // relaxed: the store to origin_ publishes them
    d_.slots_[i].store(left[i].load(relaxed), relaxed);
  }
  d_.origin_.store(d_.slots_.address(), release);  // pairs: deque.buffer (thief)
}

bool deque_owner::nothing_above(std::uint64_t position) noexcept {
  if (d_.posted_until_ <= position + 1) {
    return true;
  }
  const std::uint64_t t = d_.top_.load(relaxed);           // relaxed: what it has passed above, the owner has seen
  d_.head_.store(std::max(d_.posted_until_, t), release);  // pairs: deque.head (exposer)
  return false;
}

bool deque_owner::take_public(std::uint64_t position) noexcept {
  d_.posted_until_ = std::min(d_.posted_until_, position);
  d_.head_.store(position, release);        // pairs: deque.head (exposer)
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

entry deque_owner::take() noexcept {
  const std::uint64_t h = d_.head_.load(relaxed);  // relaxed: only the owner writes
  const std::uint64_t t = d_.top_.load(relaxed);   // relaxed: it never goes back
  if (t >= h) {
    return {};
  }
  const entry newest(d_.slots_[h - 1].load(relaxed));  // relaxed: the owner wrote it
  if (h <= d_.base_) {
    // Posted in the isolation, though before the base.
    if (!newest.is_posted() || newest.forked_in() != d_.isolation_ || d_.isolation_ == isolation::nameless()) {
      return {};
    }
    d_.base_ = h - 1;
  }
  if (newest.is_posted()) {
    return take_public(h - 1) ? newest : entry();
  }
  return take_oldest();
}

entry deque_owner::take_oldest() noexcept {
  const std::uint64_t h = d_.head_.load(relaxed);  // relaxed: only the owner writes
  const std::uint64_t t = d_.top_.load(relaxed);   // relaxed: it never goes back
  if (t >= h || t < d_.base_) {
    return {};
  }
  deque_thief::loot oldest;
  do {
    publish();  // each time: an exposer who has looked long ago may have set its mark meanwhile
    oldest = deque_thief(d_).steal();
  } while (!oldest.stolen && d_.top_.load(relaxed) < h);  // relaxed: it never goes back
  return oldest.stolen;
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
