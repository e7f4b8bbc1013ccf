#include "global.hpp"

#include "fork.hpp"

#include <dozer/detail/join_job.hpp>
#include <dozer/thread_pool.hpp>

#include <mutex>
#include <new>
#include <utility>

namespace dozer::inline DOZER_PLATFORM {

namespace detail {

void call_in_global_pool(void (*f)(void* of), void* of) {
  global_pool().install([&] { f(of); });
}

thread_pool& global_slot::get() {
  thread_pool* made = now();
  if (made == nullptr) [[unlikely]] {
    static_cast<void>(make(usual_()));
    made = now();
  }
  return *made;
}

bool global_slot::make(pool_options options) {
  const std::lock_guard hold(making_);
  if (made_.load(relaxed) != nullptr) {  // relaxed: written under the lock
    return false;
  }
  made_.store(new thread_pool(std::move(options)), release);  // pairs: global.made (get)
  return true;
}

void global_slot::forget() noexcept {
  keep_reachable(made_.exchange(nullptr, relaxed));  // relaxed: alone
  new (&making_) short_lock;                         // its holder may be a thread that the child does not have
}

}  // namespace detail

namespace {

constinit detail::global_slot global([] { return pool_options(); });

}  // namespace

thread_pool& global_pool() { return global.get(); }

bool configure_global_pool(pool_options options) { return global.make(std::move(options)); }

void detail::forget_global_pool() noexcept { global.forget(); }

detail::pool_core* detail::global_pool_now() noexcept {
  thread_pool* const pool = global.now();
  return pool != nullptr ? &core_of(*pool) : nullptr;
}

}  // namespace dozer::inline DOZER_PLATFORM
