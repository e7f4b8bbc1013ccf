// The cells of a grid in an order that keeps neighbours together in both directions: tile by tile.
#pragma once

#include <dozer/detail/platform.hpp>

#include <algorithm>
#include <cstdint>

namespace dozer::inline DOZER_PLATFORM::detail {

/// A grid of planes, rows and columns. Its cells have numbers: those of a tile follow each other.
class tiles {
 public:
  /// Throws std::length_error if the grid has 2^64 cells or more.
  tiles(std::uint64_t planes, std::uint64_t rows, std::uint64_t columns);

  [[nodiscard]] std::uint64_t cells() const noexcept { return cells_; }

  /// f(plane, row, column) for each cell from one number to before another.
  template <class F>
  void visit(std::uint64_t first, std::uint64_t last, const F& f) const {
    while (first != last) {
      place at = find(first);
      do {
        const std::uint64_t n = std::min(at.tile.columns - at.column, last - first);
        // Not members of `at`, which f might change as far as the compiler knows: then this would not vectorise.
        const std::uint64_t plane = at.tile.first_plane + at.plane;
        const std::uint64_t row = at.tile.first_row + at.row;
        const std::uint64_t from = at.tile.first_column + at.column;
        if (n == columns_in_a_tile) [[likely]] {  // a known number of them vectorises better
          for (std::uint64_t c = 0; c != columns_in_a_tile; ++c) {
            f(plane, row, from + c);
          }
        } else {
          for (std::uint64_t c = from; c != from + n; ++c) {
            f(plane, row, c);
          }
        }
        first += n;
      } while (first != last && at.next_row());
    }
  }

 private:
  // Cells that are read along the rows of a tile and written along its columns, as in a transpose, go to as many cache
  // lines at a time as a tile has columns. If rows are a power of two apart, these lines are in one set of the cache,
  // which holds few of them.
  static constexpr std::uint64_t columns_in_a_tile = 16;
  static constexpr std::uint64_t rows_in_a_tile = 64;
  static constexpr std::uint64_t planes_in_a_tile = 4;

  struct tile {
    std::uint64_t first_plane, first_row, first_column;
    std::uint64_t planes, rows, columns;
  };
  /// A cell of a tile.
  struct place {
    detail::tiles::tile tile;
    std::uint64_t plane, row, column;

    /// To its beginning. False: that was the last one of the tile.
    bool next_row() noexcept {
      column = 0;
      if (++row == tile.rows) {
        row = 0;
        return ++plane != tile.planes;
      }
      return true;
    }
  };
  [[nodiscard]] place find(std::uint64_t cell) const noexcept;

  std::uint64_t planes_, rows_, columns_, cells_;
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
