// Threads of no pool that wait for a job or for something of sync.hpp: for reports, as situation.hpp is for members.
#pragma once

#include <dozer/detail/platform.hpp>
#include <dozer/detail/situation.hpp>

#include <cstdint>

namespace dozer::inline DOZER_PLATFORM::detail {

/// A list that only grows: the place of a wait that is over is used again. Readers take no lock.
class outside_waits {
 public:
  constexpr outside_waits() noexcept = default;

  /// f(thread, wait) for each. A mix of two if it changes just now.
  template <class F>
  void for_each(F&& f) const {
    for (const place* at = first_.load(acquire); at != nullptr; at = at->next) {  // pairs: outside.list (a waiter)
      if (at->taken.load(acquire)) {                                              // pairs: outside.place (a waiter)
        doing_now wait = at->wait.get();
        wait.callers = at->callers.get();
        f(at->thread.get(), wait);
      }
    }
  }

 private:
  friend class outside_wait;
  struct place {
    atomic<bool> taken{true};
    reported<std::uint64_t> thread{0};
    noted_doing wait;
    noted_callers callers;
    place* next = nullptr;  // fixed once it is in the list
  };

  atomic<place*> first_{nullptr};
};

/// While it lives, reports show that the calling thread waits. Nothing for a member.
class outside_wait {
 public:
  explicit outside_wait(const doing_now& wait) noexcept;
  ~outside_wait();
  outside_wait(const outside_wait&) = delete;
  outside_wait& operator=(const outside_wait&) = delete;

 private:
  outside_waits::place* place_ = nullptr;
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
