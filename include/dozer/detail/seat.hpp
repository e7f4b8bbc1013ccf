// A seat: a deque, a mailbox, a parker and an index. Its worker normally sits in it; a guest may borrow it.
#pragma once

#include <dozer/detail/counters.hpp>
#include <dozer/detail/deque.hpp>
#include <dozer/detail/innermost_wait.hpp>
#include <dozer/detail/job_line.hpp>
#include <dozer/detail/latch.hpp>
#include <dozer/detail/mailbox.hpp>
#include <dozer/detail/parker.hpp>
#include <dozer/detail/platform.hpp>
#include <dozer/detail/shunned.hpp>
#include <dozer/detail/situation.hpp>
#include <dozer/detail/turn.hpp>
#include <dozer/stats.hpp>

#include <cstdint>
#include <map>

namespace dozer::inline DOZER_PLATFORM::detail {

class pool_core;
class sleep_module;
class waiter;

struct tallies {
  reported<std::uint64_t> jobs, steals, steals_lost, injected, parks, wakes_fruitless, sleeps_cancelled, heavy_fences;
  reported<std::uint64_t> wakes_sent[wake_causes];

  [[nodiscard]] member_stats read() const noexcept;
};

/// Who may touch what:
/// - fixed once the pool runs: pool, sleep, index, limited
/// - the occupant only (a change of occupants is ordered by the parker): hunger, guest, has_place, took_from, chance,
///   turn, holds_put_off, block_put_off, line_in, has_left_its_place, blocked_depth, and the deque as its owner
/// - the occupant, or whoever releases it from a wait_slot: aside
/// - written by the occupant, read by wakers: waits_in
/// - anybody: mail.push, parker, quiet, stop, taken, blocked_in, innermost, the deque's thieves
/// - written by the occupant, read by reports at any time: state, why, guest_inside, thread, counts, doing
/// - written by the worker at its start, read by reports: pinned_to
/// - written once by the worker, read at any time: worker
class alignas(cache_line) seat : public deque {  // not a member: a fork knows both by one pointer
 public:
  seat() = default;
  seat(const seat&) = delete;
  seat& operator=(const seat&) = delete;

  [[nodiscard]] deque_owner own() noexcept { return deque_owner(*this); }
  [[nodiscard]] deque_thief others() noexcept { return deque_thief(*this); }

  // The occupant's line. Aligned: else it would begin in what is left of the deque's last line.
  alignas(cache_line) pool_core* pool = nullptr;
  sleep_module* sleep = nullptr;
  const counters_word* hunger = nullptr;  // what a fork looks at; another one in an isolation
  std::uint32_t index = 0;
  bool guest = false;
  bool came_just_now = false;  // a guest that has run no loop yet
  bool limited = false;        // the pool is a limit
  bool has_place = false;      // in such a pool: it runs a body
  seat* took_from = nullptr;   // whose deque the job stood in that is run next
  random chance{0};
  detail::turn turn;
  shunned to_shun;                  // the worker only
  std::uint64_t holds_put_off = 0;  // the worker only, as the next: of jobs that have run
  void* block_put_off = nullptr;    // the memory of one of them
  bool has_left_its_place = false;  // to a spare, in a wait for the world outside
  std::uint32_t blocked_depth = 0;  // declared waits of either kind that it is in
  std::uint32_t aside = 0;  // how many waits in which it is up for no job; one that is released there lowers it, too
  reported<activity> state{activity::vacant};
  reported<wait_reason> why{wait_reason::none};
  reported<bool> guest_inside{false};
  reported<std::uint64_t> thread{0};  // whose thread_number() is the occupant's
  reported<std::uint64_t> worker{0};  // the same of the worker whose seat it is; 0: an extra seat, or it has not begun
  reported<int> pinned_to{no_processor};

  // Everybody's line: written seldom, by whoever wakes or sends mail.
  alignas(cache_line) detail::parker parker;
  atomic<bool> quiet{false};           // its guest has neither forked nor waited yet; whoever clears it counts that
  atomic<std::uintptr_t> waits_in{0};  // an isolation's bits: its occupant sleeps apart in it
  int woken_from = no_processor;       // whoever has claimed the parker: its own, if it works on there
  core_latch stop;                     // the worker's termination
  atomic<bool> taken{false};           // of extra seats: a thread sits here, or one is kept for it
  mailbox mail;
  atomic<waiter*> blocked_in{nullptr};  // for the reporter: a wait that it may interrupt
  innermost_wait innermost;

  alignas(cache_line) tallies counts;
  situation doing;

  /// The occupant comes into an isolation, or into none. Returns what was so before, for leave_isolation.
  [[nodiscard]] deque_owner::seclusion enter_isolation(isolation in) noexcept;
  void leave_isolation(deque_owner::seclusion before) noexcept;

  /// For jobs of that isolation that are posted first in, first out, in no scope. Null: nobody can tell those.
  [[nodiscard]] job_line* line_in(isolation in);

 private:
  job_line line_;
  std::map<std::uint32_t, job_line> lines_;  // by the numbers of isolations; empty while such a number is in no use
};

/// What a thread without a seat has in place of one, so that a fork need not ask: it finds no room there.
union deque_for_ever {
  constexpr deque_for_ever() noexcept : jobs(deque::of_nobody()) {}
  ~deque_for_ever() {}
  deque jobs;
};

// These two are defined wherever they are used, so that an executable reaches them without a detour. Weak and not
// inline: GCC makes an inline variable unique in the process, so that two plug-ins that share nothing else would share
// it (src/pool/README.md, "Plug-ins").
#if defined(DOZER_SHARED) && defined(__PIC__) && !defined(__PIE__)
#define DOZER_ONE_A_BINARY extern  // in a shared library: those of libdozer.so, or of the executable
#define DOZER_IS(value)
#else
#define DOZER_ONE_A_BINARY [[gnu::weak, gnu::visibility("default")]]
#define DOZER_IS(value) = value
#endif
DOZER_ONE_A_BINARY constinit deque_for_ever nobody DOZER_IS({});
/// The deque of the seat that the calling thread sits in, or nobody's.
DOZER_ONE_A_BINARY constinit thread_local deque* current_jobs DOZER_IS(&nobody.jobs);
#undef DOZER_IS
#undef DOZER_ONE_A_BINARY

/// A thread that has put off sitting down in the global pool does so now (late_stay). Returns its seat: null for all
/// other threads.
[[nodiscard]] DOZER_WAKE_PATH seat* enter_late() noexcept;

/// The seat that the calling thread sits in, or null.
[[nodiscard]] inline seat* current_seat() noexcept {
  return current_jobs == &nobody.jobs ? enter_late() : static_cast<seat*>(current_jobs);
}
/// The same for a thread that sits in one.
[[nodiscard]] inline seat& own_seat() noexcept { return static_cast<seat&>(*current_jobs); }
inline void sit_down(seat& s) noexcept { current_jobs = &s; }
/// The caller is the one who acts there now. For a worker whenever it has been woken: its seat may have been lent.
inline void note_occupant(seat& s) noexcept { s.thread.set(thread_number()); }
/// The caller, a guest or a spare, will not act there any more.
inline void forget_occupant(seat& s) noexcept { s.thread.set(s.worker.get()); }
inline void get_up() noexcept { current_jobs = &nobody.jobs; }

}  // namespace dozer::inline DOZER_PLATFORM::detail
