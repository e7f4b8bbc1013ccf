// A seat: a deque, a mailbox, a parker and an index. Its worker normally sits in it; a guest may borrow it.
#pragma once

#include <dozer/detail/counters.hpp>
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

struct tallies {
  reported<std::uint64_t> jobs, steals, steals_lost, injected, parks, wakes_fruitless, sleeps_cancelled, heavy_fences;
  reported<std::uint64_t> wakes_sent[wake_causes];

  [[nodiscard]] member_stats read() const noexcept;
};

/// Who may touch what:
/// - fixed once the pool runs: pool, sleep, hunger, index
/// - the occupant only (a change of occupants is ordered by the parker): guest, took_from, chance, line.push, and the
///   deque as its owner
/// - anybody: mail.push, parker, stop, taken, the deque's thieves
/// - written by the occupant, read by reports at any time: state, why, job_name, guest_inside, counts
class alignas(cache_line) seat {
  deque jobs_;  // first, so that its address is the seat's: a fork keeps one pointer less

 public:
  seat() = default;
  seat(const seat&) = delete;
  seat& operator=(const seat&) = delete;

  [[nodiscard]] deque_owner own() noexcept { return deque_owner(jobs_); }
  [[nodiscard]] deque_thief others() noexcept { return deque_thief(jobs_); }

  // The occupant's line.
  pool_core* pool = nullptr;
  sleep_module* sleep = nullptr;
  const counters_word* hunger = nullptr;  // what a fork looks at
  std::uint32_t index = 0;
  bool guest = false;
  seat* took_from = nullptr;  // whose deque the job stood in that is run next
  random chance{0};
  reported<activity> state{activity::vacant};
  reported<wait_reason> why{wait_reason::none};
  reported<bool> guest_inside{false};
  reported<const char*> job_name{nullptr};

  // Everybody's line: written seldom, by whoever wakes or sends mail.
  alignas(cache_line) detail::parker parker;
  core_latch stop;            // the worker's termination
  atomic<bool> taken{false};  // of extra seats: somebody sits here
  mailbox mail;

  alignas(cache_line) tallies counts;
  job_line line;
};

/// The seat that the calling thread sits in, or null.
inline constinit thread_local seat* current_seat_slot = nullptr;
[[nodiscard]] inline seat* current_seat() noexcept { return current_seat_slot; }

}  // namespace dozer::inline DOZER_PLATFORM::detail
