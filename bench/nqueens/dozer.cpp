#include <dozer/dozer.hpp>

#include "../harness.hpp"
#include "nqueens.hpp"

namespace {
long solve(const board& b, int row);

/// The columns from first to before last.
long columns(const board& b, int row, int first, int last) {
  if (last - first == 1) {
    return fits(b, row, first) ? solve(with(b, row, first), row + 1) : 0;
  }
  const int middle = (first + last) / 2;
  const auto [left, right] = dozer::join([&b, row, first, middle] { return columns(b, row, first, middle); },
                                         [&b, row, middle, last] { return columns(b, row, middle, last); });
  return left + right;
}

long solve(const board& b, int row) { return row == queens ? 1 : columns(b, row, 0, queens); }
}  // namespace

int main(int argc, char** argv) {
  dozer::thread_pool pool({.threads = bench::threads(argc, argv)});
  return bench::measure(nqueens_expected, [&] { return pool.install([] { return solve(board{}, 0); }); });
}
