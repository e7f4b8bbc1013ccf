#include <tbb/parallel_for.h>

#include "../tbb_arena.hpp"
#include "loops.hpp"

int main(int argc, char** argv) {
  bench::tbb_arena arena(argc, argv);
  return measure_loops(argc, argv, [&](const auto& work) {
    arena->execute([&] {
      work([](std::size_t count, const auto& body, cost) { tbb::parallel_for(std::size_t{0}, count, body); });
    });
  });
}
