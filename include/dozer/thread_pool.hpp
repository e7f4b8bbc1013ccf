// The pool: threads that wait for work, and the ways in.
#pragma once

#include <dozer/detail/closure.hpp>
#include <dozer/detail/hand_over.hpp>
#include <dozer/detail/pool_core.hpp>
#include <dozer/pool_options.hpp>
#include <dozer/stats.hpp>

#include <concepts>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

namespace dozer::inline DOZER_PLATFORM {

/// First in, first out: scope(fifo, ...), spawn(fifo, ...).
struct fifo_t {
  explicit fifo_t() = default;
};
inline constexpr fifo_t fifo{};

class thread_pool;

/// While it lives, the thread that made it is inside a pool (thread_pool::enter).
class [[nodiscard]] pool_stay {
 public:
  pool_stay(const pool_stay&) = delete;
  pool_stay& operator=(const pool_stay&) = delete;

 private:
  friend thread_pool;
  explicit pool_stay(detail::pool_core& pool);

  std::optional<detail::guest_stay> stay_;  // empty: the thread was inside before
};

namespace detail {
pool_core& core_of(thread_pool& pool) noexcept;
}

class thread_pool {
 public:
  /// Throws std::invalid_argument for more than max_num_threads() threads, std::system_error if the system refuses one.
  explicit thread_pool(unsigned threads = 0);
  explicit thread_pool(pool_options options);
  thread_pool(const thread_pool&) = delete;
  thread_pool& operator=(const thread_pool&) = delete;

  /// Waits until all jobs have run and joins the workers. Called by one of those workers it does not wait: the pool
  /// ends when its last job has. Called by a guest of its own, inside install, join or scope, it aborts.
  ~thread_pool();

  /// How many workers there are. It is no limit: outside threads that come while no worker sleeps, or with a loop, work
  /// beside them, unless pool_options::extra_guests is 0.
  [[nodiscard]] unsigned threads() const noexcept { return core_->seats.workers(); }

  /// Runs f inside the pool, so that what it forks runs here, and returns its result. The calling thread does it
  /// itself, as a guest in the seat of a sleeping worker, or in an extra one if none sleeps; a worker of another pool
  /// hands f over and helps its own pool meanwhile. A thread of no pool that finds no seat free hands f over and
  /// blocks. A closure that is handed over runs in another thread: it does not hold the mutexes of its caller, and must
  /// not unlock them.
  template <std::invocable F>
  decltype(auto) install(F&& f);

  /// Keeps the calling thread inside the pool while the result lives: what it forks runs here, and it does not come and
  /// go with each loop. Like install, it takes the seat of a sleeping worker, or an extra one if none sleeps: so the
  /// pool has one worker less meanwhile, and current_thread_index() is that seat's. What takes long and is no work for
  /// the pool goes outside, or into `blocking`. The result is destroyed by the same thread, and before the pool. Throws
  /// std::logic_error if the thread is inside another pool, std::runtime_error if no seat is free.
  [[nodiscard]] pool_stay enter() { return pool_stay(*core_); }

  /// Runs f some time, detached. From a worker the newest goes first, from outside they go in order of arrival.
  template <detail::job_closure F>
  void spawn(F&& f);
  /// The same, in order also from a worker.
  template <detail::job_closure F>
  void spawn(fifo_t, F&& f);

  /// Runs f some time. The future brings its result.
  template <detail::job_closure F>
  [[nodiscard]] auto submit(F&& f);

  /// Runs f(broadcast_context) once in each of the threads() seats, all sharing the one f. Returns a vector of the
  /// results, or nothing if they are void. Of several exceptions that of the lowest index leaves.
  template <class F>
  auto broadcast(F&& f);

  /// current_thread_index() is always below this.
  [[nodiscard]] unsigned index_bound() const noexcept { return core_->seats.capacity(); }

  [[nodiscard]] pool_stats stats() const { return core_->stats(); }

 private:
  friend detail::pool_core& detail::core_of(thread_pool&) noexcept;
  detail::pool_core* core_;
};

/// The pool of the free functions, where the calling thread is in none. Made on first use, never destroyed.
thread_pool& global_pool();

/// The pool that the calling thread is in, else the global one.
[[nodiscard]] thread_pool& current_pool();

/// Makes the global pool. If it exists already, the call comes too late: it returns false and changes nothing.
[[nodiscard]] bool configure_global_pool(pool_options options);

/// Of the pool that the calling thread is in, else of the global pool.
[[nodiscard]] unsigned current_num_threads();

/// Which seat of its pool the calling thread sits in. Empty outside a pool. Below current_num_threads() for workers and
/// for guests in a worker's seat, else below index_bound().
[[nodiscard]] std::optional<unsigned> current_thread_index();

/// Of the pool that the calling thread is in, else of the global pool: every current_thread_index() in it is below
/// this.
[[nodiscard]] unsigned index_bound();

[[nodiscard]] constexpr unsigned max_num_threads() { return detail::counters::max_members; }

// ---- here only because they are templates -------------------------------------------------------

namespace detail {

inline pool_core& core_of(thread_pool& pool) noexcept { return *pool.core_; }

/// Runs f in the pool of the calling thread, else in the global one.
template <class F>
decltype(auto) in_a_pool(F&& f) {
  if (current_seat() != nullptr) {
    return std::invoke(std::forward<F>(f));
  }
  return global_pool().install(std::forward<F>(f));
}

/// The pool of the calling thread, else the global one.
[[nodiscard]] inline pool_core& current_core() {
  seat* const me = current_seat();
  return me != nullptr ? *me->pool : core_of(global_pool());
}

}  // namespace detail

template <std::invocable F>
decltype(auto) thread_pool::install(F&& f) {
  detail::seat* const me = detail::current_seat();
  if (me != nullptr && me->pool == core_) {
    return std::invoke(std::forward<F>(f));
  }
  core_->check_usable();
  if (me == nullptr) {
    const detail::guest_stay stay(*core_);
    if (stay.seated()) {
      return std::invoke(std::forward<F>(f));
    }
  }
  return detail::hand_over<F>(*core_, f);
}

}  // namespace dozer::inline DOZER_PLATFORM
