#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "unbalanced.hpp"

int main(int argc, char** argv) {
  tbb::task_arena arena(static_cast<int>(bench::threads(argc, argv)));
  return bench::measure(1, [&] {
    arena.execute([] { tbb::parallel_for(0, unbalanced_count, unbalanced_body); });
    return 1;
  });
}
