// The machine that a checked program runs on: C++20's memory as a view machine, threads as fibers, a futex, and at
// every visible step a chooser who decides how it goes on (../README.md).
#pragma once

#include "chooser.hpp"
#include "fiber.hpp"
#include "mutant.hpp"
#include "space.hpp"
#include "view.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <source_location>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace verify {

using site = std::source_location;

[[nodiscard]] constexpr bool acquires(order o) noexcept {
  return o == order::acquire || o == order::acq_rel || o == order::seq_cst;
}
[[nodiscard]] constexpr bool releases(order o) noexcept {
  return o == order::release || o == order::acq_rel || o == order::seq_cst;
}

enum class memory_mode : std::uint8_t { weak, sequential };

struct limits {
  memory_mode memory = memory_mode::weak;
  unsigned spurious_wakes = 0;     // of futex waits, in a run
  unsigned spurious_failures = 0;  // of weak compare-exchanges, in a run
  unsigned timeouts = 1;           // of waits with a deadline, in a run, while others can go on
  bool never = false;              // no deadline ever passes: what only a timeout ends does not end
  unsigned stale_repeats = 6;      // how often in a row a thread may read the same old store again
  std::uint32_t steps = 4000;      // a run that is longer is a livelock
};

enum class op_kind : std::uint8_t { start, load, store, rmw, fence, interrupt, park, unpark, nap, join, quiet };

/// What a thread is about to do, as far as others may care.
struct pending {
  op_kind kind = op_kind::start;
  bool sc = false;
  bool writes = false;
  std::uint32_t location = 0;

  /// Whether the order of the two can matter.
  [[nodiscard]] static bool dependent(const pending& a, const pending& b) noexcept;
};

/// Something went wrong: which property, and what exactly.
struct failure {
  std::string property;
  std::string what;
};

/// What a run did, for people.
struct step {
  thread_id by;
  op_kind kind;
  order how;
  std::uint32_t location;
  std::uint64_t value;      // read, or written
  std::uint64_t old_value;  // of an RMW
  std::uint32_t from;       // index of the store that was read
  std::uint32_t newest;     // index of the newest store then
  thread_id writer;         // of the store that was read
  bool wrote;
  bool preempts;  // the thread before could have gone on
  const char* note;
  site where;
};

class machine {
 public:
  // ---- the program's side: called on fibers ------------------------------------------------------

  std::uint32_t new_location(const void* address, std::uint64_t value) noexcept;
  void end_location(std::uint32_t location, const void* address) noexcept;
  /// An atomic of the standard library, which does not tell the machine when it is made. Its first use does, with its
  /// value: that must be before go().
  std::uint32_t standard_atomic(const void* address, std::uint64_t value) noexcept;
  /// An access to an atomic that was not made in this run: an error where only the program's own objects live.
  void no_location(const void* address) noexcept {
    if (exploring_ && owns(address)) {
      fail("out of bounds", "an atomic where none was made");
    }
  }

  std::uint64_t load(std::uint32_t location, const void* address, order o, const site& where) noexcept;
  void store(std::uint32_t location, const void* address, std::uint64_t value, order o, const site& where) noexcept;
  /// The first half returns the newest value, the second one writes.
  std::uint64_t rmw_read(std::uint32_t location, const void* address, order o, const site& where) noexcept;
  void rmw_write(std::uint32_t location, std::uint64_t value, order o, const site& where) noexcept;
  bool compare_exchange(std::uint32_t location, const void* address, std::uint64_t& expected, std::uint64_t desired,
                        order success, order failed, bool weak, const site& where) noexcept;
  void fence_seq_cst(const site& where) noexcept;
  void fence_process(const site& where) noexcept;

  void park(std::uint32_t location, const void* address, std::uint64_t expected, std::uint32_t channel,
            std::uint64_t deadline, const site& where) noexcept;
  void unpark(const void* address, std::uint32_t channel, bool all, const site& where) noexcept;
  /// Before the calling thread goes on, another one takes a step, if one can.
  void nap(const site& where) noexcept;

