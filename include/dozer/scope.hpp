// scope: any number of jobs that may use what lives outside it, all done when it ends.
#pragma once

#include <dozer/detail/abort.hpp>
#include <dozer/detail/closure.hpp>
#include <dozer/detail/latch.hpp>
#include <dozer/detail/outcome.hpp>
#include <dozer/detail/scope_lines.hpp>
#include <dozer/detail/wait.hpp>
#include <dozer/thread_pool.hpp>

#include <concepts>
#include <exception>
#include <memory>
#include <optional>
#include <source_location>
#include <type_traits>
#include <utility>

namespace dozer::inline DOZER_PLATFORM {

class spawner;

/// Calls f(spawner&) and waits until every job spawned in it has ended. Returns f's result. If f or jobs throw, the
/// first exception leaves, after all have ended.
template <class F>
decltype(auto) scope(F&& f, std::source_location where = std::source_location::current());

/// A scope in which each member runs the jobs that it has spawned in their order.
template <class F>
decltype(auto) scope(fifo_t, F&& f, std::source_location where = std::source_location::current());

/// What spawner::spawn takes: f() or f(spawner&).
template <class F>
concept scope_closure = detail::job_closure<F> || std::is_invocable_v<detail::kept<F>, spawner&>;

/// What a scope's closure gets: it spawns jobs that the scope waits for. Jobs may spawn more. It must not be used after
/// the scope has ended: without NDEBUG that aborts with a message, as far as it can be told.
class spawner {
 public:
  spawner(const spawner&) = delete;
  spawner& operator=(const spawner&) = delete;

  /// Spawns f() or f(spawner&). An exception that leaves it leaves the scope, unless another was first.
  template <scope_closure F>
  void spawn(F&& f);

 private:
  template <class F>
  friend class scope_job;
  template <class F>
  friend decltype(auto) scope(F&& f, std::source_location where);
  template <class F>
  friend decltype(auto) scope(fifo_t, F&& f, std::source_location where);

  spawner(detail::seat& owner, bool first_in_first_out) : pool_(*owner.pool), owner_(owner), pending_(1, owner) {
    if (first_in_first_out) {
      lines_.emplace(owner);
    }
  }
  template <class F>
  std::invoke_result_t<F, spawner&> run(F&& f, const std::source_location& where);
  void post(detail::posted_job& j);
  void keep_first(std::exception_ptr error) noexcept;
  void count_down(detail::seat& by) noexcept { pending_.count_down(by); }

  detail::pool_core& pool_;
  detail::seat& owner_;
  std::optional<detail::scope_lines> lines_;
  detail::counting_latch<detail::one_shot_latch> pending_;
  detail::atomic<bool> failed_{false};
  std::exception_ptr error_;  // written by whoever set failed_, read when all have counted down
};

template <class F>
class scope_job : public detail::posted_job {
 public:
  template <class G>
  scope_job(spawner& in, G&& f) : posted_job(detail::kind_of<scope_job>), in_(in), f_(std::forward<G>(f)) {}

  static void run(detail::job& self, detail::seat& here) noexcept {
    std::unique_ptr<scope_job> me(static_cast<scope_job*>(&self));
    spawner& in = me->in_;
    try {
      if constexpr (std::invocable<F&, spawner&>) {
        me->f_(in);
      } else {
        me->f_();
      }
    } catch (...) {
      in.keep_first(std::current_exception());
    }
    me.reset();  // what the closure holds dies before the scope ends
    in.count_down(here);
  }
  static const char* name(const detail::job& self) noexcept {
    return detail::name_of(static_cast<const scope_job&>(self).f_);
  }
  static const void* awaited_as(const detail::job& self) noexcept { return &static_cast<const scope_job&>(self).in_; }

 private:
  spawner& in_;
  F f_;
};

template <scope_closure F>
void spawner::spawn(F&& f) {
#if !defined(NDEBUG)
  if (!pending_.is_plausible()) [[unlikely]] {
    detail::abort_with("a spawner was used after its scope had ended");
  }
#endif
  auto j = std::make_unique<scope_job<std::decay_t<F>>>(*this, std::forward<F>(f));
  post(*j);
  static_cast<void>(j.release());  // it deletes itself
}

template <class F>
std::invoke_result_t<F, spawner&> spawner::run(F&& f, const std::source_location& where) {
  detail::outcome<std::invoke_result_t<F, spawner&>> result;
  result.run(std::forward<F>(f), *this);
  if (result.failed()) {
    keep_first(result.take_error());
  }
  count_down(owner_);
  wait_until(owner_, pending_.latch().core(), wait_reason::scope, this, detail::no_deadline, where);
  if (error_ != nullptr) {
    std::rethrow_exception(std::move(error_));
  }
  return detail::take_result(result);
}

template <class F>
decltype(auto) scope(F&& f, std::source_location where) {
  static_assert(std::invocable<F, spawner&>, "a scope's closure takes a dozer::spawner&");
  return detail::in_a_pool([&]() -> decltype(auto) {
    spawner s(detail::own_seat(), false);
    return s.run(std::forward<F>(f), where);
  });
}

template <class F>
decltype(auto) scope(fifo_t, F&& f, std::source_location where) {
  static_assert(std::invocable<F, spawner&>, "a scope's closure takes a dozer::spawner&");
  return detail::in_a_pool([&]() -> decltype(auto) {
    spawner s(detail::own_seat(), true);
    return s.run(std::forward<F>(f), where);
  });
}

}  // namespace dozer::inline DOZER_PLATFORM
