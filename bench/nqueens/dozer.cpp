#include <dozer/dozer.hpp>

#include <bit>

#include "../harness.hpp"
#include "nqueens.hpp"

namespace {
long solve(const board& b, int row);

/// One for each of these columns, in which a queen fits: a set of at least one.
long branches(const board& b, int row, unsigned columns) {
  if (std::has_single_bit(columns)) {
    return solve(with(b, row, std::countr_zero(columns)), row + 1);
  }
  const int middle = (std::countr_zero(columns) + std::bit_width(columns)) / 2;
  const unsigned low = columns & ((1u << middle) - 1);
  const auto [left, right] = dozer::join([&b, row, low] { return branches(b, row, low); },
                                         [&b, row, high = columns & ~low] { return branches(b, row, high); });
  return left + right;
}

long solve(const board& b, int row) {
  if (row == queens) {
    return 1;
  }
  unsigned columns = 0;
  for (int column = 0; column < queens; ++column) {
    columns |= fits(b, row, column) ? 1u << column : 0;
  }
  return columns == 0 ? 0 : branches(b, row, columns);
}
}  // namespace

int main(int argc, char** argv) {
  dozer::thread_pool pool({.threads = bench::threads(argc, argv)});
  return bench::measure(nqueens_expected, [&] { return pool.install([] { return solve(board{}, 0); }); });
}
