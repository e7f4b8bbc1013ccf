// As dozer.cpp, by a thread that is in no pool: each loop enters the global one.
#include <dozer/dozer.hpp>

#include "../harness.hpp"
#include "empty.hpp"

int main(int argc, char** argv) {
  if (!dozer::configure_global_pool({.threads = bench::threads(argc, argv)})) {
    return 1;
  }
  const int bodies = empty_bodies(argc, argv);
  return measure_regions([&] { dozer::parallel_for(0, bodies, [](int i) { empty_body(i); }); });
}
