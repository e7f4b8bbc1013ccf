#include "../harness.hpp"
#include "nqueens.hpp"

namespace {
long solve(const board& b, int row) {
  if (row == queens) {
    return 1;
  }
  long sum = 0;
  for (int column = 0; column < queens; ++column) {
    if (fits(b, row, column)) {
      sum += solve(with(b, row, column), row + 1);
    }
  }
  return sum;
}
}  // namespace

int main(int argc, char** argv) {
  bench::threads(argc, argv);
  return bench::measure(nqueens_expected, [] { return solve(board{}, 0); });
}
