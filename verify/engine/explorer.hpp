// Trying all ways that a program can go: depth first, with a memory of the states that were seen.
#pragma once

#include "machine.hpp"
#include "schedule.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace verify {

inline constexpr int unbounded = -1;

struct search_options {
  limits bounds;
  int preemptions = unbounded;  // the most in a run
  bool deepen = true;           // smaller bounds first: the first counterexample is a simple one
  bool reduce = true;           // false: every interleaving, one by one; to check the reductions themselves
  std::uint64_t most_executions = ~std::uint64_t{0};
  double most_seconds = 1e9;  // of processor time
  bool minimise = true;
  std::function<void(const char*)> progress;  // from time to time
};

struct search_result {
  bool complete = false;  // all of it was tried
  int bound = 0;          // on preemptions, of the last search
  std::uint64_t executions = 0;
  std::uint64_t states = 0;
  double seconds = 0;  // of processor time
  std::optional<failure> failed;
  schedule how;  // to fail again
};

using program = void (*)(void*);

/// Every way, up to the bound on preemptions.
[[nodiscard]] search_result explore(program p, void* argument, const search_options& options);

/// So many runs at random: half of them a random walk, half with random priorities that change a few times.
[[nodiscard]] search_result sample(program p, void* argument, const search_options& options, std::uint64_t seed);

/// Called at the end of each run that came to its end.
extern std::function<void()> at_end_of_run;

}  // namespace verify
