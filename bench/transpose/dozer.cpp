#include <dozer/dozer.hpp>

#include "transpose.hpp"

int main(int argc, char** argv) {
  dozer::thread_pool pool({.threads = bench::threads(argc, argv)});
  return measure_transpose([&](const double* from, double* to) {
    pool.install([=] {
      dozer::parallel_for_2d(transpose_size, transpose_size,
                             [=](std::size_t i, std::size_t j) { transpose_cell(from, to, i, j); });
    });
  });
}
