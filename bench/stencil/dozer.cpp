#include <dozer/dozer.hpp>

#include "stencil.hpp"

int main(int argc, char** argv) {
  dozer::thread_pool pool({.threads = bench::threads(argc, argv)});
  return measure_stencil([&](const float* from, float* to) {
    pool.install([=] {
      dozer::parallel_for_blocks(std::size_t{1}, stencil_size - 1,
                                 [=](std::size_t first, std::size_t last) { stencil_rows(from, to, first, last); });
    });
  });
}
