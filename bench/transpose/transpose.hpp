// The transpose of a matrix of 4096 by 4096 doubles.
#pragma once

#include <cstddef>
#include <vector>

#include "../harness.hpp"

inline constexpr std::size_t transpose_size = 4096;
/// The side of a tile, where the program makes the tiles. Rows are 2^15 bytes apart, so a column's cache lines share
/// a few sets of the cache: a larger tile does not stay in it.
inline constexpr std::size_t transpose_tile = 8;

inline void transpose_cell(const double* from, double* to, std::size_t i, std::size_t j) {
  to[j * transpose_size + i] = from[i * transpose_size + j];
}

/// Rows from `i` to before `rows_end`, columns from `j` to before `columns_end`.
inline void transpose_part(const double* from, double* to, std::size_t i, std::size_t rows_end, std::size_t j,
                           std::size_t columns_end) {
  for (; i < rows_end; ++i) {
    for (std::size_t column = j; column < columns_end; ++column) {
      transpose_cell(from, to, i, column);
    }
  }
}

/// The same, tile by tile, down the bands of the result: the next tile writes to the same pages.
inline void transpose_by_tiles(const double* from, double* to, std::size_t i, std::size_t rows_end, std::size_t j,
                               std::size_t columns_end) {
  for (; j < columns_end; j += transpose_tile) {
    for (std::size_t row = i; row < rows_end; row += transpose_tile) {
      transpose_part(from, to, row, row + transpose_tile, j, j + transpose_tile);
    }
  }
}

/// transpose(from, to). All elements are checked at the end, when the time has been taken.
template <class Transpose>
int measure_transpose(Transpose&& transpose) {
  std::vector<double> from(transpose_size * transpose_size), to(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    from[i] = static_cast<double>(i);
  }
  const int code = bench::measure(1, [&] {
    transpose(from.data(), to.data());
    return 1;
  });
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (to[i] != from[i % transpose_size * transpose_size + i / transpose_size]) {
      std::fprintf(stderr, "wrong: element %zu\n", i);
      return 1;
    }
  }
  return code;
}
