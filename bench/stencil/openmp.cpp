#include "stencil.hpp"

int main(int argc, char** argv) {
  const int threads = static_cast<int>(bench::threads(argc, argv));
  return measure_stencil([&](const float* from, float* to) {
#pragma omp parallel for num_threads(threads)
    for (std::size_t i = 1; i < stencil_size - 1; ++i) {
      stencil_rows(from, to, i, i + 1);
    }
  });
}
