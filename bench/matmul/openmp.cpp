#include "../harness.hpp"
#include "matmul.hpp"

namespace {
void run(matrices& m, block at) {
  if (is_small(at)) {
    multiply(m, at);
    return;
  }
#pragma omp task shared(m)
  run(m, second_half(at));
  run(m, first_half(at));
#pragma omp taskwait
}
}  // namespace

int main(int argc, char** argv) {
  const int threads = static_cast<int>(bench::threads(argc, argv));
  matrices m;
  return bench::measure(matmul_expected, [&] {
#pragma omp parallel num_threads(threads)
#pragma omp single
    run(m, whole);
    return m.check();
  });
}
