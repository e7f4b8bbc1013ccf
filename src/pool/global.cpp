#include "global.hpp"

#include "fork.hpp"

#include <dozer/detail/short_lock.hpp>
#include <dozer/thread_pool.hpp>

#include <mutex>
#include <new>
#include <utility>

namespace dozer::inline DOZER_PLATFORM {

namespace {

// None of this is ever destroyed: workers may still run while the process exits.
constinit detail::atomic<thread_pool*> global{nullptr};
constinit detail::short_lock making;
/// True if this call made the pool.
bool make_global_pool(pool_options options) {
  const std::lock_guard hold(making);
  if (global.load(detail::relaxed) != nullptr) {  // relaxed: written under the lock
    return false;
  }
  global.store(new thread_pool(std::move(options)), detail::release);  // pairs: global.made (global_pool)
  return true;
}

}  // namespace

thread_pool& global_pool() {
  thread_pool* made = global.load(detail::acquire);  // pairs: global.made (make_global_pool)
  if (made == nullptr) [[unlikely]] {
    make_global_pool({});
    made = global.load(detail::acquire);  // pairs: global.made (make_global_pool)
  }
  return *made;
}

bool configure_global_pool(pool_options options) { return make_global_pool(std::move(options)); }

void detail::forget_global_pool() noexcept {
  keep_reachable(global.exchange(nullptr, detail::relaxed));  // relaxed: alone
  new (&making) detail::short_lock;                           // its holder may be a thread that the child does not have
}

}  // namespace dozer::inline DOZER_PLATFORM
