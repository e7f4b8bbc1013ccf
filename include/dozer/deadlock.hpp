// What is wrong when nothing moves, and what everybody does (docs/deadlock.md). Waits of wait_kind::external, which is
// the default of event, semaphore and condition_variable, are never a deadlock; DOZER_STALL=10 shows those.
#pragma once

#include <dozer/detail/platform.hpp>
#include <dozer/stats.hpp>
#include <dozer/wait_kind.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace dozer::inline DOZER_PLATFORM {

/// A picture of all pools: of a deadlock, or of any program at any time.
struct deadlock_report {
  enum class trouble : std::uint8_t {
    none,      ///< that anybody has noticed
    deadlock,  ///< everybody waits for somebody who waits
    starved,   ///< jobs are left, and everybody who could run them waits
    stalled,   ///< there is something to do or to wait for, and for long no job has begun or ended
  };

  /// A place in the program's code. `addr2line -Cfie <module> <offset>` gives its line.
  struct caller {
    std::string module;  ///< the path of the program, or of a shared object
    std::uint64_t offset = 0;
    std::string symbol;  ///< the function, if the dynamic symbol table has it
  };

  /// A job that a thread is in the middle of, or a wait within it.
  struct entry {
    bool waits = false;
    std::string name;  ///< of the job, or of what is waited for; empty: it has none
    wait_reason why = wait_reason::none;
    wait_kind who_can_end_it = wait_kind::pool;
    const void* what = nullptr;      ///< the address of what is waited for
    std::string held_by;             ///< if it is held by somebody
    double seconds = 0;              ///< since when
    std::string where;               ///< file:line, function, if known
    std::vector<caller> callers;     ///< the nearest four, if `where` is a line of the standard library
    bool would_be_reported = false;  ///< as a deadlock, were it of the pool's kind (wait_kind::pool)
  };

  struct worker {
    std::string name;  ///< of the thread: <pool>-<index>
    unsigned index = 0;
    bool guest = false;
    std::uint64_t thread = 0;  ///< the system's number, as debuggers show it
    activity state = activity::vacant;
    std::string system_call;   ///< that it waits in without having said so; empty: none, or not known
    std::vector<entry> stack;  ///< the oldest first; a later one keeps the earlier ones waiting
    unsigned deeper = 0;       ///< so many before the last one were not kept
    std::uint64_t queued = 0;  ///< jobs in its deque

    /// What it waits for now, or null.
    [[nodiscard]] const entry* waits_for() const noexcept {
      return !stack.empty() && stack.back().waits ? &stack.back() : nullptr;
    }
  };

  /// A thread of no pool that waits for a job, or for something of sync.hpp.
  struct outsider {
    std::uint64_t thread = 0;
    entry wait;
  };

  trouble what_is_wrong = trouble::none;
  std::string summary;                 ///< a sentence
  std::vector<worker> workers;         ///< and guests, those in the circle first; not those that sleep for want of work
  std::vector<std::string> cycle;      ///< who waits for whom, if they do in a circle: a sentence for each
  unsigned idle = 0;                   ///< members asleep for want of work
  unsigned waiting_outside = 0;        ///< threads of no pool that wait for a job, without a time limit
  std::vector<outsider> outsiders;     ///< those, and others that wait
  std::uint64_t jobs_left = 0;         ///< in the queues of all pools
  std::vector<std::string> shortages;  ///< pools that need a spare worker and get none: a sentence for each

  [[nodiscard]] std::string to_string() const;
  [[nodiscard]] std::string to_json() const;
};

/// What a handler has decided.
enum class deadlock_action : std::uint8_t {
  abort,        ///< print the report and abort
  throw_error,  ///< deadlock_error out of every blocked call of sync.hpp and future::get that gets nothing meanwhile
  proceed,      ///< nothing: the handler has released somebody
};

struct deadlock_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Who does what, in all pools, now. Takes no lock of a pool, so a debugger may call it in a program that hangs; but it
/// allocates. While things move the picture may be blurred.
[[nodiscard]] deadlock_report current_state();
/// The same as text.
[[nodiscard]] std::string dump_state();

}  // namespace dozer::inline DOZER_PLATFORM

/// For debuggers, which cannot always call the above: `call (void)dozer_dump_state()` prints it to stderr.
extern "C" void dozer_dump_state() noexcept;
