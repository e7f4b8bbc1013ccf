// spawn: detached jobs.
#pragma once

#include <dozer/detail/pool_core.hpp>
#include <dozer/named.hpp>
#include <dozer/thread_pool.hpp>

#include <concepts>
#include <exception>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace dozer::inline DOZER_PLATFORM {

namespace detail {

template <class F>
class spawned_job : public posted_job {
 public:
  template <class G>
  spawned_job(pool_core& pool, G&& f) : posted_job(kind_of<spawned_job>), pool_(pool), f_(std::forward<G>(f)) {}

  template <class G>
  [[nodiscard]] static spawned_job& make(pool_core& pool, G&& f) {
    if constexpr (!fits_a_spare_block()) {
      return *new spawned_job(pool, std::forward<G>(f));
    } else {
      void* const block = pool.spare().take();
      try {
        return *new (block) spawned_job(pool, std::forward<G>(f));
      } catch (...) {
        pool.spare().give(block);
        throw;
      }
    }
  }
  /// `run_in`: null if it was never posted.
  void destroy(seat* run_in = nullptr) noexcept {
    if constexpr (!fits_a_spare_block()) {
      delete this;
    } else {
      pool_core& pool = pool_;
      std::destroy_at(this);
      run_in != nullptr ? pool.give_soon(*run_in, this) : pool.spare().give(this);
    }
  }

  static void run(job& self, seat& here) noexcept {
    auto& me = static_cast<spawned_job&>(self);
    pool_core& pool = me.pool_;
    std::exception_ptr error;
    try {
      me.f_();
    } catch (...) {
      error = std::current_exception();
    }
    if (error != nullptr) {  // not in the catch block, which has a reference of its own until it ends
      pool.unhandled(std::move(error));
    }
    me.destroy(&here);  // what the closure holds dies before the pool may end
    pool.let_go_soon(here);
  }
  static const char* name(const job& self) noexcept { return name_of(static_cast<const spawned_job&>(self).f_); }

 private:
  [[nodiscard]] static consteval bool fits_a_spare_block() {
    return sizeof(spawned_job) <= spare_block::bytes && alignof(spawned_job) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__;
  }

  pool_core& pool_;
  F f_;
};

template <class F>
void spawn_in(pool_core& pool, bool first_in_first_out, F&& f) {
  pool.fetch_early();
  pool.check_usable();
  auto& j = spawned_job<std::decay_t<F>>::make(pool, std::forward<F>(f));
  try {
    first_in_first_out ? pool.post_first_in_first_out(j) : pool.post(j);
  } catch (...) {
    j.destroy();
    throw;
  }
}

}  // namespace detail

template <detail::job_closure F>
void thread_pool::spawn(F&& f) {
  detail::spawn_in(*core_, false, std::forward<F>(f));
}

template <detail::job_closure F>
void thread_pool::spawn(fifo_t, F&& f) {
  detail::spawn_in(*core_, true, std::forward<F>(f));
}

/// Runs f some time, in the pool of the calling thread, else in the global pool. From a worker the newest goes first.
template <detail::job_closure F>
void spawn(F&& f) {
  detail::spawn_in(detail::current_core(), false, std::forward<F>(f));
}

/// The same, but in order.
template <detail::job_closure F>
void spawn(fifo_t, F&& f) {
  detail::spawn_in(detail::current_core(), true, std::forward<F>(f));
}

}  // namespace dozer::inline DOZER_PLATFORM
