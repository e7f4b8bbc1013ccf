// Futures, broadcast and exceptions.
#include "tour.hpp"

#include <dozer/dozer.hpp>

#include <cstdio>
#include <stdexcept>
#include <string>

namespace tour {

void show_the_rest() {
  headline("submit: a future, and what comes then");
  auto text =
      dozer::submit([] { return forked_fib(25); }).then([](long n) { return "fib(25) is " + std::to_string(n); });
  std::printf("  %s\n", text.get().c_str());

  headline("broadcast: once in every seat");
  for (const std::string& line : dozer::broadcast([](dozer::broadcast_context c) {
         return "seat " + std::to_string(c.index()) + " of " + std::to_string(c.num_threads());
       })) {
    std::printf("  %s\n", line.c_str());
  }

  headline("exceptions: both sides of a join finish, then it leaves");
  try {
    dozer::join([] { throw std::runtime_error("something went wrong in the first closure"); },
                [] { std::printf("  the second closure ran all the same\n"); });
  } catch (const std::exception& e) {
    std::printf("  caught: %s\n", e.what());
  }
}

}  // namespace tour
