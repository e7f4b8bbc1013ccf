// Transposes a matrix. A loop over rows reads the matrix along its rows but writes the result along its columns, and
// each write touches another cache line. parallel_for_2d goes tile by tile: the lines of a tile stay in the cache until
// they are full.
#include <dozer/dozer.hpp>

#include <cstddef>
#include <cstdio>
#include <numeric>
#include <vector>

#include "compare.hpp"

namespace {

constexpr std::size_t rows = 3000, columns = 2000;

void transpose_serially(const std::vector<double>& from, std::vector<double>& to) {
  constexpr std::size_t tile = 8;  // divides both
  // Down the columns: the next tile writes to the same pages.
  for (std::size_t j = 0; j < columns; j += tile) {
    for (std::size_t i = 0; i < rows; i += tile) {
      for (std::size_t row = i; row < i + tile; ++row) {
        for (std::size_t column = j; column < j + tile; ++column) {
          to[column * rows + row] = from[row * columns + column];
        }
      }
    }
  }
}

void transpose(const std::vector<double>& from, std::vector<double>& to) {
  dozer::parallel_for_2d(rows, columns, [in = from.data(), out = to.data()](std::size_t row, std::size_t column) {
    out[column * rows + row] = in[row * columns + column];
  });
}

}  // namespace

int main() {
  std::vector<double> matrix(rows * columns), expected(matrix.size()), result(matrix.size());
  std::iota(matrix.begin(), matrix.end(), 0.0);
  std::printf("%zu x %zu doubles, %u threads\n", rows, columns, dozer::current_num_threads());
  compare(
      "transpose", [&] { transpose_serially(matrix, expected); }, [&] { transpose(matrix, result); });
  if (result != expected) {
    std::printf("The results differ.\n");
    return 1;
  }
  std::printf("The results are equal.\n");
}
