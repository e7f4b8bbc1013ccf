#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "../harness.hpp"
#include "empty.hpp"

int main(int argc, char** argv) {
  tbb::task_arena arena(static_cast<int>(bench::threads(argc, argv)));
  const int bodies = empty_bodies(argc, argv);
  return measure_regions([&] { arena.execute([&] { tbb::parallel_for(0, bodies, [](int i) { empty_body(i); }); }); });
}
