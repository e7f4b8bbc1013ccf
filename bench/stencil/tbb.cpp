#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "../tbb_arena.hpp"
#include "stencil.hpp"

int main(int argc, char** argv) {
  bench::tbb_arena arena(argc, argv);
  return measure_stencil([&](const float* from, float* to) {
    arena->execute([=] {
      tbb::parallel_for(tbb::blocked_range<std::size_t>(1, stencil_size - 1),
                        [=](const auto& some) { stencil_rows(from, to, some.begin(), some.end()); });
    });
  });
}
