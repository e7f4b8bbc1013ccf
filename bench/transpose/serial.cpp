#include "transpose.hpp"

int main(int argc, char** argv) {
  bench::threads(argc, argv);
  return measure_transpose(
      [](const double* from, double* to) { transpose_by_tiles(from, to, 0, transpose_size, 0, transpose_size); });
}
