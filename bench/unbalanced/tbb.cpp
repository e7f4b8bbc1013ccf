#include <tbb/parallel_for.h>

#include "../tbb_arena.hpp"
#include "unbalanced.hpp"

int main(int argc, char** argv) {
  bench::tbb_arena arena(argc, argv);
  return bench::measure(1, [&] {
    arena->execute([] { tbb::parallel_for(0, unbalanced_count, unbalanced_body); });
    return 1;
  });
}
