#include <dozer/detail/deque.hpp>

#include <bit>
#include <cstddef>

namespace dozer::inline DOZER_PLATFORM::detail {

static_assert(sizeof(deque) == 2 * cache_line, "top and head must not share a line");

deque::deque(std::size_t capacity) : buffer_(new buffer(std::bit_ceil(capacity))) {}

deque::~deque() { delete buffer_.load(relaxed); }  // relaxed: nobody else is left

void deque_owner::grow(std::int64_t head, std::int64_t top) {
  deque::buffer* const old = d_.buffer_.load(relaxed);  // relaxed: only the owner writes
  auto larger = std::make_unique<deque::buffer>(2 * (static_cast<std::size_t>(old->mask) + 1));
  for (std::int64_t i = top; i < head; ++i) {
    larger->at(i).store(old->at(i).load(relaxed), relaxed);  // relaxed: the store to buffer_ publishes them
  }
  larger->older.reset(old);
  d_.buffer_.store(larger.release(), release);  // pairs: deque.buffer (thief)
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
