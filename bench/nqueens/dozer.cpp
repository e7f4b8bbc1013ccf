#include <dozer/dozer.hpp>

#include "../harness.hpp"
#include "nqueens.hpp"

namespace {
int next_fitting(const board& b, int row, int column) {
  while (column < queens && !fits(b, row, column)) {
    ++column;
  }
  return column;
}

long solve(const board& b, int row);

/// With a queen in this column, which fits, or in a later one.
long from_column(const board& b, int row, int column) {
  const int next = next_fitting(b, row, column + 1);
  if (next == queens) {
    return solve(with(b, row, column), row + 1);
  }
  const auto [here, later] = dozer::join([&b, row, column] { return solve(with(b, row, column), row + 1); },
                                         [&b, row, next] { return from_column(b, row, next); });
  return here + later;
}

long solve(const board& b, int row) {
  if (row == queens) {
    return 1;
  }
  const int first = next_fitting(b, row, 0);
  return first == queens ? 0 : from_column(b, row, first);
}
}  // namespace

int main(int argc, char** argv) {
  dozer::thread_pool pool({.threads = bench::threads(argc, argv)});
  return bench::measure(nqueens_expected, [&] { return pool.install([] { return solve(board{}, 0); }); });
}
