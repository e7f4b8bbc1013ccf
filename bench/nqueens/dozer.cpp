// With a join for each half of the columns in which a queen fits; the board is passed by reference.
#include <dozer/dozer.hpp>

#include "../harness.hpp"
#include "nqueens.hpp"

namespace {
long solve(const board& b, int row);

/// There is one at least.
long branches(const board& b, int row, const fitting& columns, int first, int last) {
  if (last - first == 1) {
    return solve(with(b, row, columns[first]), row + 1);
  }
  const int middle = first + (last - first) / 2;
  const auto [left, right] = dozer::join([&, first] { return branches(b, row, columns, first, middle); },
                                         [&, last] { return branches(b, row, columns, middle, last); });
  return left + right;
}

long solve(const board& b, int row) {
  if (row == queens) {
    return 1;
  }
  const fitting columns(b, row);
  return columns.count() == 0 ? 0 : branches(b, row, columns, 0, columns.count());
}
}  // namespace

int main(int argc, char** argv) {
  dozer::thread_pool pool({.threads = bench::threads(argc, argv)});
  return bench::measure(nqueens_expected, [&] { return pool.install([] { return solve(board{}, 0); }); });
}
