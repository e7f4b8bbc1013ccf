// The sleep module: when a member without work goes to sleep, and who wakes it (src/sleep/README.md; the numbered steps
// are that README's).
#pragma once

#include <dozer/detail/counters.hpp>
#include <dozer/detail/domain.hpp>
#include <dozer/detail/injector.hpp>
#include <dozer/detail/isolation.hpp>
#include <dozer/detail/platform.hpp>
#include <dozer/detail/seating.hpp>
#include <dozer/detail/sleeper_set.hpp>
#include <dozer/idle_options.hpp>

#include <cstdint>
#include <optional>

namespace dozer::inline DOZER_PLATFORM::detail {

/// Proof that a member has announced that it is sleepy, and what the jobs event counter was then.
class sleepy_token {
  friend class sleep_module;
  explicit sleepy_token(std::uint32_t jec) noexcept : jec_(jec) {}
  std::uint32_t jec_;
};

/// Proof that a member is counted as inactive. It must be given to stop_looking.
class idle_state {
 public:
  idle_state(const idle_state&) = delete;
  idle_state& operator=(const idle_state&) = delete;

  /// Whether the next search must not leave private jobs alone: an owner that forks has had time to see that somebody
  /// is hungry, and whoever sleeps must have looked everywhere.
  [[nodiscard]] bool insists() const noexcept { return sleepy_.has_value() || rounds_ >= rounds_before_insisting; }
  /// Somebody has woken it, and it has not searched since.
  [[nodiscard]] bool just_woken() const noexcept { return just_woken_; }

 private:
  friend class sleep_module;
  static constexpr std::uint32_t rounds_before_insisting = 6;

  idle_state(seat& who, core_latch& until, wait_reason why, std::uint64_t deadline, bool just_woken) noexcept
      : who_(who), until_(until), why_(why), deadline_(deadline), just_woken_(just_woken) {}

  seat& who_;
  core_latch& until_;
  wait_reason why_;
  std::uint64_t deadline_;
  bool just_woken_;                 // and has found nothing yet
  std::uint64_t search_until_ = 0;  // 0: the search has just begun
  std::uint32_t rounds_ = 0;        // of the search
  std::uint32_t pauses_ = 1;
  std::uint32_t in_vain_ = 0;  // times in a row that something in sight kept it up, and the search did not find it
  std::optional<sleepy_token> sleepy_;
};

/// Of a member that waits and is not up for just any work: it is in no counter. Its latch wakes it, and in an isolation
/// a fork inside.
class apart_state {
 public:
  apart_state(const apart_state&) = delete;
  apart_state& operator=(const apart_state&) = delete;

 private:
  friend class sleep_module;

  apart_state(seat& who, core_latch& until, wait_reason why, std::uint64_t deadline, bool runs_nothing) noexcept
      : who_(who), until_(until), why_(why), deadline_(deadline), runs_nothing_(runs_nothing) {}

  seat& who_;
  core_latch& until_;
  wait_reason why_;
  std::uint64_t deadline_;
  bool runs_nothing_;
  std::uint64_t sleep_from_ = 0;  // the clock's; 0: it has just begun to wait
};

class sleep_module {
 public:
  sleep_module(domain& home, seating& seats, injector& injected, const isolations& isolated,
               const idle_options& options, std::uint32_t jec_start);

  // ---- a worker's birth ----

  /// Before anybody can reach the pool: the worker of this seat is asleep, waiting for work or for its termination.
  void born_asleep(seat& s) noexcept;
  /// The worker's first act: it returns when somebody wakes it.
  [[nodiscard]] idle_state wait_at_birth(seat& me) noexcept;

  // ---- a member without work ----

  [[nodiscard]] idle_state start_looking(seat& me, core_latch& until, wait_reason why, std::uint64_t deadline) noexcept;
  /// After each search that found nothing: waits a little, gets sleepy, or sleeps.
  DOZER_WAKE_PATH void no_work_found(idle_state& idle) noexcept;
  /// Work was found, the latch is set, or the time is up. Comes before the job runs.
  DOZER_WAKE_PATH void stop_looking(idle_state& idle) noexcept;

  // ---- a member that waits apart: README.md, "Apart" ----

  /// `runs_nothing`: no jobs of its isolation either.
  [[nodiscard]] apart_state start_waiting_apart(seat& me, core_latch& until, wait_reason why, std::uint64_t deadline,
                                                bool runs_nothing) noexcept;
  /// After each look that found nothing: waits a little. False: enough of it, sleep_apart comes next.
  [[nodiscard]] bool search_apart(apart_state& apart) noexcept;
  void sleep_apart(apart_state& apart) noexcept;
  /// Before a job runs, and at the end. It may go on waiting afterwards.
  void stop_waiting_apart(apart_state& apart) noexcept;

  // ---- after work was put where it can be found ----

  /// What a fork looks at: if it says that a member is hungry, jobs_forked is to be called. It always does where the
  /// system has no process fence, and in an isolation: there no job is private.
  [[nodiscard]] const counters_word& hunger(isolation in = isolation()) const noexcept {
    return process_fence_ && !in.any() ? word_ : always_hungry_;
  }
  /// Jobs into the own deque, by a join or a scope that will come back for them.
  DOZER_COLD void jobs_forked(seat& by, std::uint32_t jobs = 1) noexcept;
  /// A job into the own deque, by somebody who may not come back for it.
  void job_detached(seat& by) noexcept;
  /// Before a job is put into the injector: the rest of the way is likely to be in no cache.
  void fetch_early() const noexcept {
    prefetch(&injected_);
    prefetch(&word_);
    sleepers_.fetch_early();
    prefetch(&seats_[0].parker);
  }
  /// Into the injector.
  DOZER_WAKE_PATH void jobs_injected(std::uint32_t jobs, bool had_jobs) noexcept;

