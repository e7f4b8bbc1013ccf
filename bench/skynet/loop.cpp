// With a loop of ten at each node. It captures by value what the join of dozer.cpp does.
#include <dozer/dozer.hpp>

#include <array>
#include <cstddef>
#include <numeric>

#include "../harness.hpp"
#include "skynet.hpp"

namespace {
long skynet(long number, long leaves) {
  if (leaves == 1) {
    return number;
  }
  std::array<long, 10> sums;
  const long each = leaves / 10;
  dozer::parallel_for(0, 10,
                      [=, &sums](int i) { sums[static_cast<std::size_t>(i)] = skynet(number + i * each, each); });
  return std::accumulate(sums.begin(), sums.end(), 0L);
}
}  // namespace

int main(int argc, char** argv) {
  dozer::thread_pool pool({.threads = bench::threads(argc, argv)});
  return bench::measure(skynet_expected, [&] { return pool.install([] { return skynet(0, skynet_leaves); }); });
}
