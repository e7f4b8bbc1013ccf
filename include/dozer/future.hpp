// future: the result of a submitted job.
#pragma once

#include <dozer/detail/closure.hpp>
#include <dozer/detail/future_state.hpp>
#include <dozer/detail/platform.hpp>
#include <dozer/thread_pool.hpp>

#include <chrono>
#include <concepts>
#include <exception>
#include <memory>
#include <source_location>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace dozer::inline DOZER_PLATFORM {

/// Brings the result of one job. Dropped, it detaches the job: an exception that nobody took goes to the pool's
/// on_unhandled, unless the future was dropped while another exception was on its way.
template <class T>
class [[nodiscard]] future {
 public:
  future() noexcept = default;
  future(future&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  future& operator=(future&& other) noexcept {
    if (this != &other) {
      drop();
      state_ = std::exchange(other.state_, nullptr);
    }
    return *this;
  }
  ~future() { drop(); }

  /// False if default constructed, moved from, or used up by get() or then().
  [[nodiscard]] bool valid() const noexcept { return state_ != nullptr; }
  [[nodiscard]] bool ready() const { return checked().ready(); }

  /// A worker helps its pool meanwhile, another thread blocks. Any number may wait.
  void wait(std::source_location where = std::source_location::current()) const {
    about_to_wait().wait(detail::no_deadline, where);
  }
  /// True if the result came in time.
  template <class Rep, class Period>
  bool wait_for(std::chrono::duration<Rep, Period> time,
                std::source_location where = std::source_location::current()) const {
    return about_to_wait().wait(detail::deadline_after(std::chrono::duration<double>(time).count()), where);
  }

  /// Waits, then returns the result or throws the job's exception. Once only.
  T get(std::source_location where = std::source_location::current()) {
    wait(where);
    struct let_go {
      detail::result_state<T>* state;
      ~let_go() { state->let_go(true); }
    } const at_end{std::exchange(state_, nullptr)};
    return detail::take_result(at_end.state->result);
  }

  /// Posts f(value) to the same pool once the value is there, and returns its future. If the job threw, f is skipped
  /// and the new future throws. Uses this future up. Throws std::runtime_error if the pool has ended.
  template <detail::continuation<T> F>
  auto then(F&& f);

 private:
  friend class thread_pool;
  template <class U>
  friend class future;
  template <class F>
  friend auto detail_submit(detail::pool_core& pool, F&& f);

  explicit future(detail::result_state<T>* state) noexcept : state_(state) {}

  [[nodiscard]] detail::result_state<T>& checked() const {
    if (state_ == nullptr) {
      throw std::logic_error("dozer: this future has no job: it was used up, moved from, or never had one");
    }
    return *state_;
  }
  /// Throws if the job can never end, because fork() has left it behind.
  [[nodiscard]] detail::result_state<T>& about_to_wait() const {
    detail::result_state<T>& state = checked();
    if (!state.ready()) {
      state.pool().check_usable();
    }
    return state;
  }
  void drop() noexcept {
    if (state_ != nullptr) {
      state_->let_go(std::uncaught_exceptions() > 0);
    }
  }

  detail::result_state<T>* state_ = nullptr;
};

namespace detail {

template <class F, class T>
struct continuation_result : std::invoke_result<F, T> {};
template <class F>
struct continuation_result<F, void> : std::invoke_result<F> {};

}  // namespace detail

template <class T>
template <detail::continuation<T> F>
auto future<T>::then(F&& f) {
  using G = std::decay_t<F>;
  using R = typename detail::continuation_result<G, T>::type;
  detail::result_state<T>& before = checked();
  before.pool().check_usable();
  auto next = std::make_unique<detail::continued_job<G, T, R>>(before, std::forward<F>(f));
  if (!before.pool().try_hold()) {
    throw std::runtime_error("dozer: then() on a future whose pool has ended");
  }
  before.pool().note_isolation(*next);
  state_ = nullptr;  // its share is the continuation's now
  auto* const made = next.release();
  if (!before.observe(*made)) {
    made->came(*made, nullptr);
  }
  return future<R>(made);
}

template <class F>
auto detail_submit(detail::pool_core& pool, F&& f) {
  using G = std::decay_t<F>;
  using R = std::invoke_result_t<G&>;
  pool.check_usable();
  auto j = std::make_unique<detail::submitted_job<G, R>>(pool, std::forward<F>(f));
  pool.post(*j);
  return future<R>(j.release());
}

template <detail::job_closure F>
auto thread_pool::submit(F&& f) {
  return detail_submit(*core_, std::forward<F>(f));
}

/// Runs f some time, in the pool of the calling thread, else in the global pool. The future brings its result.
template <detail::job_closure F>
[[nodiscard]] auto submit(F&& f) {
  return detail_submit(detail::current_core(), std::forward<F>(f));
}

}  // namespace dozer::inline DOZER_PLATFORM
