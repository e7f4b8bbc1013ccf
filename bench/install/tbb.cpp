#include "../empty/empty.hpp"
#include "../tbb_arena.hpp"

int main(int argc, char** argv) {
  bench::tbb_arena arena(argc, argv, bench::tbb_arena::only_submit);
  return measure_regions([&] { arena->execute([] { empty_body(0); }); });
}
