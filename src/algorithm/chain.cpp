// What of a chain does not depend on its chunks.
#include <dozer/detail/chain.hpp>

#include <dozer/detail/fold.hpp>  // so that the tools that read the sources see it
#include <dozer/detail/in_order.hpp>

#include <algorithm>
#include <mutex>

namespace dozer::inline DOZER_PLATFORM::detail {

chain::taken chain::take(std::uint64_t size, std::uint64_t count) noexcept {
  const std::lock_guard hold(lock_);
  const std::uint64_t first = next_;
  next_ += std::min(size, count - first);
  return {{first, next_}, first == passed_};
}

bool chain::arrive(chain_link& ready) noexcept {
  const std::lock_guard hold(lock_);
  if (ready.first == passed_) {
    return true;
  }
  // Chunks arrive nearly in order, so the place is near the end.
  chain_link* at = last_waiting_;
  while (at != nullptr && at->first > ready.first) {
    at = at->before;
  }
  ready.before = at;
  ready.after = at != nullptr ? at->after : waiting_;
  (at != nullptr ? at->after : waiting_) = &ready;
  (ready.after != nullptr ? ready.after->before : last_waiting_) = &ready;
  return false;
}

chain_link* chain::pass(std::uint64_t until) noexcept {
  const std::lock_guard hold(lock_);
  passed_ = until;
  return waiting_ != nullptr && waiting_->first == until ? pop() : nullptr;
}

chain_link* chain::pop() noexcept {
  chain_link* const first = waiting_;
  waiting_ = first->after;
  (waiting_ != nullptr ? waiting_->before : last_waiting_) = nullptr;
  return first;
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