  thread_id start_thread(void (*body)(void*), void* argument) noexcept;
  void join_thread(thread_id who, const site& where) noexcept;
  void name_thread(const char* name) noexcept;
  [[nodiscard]] std::uint64_t now() noexcept;
  [[nodiscard]] thread_id self() const noexcept { return current_; }
  [[nodiscard]] thread_id threads_started() const noexcept { return thread_count_; }

  /// Null: the thread is denied memory.
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) noexcept;
  void free(void* p) noexcept;
  void plain_access(const void* p, std::size_t bytes, bool write) noexcept;

  // ---- a scenario's side -------------------------------------------------------------------------

  /// Lets all others run until none can go on, each in its turn; before go(), to get to where it becomes interesting.
  void settle() noexcept;
  /// The end of the set-up: from here on every interleaving is tried.
  void go() noexcept;
  /// For the other threads: wait there for go().
  void hold_until_go() noexcept;
  /// From now on the calling thread gets no memory, or does again.
  void deny_memory(bool denied) noexcept { me().without_memory = denied; }
  /// No time passes until the calling thread has looked at the clock so often.
  void stop_clock_for(std::uint8_t looks) noexcept { me().looks_without_time = looks; }
  /// Before go(): whoever naps goes round in vain, where nobody is in the middle of something.
  void forbid_naps() noexcept { naps_forbidden_ = true; }
  /// Returns when nobody else can go on. Those with the lowest rank go first.
  void until_quiet(unsigned rank = 1, const site& where = site::current()) noexcept;
  [[noreturn]] void fail(const char* property, std::string what) noexcept;
  /// A pointer that the program takes for thread-local, and what it is in a new thread. Before any but the first one.
  void per_thread(void** pointer, void* at_first) noexcept;
  /// Calls `changed` at each new value of the atomic at that address.
  using watcher = void (*)(void* context, std::uint64_t before, std::uint64_t now, thread_id by);
  void watch(const void* address, watcher changed, void* context) noexcept;
  /// Calls `accessed` at each load of it as well.
  using listener = void (*)(void* context, std::uint64_t value, thread_id by, bool wrote);
  void listen(const void* address, listener accessed, void* context) noexcept;
  using printer = std::string (*)(std::uint64_t);
  void name(const void* address, std::string text, printer print = nullptr) noexcept;
  using reporter = void (*)(void* context, const void* field, std::uint64_t value, thread_id by);
  void on_report(reporter told, void* context) noexcept {
    reporter_ = told;
    reporter_context_ = context;
  }
  /// What a scenario remembers about a run decides, too, whether two states are the same.
  void count_as_state(const void* from, std::size_t bytes) noexcept;
  void reported(const void* field, std::uint64_t value) noexcept;
  /// Counts of what a run did so far.
  struct tally {
    std::uint32_t wakes = 0;  // of futexes
    std::uint32_t rmws = 0, fences = 0, allocations = 0;
  };
  [[nodiscard]] const tally& did(thread_id who) noexcept {
    if (exploring_ && (tallied_ & bit(who)) == 0) {
      tallied_ |= bit(who);
      found_new_visible_ = true;  // states were told apart without it
    }
    return threads_[who].did;
  }
  [[nodiscard]] std::uint32_t wakes(thread_id who) const noexcept { return threads_[who].did.wakes; }
  [[nodiscard]] bool has_finished(thread_id who) const noexcept { return threads_[who].state == status::finished; }
  /// The calling thread knows all that happened; for checks at the end.
  void know_everything() noexcept;
  /// The newest value of an atomic.
  [[nodiscard]] std::uint64_t peek(const void* address) const noexcept;
  /// Before go(): gives it a value.
  void poke(const void* address, std::uint64_t value) noexcept;

  // ---- the explorer's side: called by the host ---------------------------------------------------

  explicit machine();
  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;

  /// Runs the program's set-up up to go() and keeps that state. False: it failed before.
  bool set_up(void (*program)(void*), void* argument, const limits& bounds);
  /// The whole state of a run where its chooser was asked who goes on.
  class checkpoint;
  /// One run from go() on, as the chooser decides. Returns true if it came to its end, false if the chooser ended it or
  /// it failed, or the set-up had.
  bool run(chooser& by);
  /// One run from a checkpoint on. What was kept since then is void.
  bool run_from(const checkpoint& c, chooser& by);
  /// For choosers, when asked who goes on: keeps the state. Returns now, and again in each run from there.
  void keep(checkpoint& into) noexcept;
  [[nodiscard]] std::uint32_t steps_done() const noexcept { return steps_done_; }
  /// From now on a crash of the program is a failure of its run.
  static void catch_crashes() noexcept;
  /// Ends the run that is under way; for choosers, which are called on fibers.
  [[noreturn]] void abandon() noexcept;
  [[nodiscard]] const failure* failed() const noexcept { return failed_ ? &failure_ : nullptr; }

  /// A hash of the whole state. Of a thread counts what it has read since it last parked, and its stack then; of each
  /// location the stores that somebody may still read, counted from the oldest of them; of a vector clock, whose last
  /// use of plain memory it covers.
  [[nodiscard]] std::uint64_t state_hash() noexcept;
  [[nodiscard]] const pending& next_of(thread_id who) const noexcept { return threads_[who].next; }
  [[nodiscard]] std::uint32_t operations(thread_id who) const noexcept { return threads_[who].ops; }
  [[nodiscard]] std::uint32_t parks(thread_id who) const noexcept { return threads_[who].parks; }
  [[nodiscard]] const char* thread_name(thread_id who) const noexcept { return threads_[who].name; }
  [[nodiscard]] std::string location_name(std::uint32_t location) const;
  [[nodiscard]] std::string value_text(std::uint32_t location, std::uint64_t value) const;

  /// Memory that two threads use, one of them writing, in any run so far. Only that is visible: the rest needs no
  /// choice and no check. If a run finds more of it, all runs before it were too few.
  [[nodiscard]] bool found_new_visible() const noexcept { return found_new_visible_; }
  void everything_visible(bool on) noexcept { everything_visible_ = on; }

  void record(std::vector<step>* steps) noexcept { steps_ = steps; }
  /// Program points of the seam's operations that runs have come to, if that is to be noted.
  struct reached_point {
    bool at_all = false;
    bool failed = false;  // a compare-exchange that has lost
    bool won = false;     // one that has won
  };
  using reached_points = std::map<std::tuple<std::string, std::uint32_t, std::uint32_t>, reached_point>;
  void note_reached(reached_points* into) noexcept { reached_ = into; }
  void reach(const site& where) noexcept {
    if (reached_ != nullptr && exploring_) [[unlikely]] {
      reached_at(where).at_all = true;
    }
  }
  /// Whether code of the program runs now, and not the checker's.
  [[nodiscard]] static bool in_program() noexcept { return in_program_; }
  /// Whether a run is under way, and not its set-up.
  [[nodiscard]] bool exploring() const noexcept { return exploring_; }
  /// Whether that is memory of the checked program.
  [[nodiscard]] bool owns(const void* p) const noexcept { return space_.contains(p); }
  /// Whether a thread has parked with a deadline, in any run since the set-up.
  [[nodiscard]] bool has_timed_parks() const noexcept { return has_timed_parks_; }

 private:
  static constexpr std::size_t most_per_thread = 2;
  struct own_pointers {
    void* at[most_per_thread] = {};
  };
  /// What the program takes for thread-local: of the thread that runs.
  [[nodiscard]] own_pointers pointers() const noexcept;
  void set_pointers(const own_pointers& to) noexcept;

  friend class outside;

  struct stored {
    std::uint64_t value;
    knowledge message;
    thread_id by;
    bool rmw;
    std::uint16_t time;
  };

  struct kind_of_location {
    std::int16_t slot = -1;  // in views; given at the first write in any run
    thread_mask users = 0;
    bool written = false;
    bool visible = false;
  };

  struct location {
    const void* address = nullptr;
    std::uint64_t key;  // the same in every run: who made it, as its how manyeth
    kind_of_location* kind;
    std::uint32_t stores;
    std::int16_t slot = -1;  // never written since its making
    bool dead;
    bool at_setup;
    thread_id maker;
    std::uint16_t made_at;
    std::int16_t watched;
    clock used_at;
    std::uint8_t unparked_floor;  // what whoever unparked here had seen of it
  };

  enum class status : std::uint8_t { absent, runnable, held, parked, joining, waits_for_quiet, finished };

  struct model_thread {
    fiber context;
    status state = status::absent;
    bool timed = false;  // parked with a deadline
    bool timed_out = false;
    bool without_memory = false;
    std::uint8_t looks_without_time = 0;
    thread_id joins = 0;
    std::uint8_t rank = 0;  // of a wait for quiet
    std::uint32_t ops = 0;
    std::uint32_t made = 0;  // locations
    std::uint32_t parks = 0;
    std::uint32_t channel = 0;
    const void* parked_at = nullptr;
    std::uint64_t hash = 0;
    std::uint64_t time = 0;        // since it last parked
    std::uint64_t passed = 0;      // the latest of its deadlines that has passed
    std::uint16_t touched_at = 0;  // by its own clock, when it last used plain memory that others use
    own_pointers own;              // while it does not run
    void (*body)(void*) = nullptr;
    void* argument = nullptr;
    pending next;
    tally did;
    char name[16] = {};
    knowledge cur, acq, rel;
    std::uint8_t stale_at[max_slots] = {};
    std::uint8_t stale_times[max_slots] = {};
  };

  struct half_cell {  // the last write and each thread's last read
    std::uint16_t written_at;
    thread_id written_by;
    std::uint8_t written_bytes;  // a bit for each byte
    std::uint8_t read_bytes[max_threads];
    std::uint16_t read_at[max_threads];
  };
  struct cell {  // of plain memory: eight bytes
    std::uint32_t run;
    bool freed;
    bool dirty;
    half_cell halves[2];
  };

  struct kind_of_cell {  // over all runs
    thread_mask users = 0;
    bool written = false;
    bool visible = false;
  };

  struct watched_location {
    watcher changed = nullptr;
    listener accessed = nullptr;
    void* context = nullptr;
    std::string name;
    printer print = nullptr;
  };

  static void thread_main(void* raw);
  [[gnu::noinline]] bool falls_asleep(std::uint32_t index, const void* address, std::uint64_t expected,
                                      const site& where) noexcept;
  model_thread& me() noexcept { return threads_[current_]; }
  location& use(std::uint32_t index, const void* address, op_kind kind, bool sc, bool writes) noexcept;
  bool visible(const location& l) const noexcept { return exploring_ && (everything_visible_ || l.kind->visible); }
  void point(const pending& next) noexcept;
  void done() noexcept;
  void reschedule() noexcept;
  thread_id pick_next(thread_mask only_if_alone = 0) noexcept;
  void switch_to(thread_id next) noexcept;
  void to_host() noexcept;
  std::int16_t slot_of(location& l) noexcept;
  std::uint32_t floor_of(const location& l, order o) const noexcept;
  void read(location& l, std::uint32_t index, order o) noexcept;
  void append(location& l, std::uint64_t value, order o, const knowledge* inherited) noexcept;
  void fence(model_thread& t) noexcept;
  void observe(std::uint64_t what, std::uint64_t value) noexcept;
  void observe_own_stack() noexcept;
  void observe_position() noexcept;
  [[nodiscard]] thread_mask readers_now() const noexcept;
  [[nodiscard]] thread_mask users_of(const location& l) const noexcept;
  [[nodiscard]] view known_to_all(thread_mask of) const noexcept;
  [[nodiscard]] thread_mask ordered_before(const clock& c) const noexcept;
  void check_live(std::size_t begin, std::size_t bytes) noexcept;
  void access_cell(std::size_t index, unsigned touched_bytes, bool write) noexcept;
  void access_half(half_cell& half, unsigned touched_bytes, bool write) noexcept;
  step* note(op_kind kind, order o, const site& where);
  [[nodiscard]] reached_point& reached_at(const site& where) noexcept;
  watched_location& watched_at(const void* address) noexcept;
  location* find(const void* address) noexcept;
  void tell(const location& l, std::uint64_t value, bool wrote) noexcept;
  stored& at(const location& l, std::uint32_t index) noexcept {
    return stores_[static_cast<std::size_t>(&l - locations_.data())][index];
  }
  void forget_what_was_before();
  void save(checkpoint& into) const;
  void restore(const checkpoint& c);

  space space_;
  std::vector<cell> cells_;
  std::vector<kind_of_cell> cell_kinds_;
  std::uint32_t run_number_ = 0;
  thread_mask joined_ = 0;   // threads that were joined in any run
  thread_mask tallied_ = 0;  // those of which it was asked what they did

  limits limits_;
  chooser* chooser_ = nullptr;
  bool exploring_ = false;
  static inline bool in_program_ = false;
  bool everything_visible_ = false;
  bool found_new_visible_ = false;
  bool has_timed_parks_ = false;
  bool naps_forbidden_ = false;
  bool failed_ = false;
  bool ended_ = false;
  bool at_root_ = false;
  bool preempts_ = false;
  thread_id current_ = 0;
  thread_id thread_count_ = 0;
  failure failure_;
  fiber host_;

  model_thread threads_[max_threads];
  std::vector<location> locations_;
  std::vector<std::vector<stored>> stores_;
  std::int16_t slots_used_ = 0;
  std::uint64_t ended_hash_ = 0;      // of what was freed or destroyed
  std::vector<std::uint32_t> dirty_;  // cells of plain memory that are written, and not only their owner's business
  view sc_;                           // S
  unsigned spurious_wakes_left_ = 0, spurious_failures_left_ = 0, timeouts_left_ = 0;
  std::uint32_t steps_done_ = 0;

  std::unordered_map<std::uint64_t, kind_of_location> kinds_;
  std::vector<watched_location> watched_;
  std::vector<std::pair<const void*, std::size_t>> counted_;
  void** pointers_[most_per_thread] = {};  // those that are thread-local
  own_pointers at_first_;
  reporter reporter_ = nullptr;
  void* reporter_context_ = nullptr;
  std::vector<step>* steps_ = nullptr;
  reached_points* reached_ = nullptr;

  std::vector<std::uint32_t> used_cells_;  // in this run
  checkpoint* keeping_ = nullptr;          // the host is to fill it
  std::unique_ptr<checkpoint> root_;       // at go()
};

