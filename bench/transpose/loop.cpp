// With tiles of its own: a loop over bands of the result.
#include <dozer/dozer.hpp>

#include "transpose.hpp"

int main(int argc, char** argv) {
  dozer::thread_pool pool({.threads = bench::threads(argc, argv)});
  return measure_transpose([&](const double* from, double* to) {
    pool.install([=] {
      dozer::parallel_for(std::size_t{0}, transpose_size / transpose_tile, [=](std::size_t band) {
        const std::size_t j = band * transpose_tile;
        transpose_by_tiles(from, to, 0, transpose_size, j, j + transpose_tile);
      });
    });
  });
}
