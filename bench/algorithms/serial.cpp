#include "algorithms.hpp"

int main(int argc, char** argv) {
  bench::threads(argc, argv);
  return bench::measure_algorithm(argc, argv, bench::here, bench::serial());
}
