#include <tbb/parallel_for.h>

#include "../now_and_then.hpp"
#include "../tbb_arena.hpp"

int main(int argc, char** argv) {
  bench::tbb_arena arena(argc, argv);
  return bench::idle(
      [&](auto job) { arena->execute([&] { tbb::parallel_for(0, bench::tick_jobs, [&](int) { job(); }); }); });
}
