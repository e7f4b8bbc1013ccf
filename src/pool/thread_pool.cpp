#include <dozer/thread_pool.hpp>

#include <utility>

namespace dozer::inline DOZER_PLATFORM {

thread_pool::thread_pool(unsigned threads) : thread_pool(pool_options{.threads = threads}) {}

thread_pool::thread_pool(pool_options options) : core_(detail::pool_core::start(std::move(options))) {}

thread_pool::~thread_pool() { core_->end(); }

unsigned current_num_threads() { return detail::current_core().seats.workers(); }

unsigned index_bound() { return detail::current_core().seats.capacity(); }

std::optional<unsigned> current_thread_index() {
  const detail::seat* const me = detail::current_seat();
  return me != nullptr ? std::optional(me->index) : std::nullopt;
}

}  // namespace dozer::inline DOZER_PLATFORM
