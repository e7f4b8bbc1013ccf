#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "../now_and_then.hpp"

int main(int argc, char** argv) {
  tbb::task_arena arena(static_cast<int>(bench::threads(argc, argv)), 0);
  return bench::trickle([&](auto job) { arena.enqueue(job); });
}
