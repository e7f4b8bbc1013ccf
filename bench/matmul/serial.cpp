#include "../harness.hpp"
#include "matmul.hpp"

namespace {
void run(matrices& m, block at) {
  if (is_small(at)) {
    multiply(m, at);
    return;
  }
  run(m, first_half(at));
  run(m, second_half(at));
}
}  // namespace

int main(int argc, char** argv) {
  bench::threads(argc, argv);
  matrices m;
  return bench::measure(matmul_expected, [&] {
    run(m, whole);
    return m.check();
  });
}
