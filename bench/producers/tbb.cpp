#include <tbb/task_arena.h>

#include "producers.hpp"

int main(int argc, char** argv) {
  tbb::task_arena arena(static_cast<int>(bench::threads(argc, argv)), 0);
  return measure_producers([&](auto job) { arena.enqueue(job); });
}
