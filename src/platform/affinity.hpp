// Where the system lets the calling thread run (README.md beside this file, "Processors").
#pragma once

#include <dozer/detail/platform.hpp>

#if defined(__linux__)

#include <sched.h>

#include <cstddef>

namespace dozer::inline DOZER_PLATFORM::detail {

/// The system's side of it. A test puts one of its own here, with a cpuset that changes.
struct affinity_calls {
  int (*get)(pid_t, std::size_t, cpu_set_t*);
  int (*set)(pid_t, std::size_t, const cpu_set_t*);
};
extern affinity_calls affinity_of_system;

/// A set of processors, with room for as many as Linux supports.
class processor_set {
 public:
  static constexpr int most = 8192;

  processor_set() noexcept { CPU_ZERO_S(sizeof sets_, sets_); }
  [[nodiscard]] static processor_set all() noexcept;
  [[nodiscard]] static processor_set only(int processor) noexcept;

  [[nodiscard]] bool has(int processor) const noexcept {
    return processor >= 0 && CPU_ISSET_S(static_cast<std::size_t>(processor), sizeof sets_, sets_) != 0;
  }
  void add(int processor) noexcept { CPU_SET_S(static_cast<std::size_t>(processor), sizeof sets_, sets_); }
  [[nodiscard]] processor_set without(int processor) const noexcept;
  [[nodiscard]] int count() const noexcept { return CPU_COUNT_S(sizeof sets_, sets_); }
  [[nodiscard]] bool operator==(const processor_set& other) const noexcept {
    return CPU_EQUAL_S(sizeof sets_, sets_, other.sets_) != 0;
  }

  /// Sets it to where the calling thread may run. False: the system does not say.
  [[nodiscard]] bool read() noexcept;
  /// Lets the calling thread run there, as far as its cpuset goes. Returns 0; EINVAL if the cpuset has none of them; or
  /// the error with which the system refuses any change.
  [[nodiscard]] int apply() const noexcept;

 private:
  cpu_set_t sets_[most / CPU_SETSIZE];
};

/// Where the calling thread may run, found out so that it can be put back after a change.
///
/// The system keeps what a thread has asked for, and lets it run on those that are in its cpuset. Only the result can
/// be read. A thread that may run on the whole cpuset gets "all" back: with any other request it would not be let onto
/// processors that join the cpuset later. A thread that may not has asked for it, and gets back what it had.
class own_affinity {
 public:
  own_affinity() noexcept;

  /// False: the system does not say, or refuses changes; then there is nothing to put back.
  [[nodiscard]] bool is_known() const noexcept { return known_; }
  [[nodiscard]] const processor_set& at_first() const noexcept { return at_first_; }
  /// What the thread asks for, as far as that can be told.
  [[nodiscard]] processor_set request() const noexcept { return roams_ ? processor_set::all() : at_first_; }
  void put_back() const noexcept { static_cast<void>(request().apply()); }

 private:
  processor_set at_first_;
  bool known_ = false;
  bool roams_ = false;  // may run on the whole cpuset
};

}  // namespace dozer::inline DOZER_PLATFORM::detail

#endif
