#include "../harness.hpp"
#include "empty.hpp"

int main(int argc, char** argv) {
  bench::threads(argc, argv);
  const int bodies = empty_bodies(argc, argv);
  return measure_regions([bodies] {
    for (int i = 0; i < bodies; ++i) {
      empty_body(i);
    }
  });
}
