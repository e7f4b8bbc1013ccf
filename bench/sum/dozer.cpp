#include <dozer/dozer.hpp>

#include "sum.hpp"

int main(int argc, char** argv) {
  dozer::thread_pool pool({.threads = bench::threads(argc, argv)});
  return measure_sum(
      [&](const std::vector<double>& data) { return pool.install([&] { return dozer::reduce(data); }); });
}
