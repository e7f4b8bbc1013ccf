// The one pool that free functions use.
#pragma once

#include <dozer/detail/platform.hpp>
#include <dozer/detail/short_lock.hpp>

namespace dozer::inline DOZER_PLATFORM {

class thread_pool;
struct pool_options;

namespace detail {

class pool_core;

/// A pool that is made on first use, by one thread. It is never destroyed: workers may still run while the process
/// exits.
class global_slot {
 public:
  /// `usual`: what it is made with if nobody asks for anything else first.
  constexpr explicit global_slot(pool_options (*usual)()) noexcept : usual_(usual) {}

  [[nodiscard]] thread_pool& get();
  /// Null: it was not made yet.
  [[nodiscard]] thread_pool* now() const noexcept { return made_.load(acquire); }  // pairs: global.made (make)
  /// True if this call made it.
  bool make(pool_options options);
  /// In the child of a fork(): it is made anew on first use.
  void forget() noexcept;

 private:
  pool_options (*const usual_)();
  atomic<thread_pool*> made_{nullptr};
  short_lock making_;
};

void forget_global_pool() noexcept;

/// Null: it was not made yet.
[[nodiscard]] pool_core* global_pool_now() noexcept;

}  // namespace detail

}  // namespace dozer::inline DOZER_PLATFORM
