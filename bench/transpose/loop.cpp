// With tiles of its own: a loop over bands of rows.
#include <dozer/dozer.hpp>

#include "transpose.hpp"

int main(int argc, char** argv) {
  dozer::thread_pool pool({.threads = bench::threads(argc, argv)});
  return measure_transpose([&](const double* from, double* to) {
    pool.install([=] {
      dozer::parallel_for(std::size_t{0}, transpose_size / transpose_tile, [=](std::size_t band) {
        const std::size_t i = band * transpose_tile;
        transpose_by_tiles(from, to, i, i + transpose_tile, 0, transpose_size);
      });
    });
  });
}
