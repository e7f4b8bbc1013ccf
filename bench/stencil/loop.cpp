// With a loop over the cells, by tiles.
#include <dozer/dozer.hpp>

#include "stencil.hpp"

int main(int argc, char** argv) {
  dozer::thread_pool pool({.threads = bench::threads(argc, argv)});
  return measure_stencil([&](const float* from, float* to) {
    pool.install([=] {
      dozer::parallel_for_2d(stencil_size - 2, stencil_size - 2, [=](std::size_t i, std::size_t j) {
        const std::size_t at = (i + 1) * stencil_size + j + 1;
        to[at] = 0.5f * from[at] +
                 0.125f * ((from[at - stencil_size] + from[at + stencil_size]) + (from[at - 1] + from[at + 1]));
      });
    });
  });
}
