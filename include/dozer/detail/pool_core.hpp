// What a pool consists of, and how long it lives (src/pool/README.md).
#pragma once

#include <dozer/detail/domain.hpp>
#include <dozer/detail/door.hpp>
#include <dozer/detail/injector.hpp>
#include <dozer/detail/isolation.hpp>
#include <dozer/detail/places.hpp>
#include <dozer/detail/platform.hpp>
#include <dozer/detail/seating.hpp>
#include <dozer/detail/sleep.hpp>
#include <dozer/detail/spare_block.hpp>
#include <dozer/detail/spares.hpp>
#include <dozer/detail/watchdog.hpp>
#include <dozer/pool_options.hpp>
#include <dozer/stats.hpp>

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

namespace dozer::inline DOZER_PLATFORM {
class thread_pool;
}

namespace dozer::inline DOZER_PLATFORM::detail {

/// While a handler runs that is called by a thread of ours: notes which thread that is.
class handler_call {
 public:
  explicit handler_call(reported<std::uint64_t>& in) noexcept : in_(in) { in_.set(thread_number()); }
  ~handler_call() { in_.set(0); }
  handler_call(const handler_call&) = delete;
  handler_call& operator=(const handler_call&) = delete;

 private:
  reported<std::uint64_t>& in_;
};

/// Two counts rule its life. *Holds*: the handle, each detached job, each call from outside; at zero the workers stop.
/// *Memory*: all holds together, each worker, each latch and future that may still point here; at zero it is freed.
class pool_core {
 public:
  /// Starts the workers. Throws what the constructors of thread_pool promise.
  [[nodiscard]] static pool_core* start(pool_options options, thread_pool* handle = nullptr);

  // ---- life ----

  void hold(std::int64_t times = 1) noexcept {
    holds_.fetch_add(times, relaxed);  // relaxed: whoever adds has a hold by way of its caller
  }
  /// False: the pool has ended.
  [[nodiscard]] DOZER_WAKE_PATH bool try_hold(std::int64_t times = 1) noexcept;
  void let_go(std::int64_t times = 1) noexcept {
    if (holds_.fetch_sub(times, acq_rel) == times) {  // pairs: pool.drain (the others who let go)
      stop_workers();
    }
  }
  /// A detached job has run in that seat: lets go of its hold, a worker as late as settle.
  void let_go_soon(seat& here) noexcept;
  /// The same for the memory of a small job, which goes to the spare.
  void give_soon(seat& here, void* block) noexcept;
  /// By a worker that has nothing to run: does what it has put off.
  void settle(seat& me) noexcept {
    if (me.holds_put_off != 0) {
      settle_all(me);
    }
  }
  void keep_in_memory() noexcept {
    memory_.fetch_add(1, relaxed);  // relaxed: whoever adds has a share by way of its caller
  }
  void let_go_of_memory() noexcept {
    if (memory_.fetch_sub(1, acq_rel) == 1) {  // pairs: pool.memory (the others who let go)
      delete this;
    }
  }
  /// The handle's destructor: drains and joins, or defers if called by a worker of this very pool.
  void end() noexcept;

  /// Throws if the pool was left behind by fork().
  DOZER_WAKE_PATH void check_usable() const;
  [[nodiscard]] bool left_behind_by_fork() const noexcept;
  /// In the wait loop: a job forked, and came back to it in the child.
  void abort_if_forked() const noexcept;

  // ---- an extra seat for a guest that sits down later, or not at all ----

  /// The guest counts as its occupant. Null: no seat is free, or the pool has as many guests as it allows.
  [[nodiscard]] seat* keep_seat_for_guest() noexcept;
  /// By a guest that goes, or sits elsewhere after all.
  void give_up_seat(seat& kept) noexcept;

  // ---- posting: all of it but forks, which are in join_job.hpp and join.hpp, and the jobs of scopes, below ----

