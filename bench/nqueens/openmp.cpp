#include "../harness.hpp"
#include "nqueens.hpp"

namespace {
long solve(const board& b, int row) {
  if (row == queens) {
    return 1;
  }
  long sums[queens] = {};
  for (int column = 0; column < queens; ++column) {
    if (fits(b, row, column)) {
#pragma omp task shared(sums, b)
      sums[column] = solve(with(b, row, column), row + 1);
    }
  }
#pragma omp taskwait
  long sum = 0;
  for (const long each : sums) {
    sum += each;
  }
  return sum;
}
}  // namespace

int main(int argc, char** argv) {
  const int threads = static_cast<int>(bench::threads(argc, argv));
  return bench::measure(nqueens_expected, [&] {
    long result = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
    result = solve(board{}, 0);
    return result;
  });
}