  /// This member and no other, if it sleeps.
  void wake_seat(seat& who, seat* by, wake_cause cause) noexcept;
  /// Mail was put into the box of each of the first `seats` seats.
  void mail_posted(seat* by, std::uint32_t seats) noexcept;

  /// The caller will do nothing for its jobs until something is over that is no job.
  void about_to_block(seat& me) noexcept {
    end_quiet(me);
    if (me.others().in_sight()) {
      jobs_forked(me);
    }
  }

  // ---- when nobody moves ----

  [[nodiscard]] bool jobs_in_sight() const noexcept {
    const sight seen = look();
    return seen.injected || seen.in_deques;
  }
  /// What is left in the queues, and who could run it.
  [[nodiscard]] verdict at_a_standstill() const noexcept;
  void wake_anyone() noexcept { wake_some(1, nullptr, wake_cause::job_injected, helper::anyone); }

  /// A fence in every thread of the process, for pairs whose other side has only a compiler fence.
  void fence_heavy(seat& by) noexcept;

  // ---- guests ----

  /// A guest has injected jobs in sight, which are the workers' to run: sees to it that one is up. True: there is no
  /// worker, all seats are lent, so the guest must run them itself.
  [[nodiscard]] bool guest_runs_injected(seat& guest) noexcept;
  /// The seat of a sleeping worker, which sleeps on; or null. Its guest is quiet at first.
  [[nodiscard]] seat* borrow_seat() noexcept;
  /// True: its worker is up, and counts for the guest.
  [[nodiscard]] bool give_back(seat& borrowed) noexcept;

  [[nodiscard]] counters now() const noexcept { return word_.load(relaxed); }  // relaxed: for reports
  [[nodiscard]] member_stats outside_stats() const noexcept { return outside_.read(); }

 private:
  enum class helper { anyone, runs_injected };
  struct sight {
    bool injected = false;
    bool in_deques = false;
  };

  [[nodiscard]] bool search_on(idle_state& idle) noexcept;
  [[nodiscard]] bool search_within_budget(idle_state& idle) noexcept;
  void announce_sleepy(idle_state& idle) noexcept;
  DOZER_WAKE_PATH void fall_asleep(idle_state& idle, sleepy_token token) noexcept;
  [[nodiscard]] DOZER_WAKE_PATH bool something_in_sight(seat& me, counters before, std::uint64_t departed) noexcept;
  /// Sleeps. True: somebody has woken it; false: its time is up.
  DOZER_WAKE_PATH bool park(seat& me, std::uint32_t marks, std::uint64_t deadline) noexcept;

  /// As fresh as the caller's fences make it.
  [[nodiscard]] sight look() const noexcept;
  /// Whether forks so far have seen that the caller looks hungry, or may have missed it.
  enum class forks : std::uint8_t { saw_hunger, may_have_missed_it };
  /// With a fence, for posters that may have relied on the caller. The word has just told how many other members are
  /// inactive; `departed` was read before that. If all are inactive, their deques are empty, and no member is forking.
  [[nodiscard]] DOZER_WAKE_PATH sight look_for_all(seat& by, std::uint32_t others_inactive, std::uint64_t departed,
                                                   forks so_far = forks::may_have_missed_it) noexcept;
  [[nodiscard]] DOZER_WAKE_PATH sight look_where_all_are_inactive(seat& by) const noexcept;
  /// True: a member is up for what was seen.
  [[nodiscard]] DOZER_WAKE_PATH bool wake_for(sight seen, seat& by) noexcept;
  DOZER_WAKE_PATH void wake_on_leaving(seat& by, counters before, std::uint64_t departed) noexcept;
  [[nodiscard]] DOZER_WAKE_PATH bool wake_by_policy(seat& by, counters before) noexcept;
  DOZER_WAKE_PATH void wake_for_what_is_left(seat& by, counters before, std::uint64_t departed) noexcept;
  DOZER_WAKE_PATH void wake_for(seat* by, std::uint32_t jobs, bool had_jobs, wake_cause cause, helper who) noexcept;
  /// A guest that was quiet forks, waits or blocks.
  void end_quiet(seat& guest) noexcept {
    if (guest.quiet.load(relaxed) && guest.quiet.exchange(false, relaxed)) {  // relaxed: the word publishes it
      word_.sub_quiet(1);
    }
  }
  /// All quiet guests must leave like others from now on. Returns how many were quiet.
  DOZER_COLD std::uint32_t end_quiet_of_all() noexcept;
  DOZER_COLD void wake_isolated(seat& by, std::uint32_t jobs) noexcept;
  [[nodiscard]] bool isolated_job_in_sight(const seat& me) noexcept;
  [[nodiscard]] std::uint32_t block_to_wake(counters now) const noexcept;
  DOZER_WAKE_PATH std::uint32_t wake_some(std::uint32_t count, seat* by, wake_cause cause, helper who) noexcept;
  void no_longer_registered(const seat& who, parked asleep) noexcept;
  [[nodiscard]] DOZER_WAKE_PATH bool try_wake(seat& who, seat* by, wake_cause cause, bool guests_too) noexcept;
  [[nodiscard]] tallies* tallies_of(seat* by) noexcept {
    return by != nullptr && by->sleep == this ? &by->counts : nullptr;
  }

  counters_word word_;
  sleeper_set sleepers_;
  domain& home_;
  seating& seats_;
  injector& injected_;
  const isolations& isolated_;
  const idle_options options_;
  const bool process_fence_;
  counters_word always_hungry_;
  atomic<std::uint32_t> isolated_sleepers_{0};  // those whose `waits_in` is set
  alignas(cache_line) tallies outside_;
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
