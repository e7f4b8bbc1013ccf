#include <tbb/parallel_invoke.h>

#include "../harness.hpp"
#include "../tbb_arena.hpp"
#include "matmul.hpp"

namespace {
void run(matrices& m, block at) {
  if (is_small(at)) {
    multiply(m, at);
    return;
  }
  tbb::parallel_invoke([&m, at] { run(m, first_half(at)); }, [&m, at] { run(m, second_half(at)); });
}
}  // namespace

int main(int argc, char** argv) {
  bench::tbb_arena arena(argc, argv);
  matrices m;
  return bench::measure(matmul_expected, [&] {
    arena->execute([&] { run(m, whole); });
    return m.check();
  });
}
