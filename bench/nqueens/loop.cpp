// With a loop over the columns in which a queen fits.
#include <dozer/dozer.hpp>

#include <array>
#include <cstddef>
#include <numeric>

#include "../harness.hpp"
#include "nqueens.hpp"

namespace {
long solve(const board& b, int row) {
  if (row == queens) {
    return 1;
  }
  const fitting columns(b, row);
  std::array<long, queens> sums;
  dozer::parallel_for(0, columns.count(),
                      [&](int i) { sums[static_cast<std::size_t>(i)] = solve(with(b, row, columns[i]), row + 1); });
  return std::accumulate(sums.begin(), sums.begin() + columns.count(), 0L);
}
}  // namespace

int main(int argc, char** argv) {
  dozer::thread_pool pool({.threads = bench::threads(argc, argv)});
  return bench::measure(nqueens_expected, [&] { return pool.install([] { return solve(board{}, 0); }); });
}
