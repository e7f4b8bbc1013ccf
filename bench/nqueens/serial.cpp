#include "../harness.hpp"
#include "nqueens.hpp"

namespace {
long solve(const board& b, int row) {
  if (row == queens) {
    return 1;
  }
  const fitting columns(b, row);
  long sum = 0;
  for (int i = 0; i < columns.count(); ++i) {
    sum += solve(with(b, row, columns[i]), row + 1);
  }
  return sum;
}
}  // namespace

int main(int argc, char** argv) {
  bench::threads(argc, argv);
  return bench::measure(nqueens_expected, [] { return solve(board{}, 0); });
}
