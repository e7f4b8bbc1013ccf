#include <tbb/parallel_for.h>

#include "../now_and_then.hpp"
#include "../tbb_arena.hpp"

int main(int argc, char** argv) {
  bench::tbb_arena arena(argc, argv, bench::tbb_arena::only_submit);
  return bench::wake([&](auto job) { arena->enqueue(job); });
}
