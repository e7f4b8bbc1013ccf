// Who decides what a run does where it could go several ways.
#pragma once

#include "view.hpp"

#include <cstdint>

namespace verify {

enum class choice : std::uint8_t {
  thread,    // who goes on
  read,      // which store a load reads: 0 is the newest
  spurious,  // whether a weak compare-exchange fails for no reason: 0 is no
  pick,      // one of several equals: whom a futex wakes, whom a process fence reaches next
};

class chooser {
 public:
  virtual ~chooser() = default;

  /// One of `enabled` or `spurious` (parked threads that could return for no reason, or
  /// because time is up). `current` has just stopped before
  /// its next operation, or cannot go on.
  virtual thread_id next_thread(thread_id current, thread_mask enabled, thread_mask spurious) = 0;
  /// A number below `options`, which is at least 2.
  virtual unsigned choose(choice kind, unsigned options) = 0;
};

}  // namespace verify
