#include "stencil.hpp"

int main(int argc, char** argv) {
  bench::threads(argc, argv);
  return measure_stencil([](const float* from, float* to) { stencil_rows(from, to, 1, stencil_size - 1); });
}
