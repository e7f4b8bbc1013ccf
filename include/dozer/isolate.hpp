// isolate: a wait inside runs nothing that was not forked inside.
#pragma once

#include <dozer/detail/isolation.hpp>
#include <dozer/detail/seat.hpp>
#include <dozer/thread_pool.hpp>

#include <concepts>
#include <functional>
#include <utility>

namespace dozer::inline DOZER_PLATFORM {

namespace detail {

/// While it lives, the member is in a new isolation.
class isolated_stay {
 public:
  explicit isolated_stay(seat& me) noexcept;
  ~isolated_stay();
  isolated_stay(const isolated_stay&) = delete;
  isolated_stay& operator=(const isolated_stay&) = delete;

 private:
  seat& me_;
  isolation in_;
  deque_owner::seclusion before_;
};

}  // namespace detail

/// Calls f. Waits inside it (join, scope, future::get) run only jobs that were forked inside it, here or by such jobs
/// elsewhere; other members help as ever. So a lock may be held across such a wait: it cannot pick up a job that wants
/// the same lock. (In a pool that is a limit, pool_options::extra_guests, only a dozer::mutex may be held so.) It does
/// not reach into other pools that f calls. A broadcast from elsewhere waits until f is through with its waits.
template <std::invocable F>
decltype(auto) isolate(F&& f) {
  return detail::in_a_pool([&]() -> decltype(auto) {
    const detail::isolated_stay inside(detail::own_seat());
    return std::invoke(std::forward<F>(f));
  });
}

}  // namespace dozer::inline DOZER_PLATFORM
