#include "transpose.hpp"

int main(int argc, char** argv) {
  const int threads = static_cast<int>(bench::threads(argc, argv));
  return measure_transpose([&](const double* from, double* to) {
#pragma omp parallel for collapse(2) num_threads(threads)
    for (std::size_t j = 0; j < transpose_size; j += transpose_tile) {
      for (std::size_t i = 0; i < transpose_size; i += transpose_tile) {
        transpose_part(from, to, i, i + transpose_tile, j, j + transpose_tile);
      }
    }
  });
}
