// Mutex, condition variable, semaphore and event that a pool knows of: a report names what is waited for and who holds
// it, jobs of a blocked worker are run by others, and a wait that can never end is found out (docs/deadlock.md). In
// threads of no pool they work as the standard ones do. Waits may throw deadlock_error if the pool's handler says so.
//
// A condition variable, semaphore or event is wait_kind::external unless it is made otherwise: the world outside may
// still end such a wait, so it is never reported, however long it takes. Make it wait_kind::pool if only jobs notify,
// release or set it. DOZER_STALL=10 in the environment shows who hangs where.
#pragma once

#include <dozer/deadlock.hpp>
#include <dozer/detail/holder.hpp>
#include <dozer/detail/platform.hpp>
#include <dozer/detail/waiter.hpp>
#include <dozer/wait_kind.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <source_location>

namespace dozer::inline DOZER_PLATFORM {

/// As the standard one. The name is not copied. A wait for it is the pool's own affair while a member holds it.
/// The holder is a thread. unlock() by another thread prints a message and aborts. So does lock() by a thread of no
/// pool that holds the mutex already; in a pool that is a deadlock, which the pool's handler gets. A thread may lock
/// outside and unlock inside install, or the reverse, if it runs the closure itself: see thread_pool::install.
class mutex {
 public:
  explicit mutex(const char* name = nullptr) noexcept : name_(name) {}
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;

  /// Always inlined, so that the nearest caller of lock_contended is whoever wants the lock.
  DOZER_HOT void lock(std::source_location where = std::source_location::current()) {
    std::uint64_t nobody = 0;
    // pairs: mutex.hand_over (unlock)
    if (!holder_.compare_exchange(nobody, detail::my_holder_id(), detail::acquire, detail::relaxed)) [[unlikely]] {
      lock_contended(where);
    }
  }
  [[nodiscard]] bool try_lock() noexcept {
    std::uint64_t nobody = 0;
    // pairs: mutex.hand_over (unlock)
    return holder_.compare_exchange(nobody, detail::my_holder_id(), detail::acquire, detail::relaxed);
  }
  void unlock() noexcept {
    std::uint64_t me = detail::my_holder_id();
    // pairs: mutex.hand_over (lock)
    if (!holder_.compare_exchange(me, 0, detail::release, detail::relaxed)) [[unlikely]] {
      unlock_contended();
    }
  }

 private:
  static constexpr std::uint64_t awaited = detail::mutex_mark;  // on the holder: somebody stands in line

  // Not cold: the call would be moved to a part of its caller that has no name in the dynamic symbol table.
  [[gnu::noinline]] void lock_contended(std::source_location where);
  DOZER_COLD void unlock_contended() noexcept;

  detail::atomic<std::uint64_t> holder_{0};
  const char* name_;
  detail::wait_line line_;
};

/// Like std::lock_guard, but a report shows the line at which it stands. For the standard ones it shows a line of the
/// standard library, and the callers.
class [[nodiscard]] mutex_guard {
 public:
  explicit mutex_guard(mutex& m, std::source_location where = std::source_location::current()) : m_(m) {
    m_.lock(where);
  }
  ~mutex_guard() { m_.unlock(); }
  mutex_guard(const mutex_guard&) = delete;
  mutex_guard& operator=(const mutex_guard&) = delete;

 private:
  mutex& m_;
};

/// As the standard one, with dozer::mutex. It may be destroyed once all waits have been notified. Waits with a time
/// must have returned by then; so must all, if it is made with wait_kind::pool and an on_deadlock answers throw_error.
/// Its name lives until they have returned. Made with wait_kind::pool only jobs may notify it. When deadlock_error
/// leaves a wait, the mutex is held again, unless it has a part in the deadlock itself: ask the lock.
class condition_variable {
 public:
  explicit condition_variable(wait_kind who_notifies = wait_kind::external, const char* name = nullptr) noexcept
      : kind_(who_notifies), name_(name) {}
  explicit condition_variable(const char* name) noexcept : condition_variable(wait_kind::external, name) {}
  condition_variable(const condition_variable&) = delete;
  condition_variable& operator=(const condition_variable&) = delete;

