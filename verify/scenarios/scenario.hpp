// A scenario: a small program on the shipped sources, and what must hold in every run of it.
#pragma once

#include "../engine/explorer.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace verify {

struct setting {
  std::uint32_t jec = 0;      // where the jobs event counter starts
  bool process_fence = true;  // whether there is a membarrier
  bool one_round = false;     // of searching before a worker announces that it is sleepy; else none
  bool never = false;         // no deadline ever passes
  bool sequential = false;    // memory
  bool costs = true;          // whether to check what only burns time
};

/// Of the run under way.
extern setting now_set;

struct scenario {
  const char* name;
  const char* what;
  void (*body)();
  int test_bound;  // preemptions, in `make test`
  int full_bound;  // in `make verify`
  bool jec_matters = true;
  limits bounds = {};
  bool large = false;  // with an odd counter only, and never with one round
};

[[nodiscard]] const std::vector<scenario>& all_scenarios();

/// Before a run: unless its scenario wants it, the census is no part of it.
void count_nobody();

}  // namespace verify
