#include <dozer/thread_pool.hpp>

#include <stdexcept>
#include <utility>

namespace dozer::inline DOZER_PLATFORM {

thread_pool::thread_pool(unsigned threads) : thread_pool(pool_options{.threads = threads}) {}

thread_pool::thread_pool(pool_options options) : core_(detail::pool_core::start(std::move(options), this)) {}

thread_pool::~thread_pool() { core_->end(); }

thread_pool& current_pool() {
  const detail::seat* const me = detail::current_seat();
  if (me == nullptr) {
    return global_pool();
  }
  thread_pool* const here = me->pool->handle();
  if (here == nullptr) {
    throw std::logic_error("dozer: current_pool(): the pool of this thread was destroyed by one of its own jobs");
  }
  return *here;
}

pool_stay::pool_stay(detail::pool_core& pool) {
  pool.check_usable();
  const detail::seat* const me = detail::current_seat();
  if (me != nullptr && me->pool != &pool) {
    throw std::logic_error("dozer: enter(): this thread is inside another pool");
  }
  if (me == nullptr && !stay_.emplace(pool).seated()) {
    stay_.reset();
    throw std::runtime_error("dozer: enter(): no seat of the pool is free (pool_options::extra_guests)");
  }
}

unsigned current_num_threads() { return detail::current_core().seats.workers(); }

unsigned index_bound() { return detail::current_core().seats.capacity(); }

std::optional<unsigned> current_thread_index() {
  const detail::seat* const me = detail::current_seat();
  return me != nullptr ? std::optional(me->index) : std::nullopt;
}

}  // namespace dozer::inline DOZER_PLATFORM