/// Stores are not in it: those of the run up to here are never changed by runs from here on.
class machine::checkpoint {
  friend class machine;

  std::vector<std::byte> memory_;  // of each thread the stack and the heap
  std::size_t used_[max_threads] = {};
  std::vector<model_thread> threads_;
  std::vector<location> locations_;
  std::vector<std::pair<std::uint32_t, cell>> cells_;
  std::vector<std::uint32_t> dirty_;
  view sc_;
  thread_id current_ = 0;
  bool preempts_ = false;
  unsigned spurious_wakes_left_ = 0, spurious_failures_left_ = 0, timeouts_left_ = 0;
  std::uint32_t steps_done_ = 0;
  std::uint64_t ended_hash_ = 0;
  std::size_t watched_ = 0;
};

/// The one machine of the process; null before it is made.
extern machine* the_machine_if_made;
[[nodiscard]] machine& the_machine() noexcept;

/// While it lives, the checker's own code runs: what it allocates is not the program's.
class outside {
 public:
  explicit outside(machine& m) noexcept : m_(m), was_(m.in_program_) {
    m.in_program_ = false;
    stay_in_order();
  }
  ~outside() {
    stay_in_order();
    m_.in_program_ = was_;
  }
  outside(const outside&) = delete;
  outside& operator=(const outside&) = delete;

 private:
  /// The instrumentation comes late in the compiler: without this, accesses would have moved out of here before it.
  static void stay_in_order() noexcept { __asm__ __volatile__("" ::: "memory"); }

  machine& m_;
  bool was_;
};

}  // namespace verify