  void wait(std::unique_lock<mutex>& held, std::source_location where = std::source_location::current()) {
    static_cast<void>(wait(held, detail::no_deadline, where));
  }
  template <class Predicate>
  void wait(std::unique_lock<mutex>& held, Predicate over,
            std::source_location where = std::source_location::current()) {
    while (!over()) {
      wait(held, where);
    }
  }
  /// False: the time was up first, and it is not over yet.
  template <class Rep, class Period, class Predicate>
  bool wait_for(std::unique_lock<mutex>& held, std::chrono::duration<Rep, Period> time, Predicate over,
                std::source_location where = std::source_location::current()) {
    const std::uint64_t deadline = detail::deadline_after(std::chrono::duration<double>(time).count());
    while (!over()) {
      if (!wait(held, deadline, where)) {
        return over();
      }
    }
    return true;
  }

  void notify_one() noexcept;
  void notify_all() noexcept;

 private:
  [[nodiscard]] bool wait(std::unique_lock<mutex>& held, std::uint64_t deadline, std::source_location where);

  wait_kind kind_;
  const char* name_;
  detail::wait_line line_;
};

/// As the standard counting one. Made with wait_kind::pool only jobs may release it. It may be destroyed when no
/// release() is under way any more; that somebody has acquired what was released does not say so.
class semaphore {
 public:
  explicit semaphore(std::size_t count, wait_kind who_releases = wait_kind::external,
                     const char* name = nullptr) noexcept
      : count_(count), kind_(who_releases), name_(name) {}
  semaphore(std::size_t count, const char* name) noexcept : semaphore(count, wait_kind::external, name) {}
  semaphore(const semaphore&) = delete;
  semaphore& operator=(const semaphore&) = delete;

  void acquire(std::source_location where = std::source_location::current()) {
    if (!try_acquire()) {
      static_cast<void>(acquire(detail::no_deadline, where));
    }
  }
  [[nodiscard]] bool try_acquire() noexcept;
  template <class Rep, class Period>
  [[nodiscard]] bool try_acquire_for(std::chrono::duration<Rep, Period> time,
                                     std::source_location where = std::source_location::current()) {
    return try_acquire() || acquire(detail::deadline_after(std::chrono::duration<double>(time).count()), where);
  }
  void release(std::size_t times = 1) noexcept;

 private:
  [[nodiscard]] bool acquire(std::uint64_t deadline, std::source_location where);

  detail::atomic<std::size_t> count_;  // taken off without the lock, added to with it
  wait_kind kind_;
  const char* name_;
  detail::wait_line line_;
};

/// Something that has happened or not. Made with wait_kind::pool only jobs may set it, and then it can be certain that
/// nobody will.
class event {
 public:
  explicit event(wait_kind who_sets = wait_kind::external, const char* name = nullptr) noexcept
      : kind_(who_sets), name_(name) {}
  explicit event(const char* name) noexcept : event(wait_kind::external, name) {}
  event(const event&) = delete;
  event& operator=(const event&) = delete;

  void set() noexcept;
  void reset() noexcept { happened_.store(false, detail::relaxed); }  // relaxed: it takes nothing back
  [[nodiscard]] bool is_set() const noexcept {
    return happened_.load(detail::acquire);  // pairs: event.set (set)
  }
  void wait(std::source_location where = std::source_location::current()) {
    static_cast<void>(wait(detail::no_deadline, where));
  }
  template <class Rep, class Period>
  [[nodiscard]] bool wait_for(std::chrono::duration<Rep, Period> time,
                              std::source_location where = std::source_location::current()) {
    return wait(detail::deadline_after(std::chrono::duration<double>(time).count()), where);
  }

 private:
  [[nodiscard]] bool wait(std::uint64_t deadline, std::source_location where);

  detail::atomic<bool> happened_{false};  // set under the lock
  wait_kind kind_;
  const char* name_;
  detail::wait_line line_;
};

}  // namespace dozer::inline DOZER_PLATFORM
