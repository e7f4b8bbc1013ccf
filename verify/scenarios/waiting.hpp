// Waits that a scenario declares, who releases them, and what must have been reported.
#pragma once

#include "support.hpp"

#include <dozer/blocking.hpp>
#include <dozer/detail/short_lock.hpp>

namespace verify {

/// Blocks as a user would who declares it by a wait_slot. On the heap: somebody may still be in it when all is over.
class user_wait {
 public:
  void wait() {
    lock_.lock();
    if (released_.load(relaxed) == 0) {
      slot_.mark_blocked("something");
    }
    lock_.unlock();
    while (released_.load(acquire) == 0) {
      park(released_, 0, channel::first);
    }
  }
  void release() {
    lock_.lock();
    slot_.mark_unblocked();
    released_.store(1, dozer::detail::release);
    lock_.unlock();
    unpark_one(&released_, channel::first);
  }
  [[nodiscard]] bool is_over() const { return released_.load(relaxed) != 0; }

 private:
  short_lock lock_;
  dozer::wait_slot slot_;
  atomic<std::uint32_t> released_{0};
};

/// Jobs that wait after go(), or already before it, and one that releases.
[[nodiscard]] inline once& waits(user_wait& w) {
  return job_after_go([&w] { w.wait(); });
}
[[nodiscard]] inline once& waits_already(user_wait& w) {
  return job_that([&w] { w.wait(); });
}
[[nodiscard]] inline once& releases(user_wait& w) {
  return job_that([&w] { w.release(); });
}

inline void expect_reports(std::uint32_t wanted, std::uint32_t wanted_starved = 0) {
  expect(deadlocks_reported() <= wanted, "false deadlock", "a deadlock is reported, and it is none");
  expect(deadlocks_reported() >= wanted, "missed deadlock", "nobody can go on, and nobody says so");
  expect(starvings_reported() <= wanted_starved, "false deadlock", "jobs are said to starve, and they do not");
  expect(starvings_reported() >= wanted_starved, "missed deadlock", "a job starves, and nobody says so");
}

/// Whether the census keeps quiet about the wait until the job has come that ends it.
enum class tokens {
  throughout,     // in another pool somebody runs, so nothing stands still
  until_it_came,  // the poster's: from then on only the pool can end it
  none,           // the standstill may be reported before the job comes
};

template <tokens Held>
class held_token {
 public:
  held_token() : token_(Held != tokens::none ? new dozer::external_token : nullptr) {}
  void job_came() {
    if (Held == tokens::until_it_came) {
      token_->drop();
    }
  }
  /// At the end.
  void check() {
    if (Held == tokens::throughout) {
      token_->drop();
    }
    check_reports();
  }
  /// The same, if the token is another one.
  static void check_reports() {
    if (Held != tokens::none) {
      expect_reports(0);
      return;
    }
    expect(deadlocks_reported() <= 1, "false deadlock", "a standstill is reported twice");
    expect(starvings_reported() == 0, "false deadlock", "jobs are said to starve, though there is a spare worker");
  }

 private:
  dozer::external_token* token_;
};

}  // namespace verify
