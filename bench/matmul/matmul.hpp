// C = A B for matrices of 1024 by 1024 floats, by halving the larger side of C until a block is small.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

inline constexpr int matmul_size = 1024, matmul_block = 64;
inline constexpr std::uint64_t matmul_expected = 1024;

struct matrices {
  std::vector<float> a, b, c;
  matrices() : a(matmul_size * matmul_size, 1), b(a), c(matmul_size * matmul_size) {}

  /// All elements are what they must be; returned as the first of them.
  std::uint64_t check() {
    for (float& each : c) {
      if (each != static_cast<float>(matmul_size)) {
        return 0;
      }
      each = 0;
    }
    return matmul_size;
  }
};

struct block {
  int row, column, rows, columns;
};

inline void multiply(matrices& m, block at) {
  for (int i = at.row; i < at.row + at.rows; ++i) {
    float* const to = m.c.data() + std::size_t(i) * matmul_size + at.column;
    for (int k = 0; k < matmul_size; ++k) {
      const float a = m.a[std::size_t(i) * matmul_size + std::size_t(k)];
      const float* const from = m.b.data() + std::size_t(k) * matmul_size + at.column;
      for (int j = 0; j < at.columns; ++j) {
        to[j] += a * from[j];
      }
    }
  }
}

inline bool is_small(block at) { return at.rows <= matmul_block && at.columns <= matmul_block; }
inline block first_half(block b) {
  return b.rows >= b.columns ? block{b.row, b.column, b.rows / 2, b.columns}
                             : block{b.row, b.column, b.rows, b.columns / 2};
}
inline block second_half(block b) {
  return b.rows >= b.columns ? block{b.row + b.rows / 2, b.column, b.rows - b.rows / 2, b.columns}
                             : block{b.row, b.column + b.columns / 2, b.rows, b.columns - b.columns / 2};
}
inline constexpr block whole{0, 0, matmul_size, matmul_size};
