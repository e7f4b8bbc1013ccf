#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <functional>

#include "../harness.hpp"
#include "../tbb_arena.hpp"
#include "nqueens.hpp"

namespace {
long solve(const board& b, int row) {
  if (row == queens) {
    return 1;
  }
  const fitting columns(b, row);
  return tbb::parallel_reduce(
      tbb::blocked_range<int>(0, columns.count()), 0L,
      [&, row](const tbb::blocked_range<int>& some, long sum) {
        for (int i = some.begin(); i < some.end(); ++i) {
          sum += solve(with(b, row, columns[i]), row + 1);
        }
        return sum;
      },
      std::plus<>{}, tbb::simple_partitioner{});
}
}  // namespace

int main(int argc, char** argv) {
  bench::tbb_arena arena(argc, argv);
  return bench::measure(nqueens_expected, [&] { return arena->execute([] { return solve(board{}, 0); }); });
}
