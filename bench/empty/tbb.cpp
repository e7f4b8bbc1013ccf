#include <tbb/parallel_for.h>

#include "../harness.hpp"
#include "../tbb_arena.hpp"
#include "empty.hpp"

int main(int argc, char** argv) {
  bench::tbb_arena arena(argc, argv);
  const int bodies = empty_bodies(argc, argv);
  return measure_regions([&] { arena->execute([&] { tbb::parallel_for(0, bodies, [](int i) { empty_body(i); }); }); });
}
