#include <tbb/blocked_range2d.h>
#include <tbb/parallel_for.h>

#include "../tbb_arena.hpp"
#include "transpose.hpp"

int main(int argc, char** argv) {
  bench::tbb_arena arena(argc, argv);
  return measure_transpose([&](const double* from, double* to) {
    arena->execute([=] {
      tbb::parallel_for(
          tbb::blocked_range2d<std::size_t>(0, transpose_size, transpose_tile, 0, transpose_size, transpose_tile),
          [=](const tbb::blocked_range2d<std::size_t>& some) {
            transpose_part(from, to, some.cols().begin(), some.cols().end(), some.rows().begin(), some.rows().end());
          },
          tbb::simple_partitioner{});
    });
  });
}
