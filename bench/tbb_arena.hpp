// An arena of oneTBB with the threads of the command line, also where that is more than there are processors.
#pragma once

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include "harness.hpp"

namespace bench {

class tbb_arena {
 public:
  enum callers { work_too, only_submit };

  tbb_arena(int argc, char** argv, callers who = work_too)
      : allowed_(tbb::global_control::max_allowed_parallelism, threads(argc, argv) + (who == only_submit ? 1 : 0)),
        arena_(static_cast<int>(threads(argc, argv)), who == only_submit ? 0 : 1) {}

  tbb::task_arena* operator->() { return &arena_; }

 private:
  tbb::global_control allowed_;
  tbb::task_arena arena_;
};

}  // namespace bench
