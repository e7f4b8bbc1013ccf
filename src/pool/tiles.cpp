#include <dozer/detail/tiles.hpp>

#include <stdexcept>

namespace dozer::inline DOZER_PLATFORM::detail {

namespace {

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) {
    throw std::length_error("dozer: a loop over 2^64 cells or more");
  }
  return result;
}

}  // namespace

tiles::tiles(std::uint64_t planes, std::uint64_t rows, std::uint64_t columns)
    : planes_(planes), rows_(rows), columns_(columns), cells_(product(product(planes, rows), columns)) {}

/// Tiles stand side by side in a band of rows, bands in a slab of planes, and slabs in the grid. The last of each may
/// be smaller.
tiles::place tiles::find(std::uint64_t cell) const noexcept {
  place at{};
  tile& t = at.tile;
  const std::uint64_t slab = cell / rows_ / columns_ / planes_in_a_tile;
  t.first_plane = slab * planes_in_a_tile;
  t.planes = std::min(planes_in_a_tile, planes_ - t.first_plane);
  cell -= t.first_plane * rows_ * columns_;

  const std::uint64_t row_of_tiles = t.planes * columns_;  // cells in one row of the slab
  const std::uint64_t band = cell / row_of_tiles / rows_in_a_tile;
  t.first_row = band * rows_in_a_tile;
  t.rows = std::min(rows_in_a_tile, rows_ - t.first_row);
  cell -= t.first_row * row_of_tiles;

  const std::uint64_t column_of_tile = t.planes * t.rows;
  t.first_column = cell / column_of_tile / columns_in_a_tile * columns_in_a_tile;
  t.columns = std::min(columns_in_a_tile, columns_ - t.first_column);
  cell -= t.first_column * column_of_tile;

  at.column = cell % t.columns;
  at.row = cell / t.columns % t.rows;
  at.plane = cell / t.columns / t.rows;
  return at;
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
