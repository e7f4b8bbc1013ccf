// Declaring that a thread is about to wait for something that is no job (docs/deadlock.md).
#pragma once

#include <dozer/detail/blocked_member.hpp>
#include <dozer/detail/domain.hpp>
#include <dozer/detail/platform.hpp>
#include <dozer/wait_kind.hpp>

#include <concepts>
#include <functional>
#include <optional>
#include <source_location>
#include <utility>

namespace dozer::inline DOZER_PLATFORM {

namespace detail {
class seat;
}

/// While it lives, the calling thread waits for something that is no job. In an external wait a spare worker takes its
/// place, so that as many run as before. A pool wait shows in reports; for one that can be found to be a deadlock use
/// wait_slot or sync.hpp. In a thread that is in no pool it does nothing. May be nested.
class [[nodiscard]] blocking_scope {
 public:
  /// `why` is not copied.
  explicit blocking_scope(wait_kind who_can_end_it = wait_kind::external, const char* why = nullptr,
                          std::source_location where = std::source_location::current()) noexcept;

 private:
  std::optional<detail::blocked_member> declared_;
};

/// f() in an external blocking_scope.
template <std::invocable F>
decltype(auto) blocking(F&& f, std::source_location where = std::source_location::current()) {
  const blocking_scope declared(wait_kind::external, nullptr, where);
  return std::invoke(std::forward<F>(f));
}
template <std::invocable F>
decltype(auto) blocking(const char* why, F&& f, std::source_location where = std::source_location::current()) {
  const blocking_scope declared(wait_kind::external, why, where);
  return std::invoke(std::forward<F>(f));
}

/// For a wait of one's own making that only jobs of Dozer's pools can end: the waiter says so before it blocks, and
/// whoever releases it says so before it does. Both must be ordered, usually by the lock that guards what is waited
/// for. One slot is for one wait at a time; it must outlive it. In a thread that is in no pool it does nothing.
class wait_slot {
 public:
  wait_slot() = default;
  ~wait_slot();
  wait_slot(const wait_slot&) = delete;
  wait_slot& operator=(const wait_slot&) = delete;

  /// `why` is not copied; `what` is an address that a report may show.
  void mark_blocked(const char* why, const void* what = nullptr,
                    std::source_location where = std::source_location::current()) noexcept;
  /// Nothing if it is not blocked.
  void mark_unblocked() noexcept;

 private:
  detail::atomic<detail::seat*> blocked_{nullptr};
};

/// Held by a thread in no pool that may still feed a pool or release somebody who waits: until it is gone nothing is
/// reported as a deadlock. May be moved to the thread that is to hold it.
class external_token {
 public:
  external_token() noexcept : home_(&detail::current_domain()) { home_->take_token(); }
  external_token(external_token&& from) noexcept : home_(from.home_) { from.home_ = nullptr; }
  external_token& operator=(external_token&& from) noexcept {
    if (this != &from) {
      drop();
      home_ = from.home_;
      from.home_ = nullptr;
    }
    return *this;
  }
  ~external_token() { drop(); }

  void drop() noexcept {
    if (home_ != nullptr) {
      home_->drop_token();
      home_ = nullptr;
    }
  }

 private:
  detail::domain* home_;
};

}  // namespace dozer::inline DOZER_PLATFORM
