// As dozer.cpp, by a thread that is in no pool.
#include "with_dozer.hpp"

int main(int argc, char** argv) {
  if (!dozer::configure_global_pool({.threads = bench::threads(argc, argv)})) {
    return 1;
  }
  return bench::measure_algorithm(argc, argv, bench::here, bench::with_dozer());
}