  /// Before a job is made for a post from outside: what the post will touch is likely to be in no cache.
  void fetch_early() noexcept {
    if (current_seat() == nullptr) {
      prefetch(&own_door());
      sleep.fetch_early();
    }
  }
  /// A job that nobody comes back for: from a member into its deque, from elsewhere into the injector. Takes a hold for
  /// the job, which lets go of it when it has run.
  DOZER_WAKE_PATH void post(posted_job& j);
  void post_first_in_first_out(posted_job& j);
  /// For a job that will be posted later, perhaps by somebody else: it is in the isolation that the caller is in now.
  void note_isolation(posted_job& j) noexcept;
  /// Posts it. Must not fail: without memory for the deque, or from another isolation, into the injector.
  void post_noted(posted_job& j) noexcept;
  /// From outside, a job that somebody waits for.
  DOZER_WAKE_PATH void inject(posted_job& j) noexcept;

  /// A job for whoever sits in the seat of that worker. Once all are sent: mail_sent.
  void send_mail(std::uint32_t to, posted_job& j) noexcept;
  void mail_sent() noexcept;

  // ---- members that wait and are up for no job (README.md, "Spares") ----

  /// Around such a wait, by the member; the second one also by whoever releases it.
  void step_aside(seat& who) noexcept;
  void step_back(seat& who) noexcept;
  /// After a post into the own deque: a member in the middle of a declared wait does not come back for the job soon.
  void posted_while_aside(const seat& by) noexcept;
  /// What is injected waits, and all who would run it are aside, but for so many.
  [[nodiscard]] bool nobody_runs_injected(std::uint32_t but) const noexcept;
  /// Jobs are queued, and all members that could run them are aside.
  [[nodiscard]] bool queued_jobs_starve() const noexcept;

  // ---- a pool that is a limit (README.md, "A limit") ----

  /// The member runs a body from now on, or does not for a while. Where the pool is no limit: nothing.
  void runs(seat& who) noexcept {
    if (who.limited && !who.has_place && !left_behind_by_fork()) [[unlikely]] {
      bodies.take();
      who.has_place = true;
    }
  }
  /// The same, between two bodies: one that waits for a place goes first.
  void runs_another(seat& who) noexcept {
    if (who.has_place && bodies.wanted()) [[unlikely]] {
      rests(who);
    }
    runs(who);
  }
  /// Its body is one that has a place: it is inside no declared wait, or is a job that such a wait has run.
  [[nodiscard]] static bool holds_a_place(const seat& who) noexcept { return who.has_place || who.blocked_depth == 0; }
  void rests(seat& who) noexcept {
    if (who.has_place && !left_behind_by_fork()) [[unlikely]] {
      who.has_place = false;
      bodies.leave();
    }
  }

  // ---- the rest ----

  /// An outsider is in the middle of a post. For the reporter.
  [[nodiscard]] bool somebody_posts() const noexcept;

  /// For a job that is small enough.
  [[nodiscard]] spare_block& spare() noexcept { return spare_; }

  void unhandled(std::exception_ptr error) noexcept;

  [[nodiscard]] pool_stats stats() const;
  [[nodiscard]] const pool_options& options() const noexcept { return options_; }
  /// Null: it was destroyed by a worker of this very pool.
  [[nodiscard]] thread_pool* handle() const noexcept { return handle_.get(); }
  /// Those of the thread that made the pool, which every worker starts with.
  [[nodiscard]] const thread_settings& workers_settings() const noexcept { return workers_settings_; }

  domain& home;
  seating seats;
  injector injected;
  isolations isolated;
  sleep_module sleep;
  spares spare_workers;
  watchdog watching;
  places bodies;
  reported<std::uint64_t> in_on_deadlock{0}, in_on_stall{0};  // the thread that calls it now; see end()

 private:
  pool_core(pool_options options, thread_pool* handle, std::uint32_t workers);
  ~pool_core() { pool_registry::remove(registered_); }
  pool_core(const pool_core&) = delete;
  pool_core& operator=(const pool_core&) = delete;

