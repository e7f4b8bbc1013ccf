// A pool with the threads of the command line, and with the idle options of the environment, for the comparison of
// policies: DOZER_BENCH_WAKE and DOZER_BENCH_SEARCH name one each, DOZER_BENCH_SEARCH_FOR is a number of nanoseconds.
#pragma once

#include <dozer/dozer.hpp>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "harness.hpp"

namespace bench {

template <class Policy, std::size_t N>
Policy policy(const char* variable, Policy otherwise, const std::array<std::pair<std::string_view, Policy>, N>& known) {
  const char* const given = std::getenv(variable);
  if (given == nullptr) {
    return otherwise;
  }
  for (const auto& [name, value] : known) {
    if (name == given) {
      return value;
    }
  }
  std::fprintf(stderr, "%s: there is no policy %s\n", variable, given);
  std::exit(2);
}

inline dozer::pool_options dozer_options(int argc, char** argv) {
  using wake = dozer::wake_policy;
  using search = dozer::search_policy;
  dozer::pool_options options{.threads = threads(argc, argv)};
  options.idle.wake = policy("DOZER_BENCH_WAKE", options.idle.wake,
                             std::array<std::pair<std::string_view, wake>, 5>{{{"frugal", wake::frugal},
                                                                               {"one", wake::one},
                                                                               {"two", wake::two},
                                                                               {"blocks", wake::blocks},
                                                                               {"all", wake::all}}});
  options.idle.search =
      policy("DOZER_BENCH_SEARCH", options.idle.search,
             std::array<std::pair<std::string_view, search>, 4>{{{"budget", search::budget},
                                                                 {"always_budget", search::always_budget},
                                                                 {"spins", search::spins},
                                                                 {"yields", search::yields}}});
  if (const char* const given = std::getenv("DOZER_BENCH_SEARCH_FOR")) {
    options.idle.search_for = std::chrono::nanoseconds(std::atoll(given));
  }
  return options;
}

}  // namespace bench
