// A seat: a deque, a mailbox, a parker and an index. Its worker normally sits in it; a guest may borrow it.
#pragma once

#include <dozer/detail/deque.hpp>
#include <dozer/detail/job_line.hpp>
#include <dozer/detail/latch.hpp>
#include <dozer/detail/mailbox.hpp>
#include <dozer/detail/parker.hpp>
#include <dozer/detail/platform.hpp>
#include <dozer/stats.hpp>

#include <cstdint>

namespace dozer::inline DOZER_PLATFORM::detail {

class pool_core;
class sleep_module;

/// Counts with one writer each, so an increment is a load and a store; readers may come at any time.
class tally {
 public:
  void bump() noexcept { count_.store(count_.load(relaxed) + 1, relaxed); }  // relaxed: one writer, a plain number
  void bump_shared() noexcept { count_.fetch_add(1, relaxed); }              // relaxed: a plain number
  [[nodiscard]] std::uint64_t read() const noexcept { return count_.load(relaxed); }  // relaxed: a plain number

 private:
  atomic<std::uint64_t> count_{0};
};

struct tallies {
  tally jobs, steals, steals_lost, injected, parks, wakes_fruitless, sleeps_cancelled, heavy_fences;
  tally wakes_sent[wake_causes];

  [[nodiscard]] member_stats read() const noexcept;
};

/// Who may touch what:
///   fixed once the pool runs: pool, sleep, index
///   the occupant only (a change of occupants is ordered by the parker): guest, chance, owner side of jobs, line.push
///   anybody: thief side of jobs, mail.push, parker, stop, and the observable fields for reading
class alignas(cache_line) seat {
 public:
  seat() noexcept = default;
  seat(const seat&) = delete;
  seat& operator=(const seat&) = delete;

  [[nodiscard]] deque_owner own() noexcept { return deque_owner(jobs_); }
  [[nodiscard]] deque_thief others() noexcept { return deque_thief(jobs_); }
  [[nodiscard]] std::uint32_t marks() const noexcept { return guest ? parked::lent : 0; }

  pool_core* pool = nullptr;
  sleep_module* sleep = nullptr;
  std::uint32_t index = 0;

  bool guest = false;
  random chance{0};
  job_line line;

  mailbox mail;
  detail::parker parker;
  core_latch stop;            // the worker's termination
  atomic<bool> taken{false};  // of extra seats: somebody sits here

  // What a report can read at any time.
  atomic<activity> state{activity::vacant};
  atomic<wait_reason> why{wait_reason::none};
  atomic<const char*> job_name{nullptr};
  atomic<bool> guest_inside{false};
  tallies counts;

 private:
  deque jobs_;
};

/// The seat that the calling thread sits in, or null.
inline constinit thread_local seat* current_seat_slot = nullptr;
[[nodiscard]] inline seat* current_seat() noexcept { return current_seat_slot; }

}  // namespace dozer::inline DOZER_PLATFORM::detail