  void start_workers();
  DOZER_WAKE_PATH void post_detached(posted_job& j, bool in_line);
  [[nodiscard]] door& own_door() noexcept { return doors_[thread_number() % pool_doors]; }
  DOZER_WAKE_PATH void put_into_the_injector(posted_job& j) noexcept;
  DOZER_WAKE_PATH void inject_and_leave(posted_job& j, door& by) noexcept;
  DOZER_COLD void inject_and_let_go(posted_job& j) noexcept;
  void shut_doors() noexcept;
  void settle(const door& d) noexcept { let_go(hold_of_a_door - d.jobs()); }
  DOZER_WAKE_PATH void settle_all(seat& me) noexcept;
  DOZER_COLD void stop_workers() noexcept;
  friend class extra_stay;
  friend class guest_stay;
  friend class spares;
  /// After a fence that follows a post, or a step of one's own, after which perhaps nobody runs.
  void stand_in_if_nobody_runs() noexcept {
    // relaxed: the fence orders them
    if (workers_aside_.load(relaxed) + guests_aside_.load(relaxed) != 0) [[unlikely]] {
      stand_in();
    }
  }
  DOZER_COLD void stand_in() noexcept;
  static void worker_main(void* raw) noexcept;
  void work(seat& me) noexcept;

  const pool_options options_;
  reported<thread_pool*> handle_;
  const thread_settings workers_settings_;
  const std::vector<int> pins_;  // the processors of the workers, in turn; empty: they are not pinned
  std::unique_ptr<thread[]> threads_;
  pool_registry::entry& registered_;  // reserved last: what is made after it cannot fail
  atomic<std::uint32_t> gate_{0};     // the workers wait here until it is known how many there are
  // What every post from outside reads, on one line, and seldom anybody writes.
  alignas(cache_line) const std::uint64_t generation_;
  spare_block spare_;
  atomic<std::uint32_t> workers_aside_{0}, guests_aside_{0};  // members that wait and are up for no job

  // More than the jobs that ever come in by one door: while it is open, nobody sees zero.
  static constexpr std::int64_t hold_of_a_door = std::int64_t{1} << 57;
  door doors_[pool_doors];
  alignas(cache_line) atomic<std::int64_t> holds_{1 + pool_doors * hold_of_a_door};
  atomic<std::int64_t> memory_{1};
  atomic<std::uint32_t> working_{0};  // workers that have not ended yet
  caller_latch* ended_ = nullptr;     // set by the last of them; written before the handle lets go
};

/// A job has forked, and its child has come back to where only its pool could go on.
[[noreturn]] DOZER_COLD void abort_after_fork() noexcept;

/// How often this process, or the one it came from, has forked with a pool alive.
[[nodiscard]] std::uint64_t fork_generation() noexcept;

/// The stay of a thread in an extra seat. What it leaves there is for the others to steal, or for the next.
class extra_stay {
 public:
  extra_stay(seat& place, bool guest) noexcept;
  ~extra_stay();
  extra_stay(const extra_stay&) = delete;
  extra_stay& operator=(const extra_stay&) = delete;

 private:
  seat& place_;
};

/// An outside thread's stay in a pool.
class guest_stay {
 public:
  explicit guest_stay(pool_core& pool) noexcept;
  /// Of a thread that is counted already, and for which an extra seat was kept. It will have a seat.
  guest_stay(pool_core& pool, seat& kept) noexcept;
  ~guest_stay();
  guest_stay(const guest_stay&) = delete;
  guest_stay& operator=(const guest_stay&) = delete;

  /// False: neither a worker's seat nor an extra one was free.
  [[nodiscard]] bool seated() const noexcept { return borrowed_ != nullptr || extra_.has_value(); }

 private:
  [[nodiscard]] bool borrow() noexcept;

  pool_core& pool_;
  seat* borrowed_;  // a worker's
  std::optional<extra_stay> extra_;
};

/// Whether somebody has nothing to do; after each push into the own deque. True: jobs_forked is to be called.
[[nodiscard]] DOZER_HOT bool somebody_is_hungry(const seat& me) noexcept {
  fence_light();                                  // pairs: sleep.fork (heavy fence)
  return me.hunger->load(relaxed).hungry() != 0;  // relaxed: the fence orders it
}

/// Posts a job that nobody comes back for into the own deque, after reserve. Whoever is to know of it is not told.
inline void post_job(seat& me, job& j) noexcept {
  if (const isolation in = me.own().isolated_in(); in.any()) {
    me.pool->isolated.add(in);
  }
  me.own().post(j);
}

/// The same for a job of a scope, whose owner will come back for it. Tells whoever is to know.
void post_to_scope(seat& me, job& j) noexcept;

}  // namespace dozer::inline DOZER_PLATFORM::detail
