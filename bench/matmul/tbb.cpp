#include <tbb/parallel_invoke.h>
#include <tbb/task_arena.h>

#include "../harness.hpp"
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
  tbb::task_arena arena(static_cast<int>(bench::threads(argc, argv)));
  matrices m;
  return bench::measure(matmul_expected, [&] {
    arena.execute([&] { run(m, whole); });
    return m.check();
  });
}
