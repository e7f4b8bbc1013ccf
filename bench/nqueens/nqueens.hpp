// How many ways there are to put thirteen queens on a board of thirteen: a fork for each queen that fits.
#pragma once

#include <array>
#include <cstddef>

inline constexpr int queens = 13;
inline constexpr long nqueens_expected = 73'712;

using board = std::array<signed char, queens>;  // the column of each row's queen

/// Not inlined, so that it is the same code for all.
[[gnu::noinline]] inline bool fits(const board& b, int row, int column) {
  for (int above = 0; above < row; ++above) {
    const int distance = row - above;
    const int other = b[static_cast<std::size_t>(above)];
    if (other == column || other == column - distance || other == column + distance) {
      return false;
    }
  }
  return true;
}

inline board with(board b, int row, int column) {
  b[static_cast<std::size_t>(row)] = static_cast<signed char>(column);
  return b;
}

/// The columns of a row in which a queen fits.
class fitting {
 public:
  fitting(const board& b, int row) {
    for (int column = 0; column < queens; ++column) {
      columns_[static_cast<std::size_t>(count_)] = static_cast<signed char>(column);
      count_ += fits(b, row, column) ? 1 : 0;
    }
  }
  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] int operator[](int i) const { return columns_[static_cast<std::size_t>(i)]; }

 private:
  std::array<signed char, queens + 1> columns_;
  int count_ = 0;
};
