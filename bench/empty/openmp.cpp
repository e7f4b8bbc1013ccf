#include <omp.h>

#include "../harness.hpp"
#include "empty.hpp"

int main(int argc, char** argv) {
  const int threads = static_cast<int>(bench::threads(argc, argv));
  const int bodies = empty_bodies(argc, argv);
  return measure_regions([&] {
#pragma omp parallel for num_threads(threads)
    for (int i = 0; i < bodies; ++i) {
      empty_body(i);
    }
  });
}
