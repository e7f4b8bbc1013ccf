
#include "../tbb_arena.hpp"
#include "producers.hpp"

int main(int argc, char** argv) {
  bench::tbb_arena arena(argc, argv, bench::tbb_arena::only_submit);
  return measure_producers([&](auto job) { arena->enqueue(job); });
}
