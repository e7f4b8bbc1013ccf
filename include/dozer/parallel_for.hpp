// Loops whose iterations may run in parallel: over indices, elements, blocks of indices, and the cells of a grid.
#pragma once

#include <dozer/detail/kept_closure.hpp>
#include <dozer/detail/loop.hpp>
#include <dozer/detail/loop_requirements.hpp>
#include <dozer/detail/range_access.hpp>
#include <dozer/detail/tiles.hpp>
#include <dozer/loop_options.hpp>
#include <dozer/named.hpp>

#include <concepts>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

namespace dozer::inline DOZER_PLATFORM {

namespace detail {

// Indices are called for as f(i), not by std::invoke: f is no pointer to a member, and there is less to compile.

template <class Index, class F>
struct index_body {
  F f;
  std::uint64_t from;
  DOZER_HOT void operator()(std::uint64_t i) const { static_cast<void>(f(static_cast<Index>(from + i))); }
};

template <class I, class F>
struct element_body {
  F f;
  I first;
  DOZER_HOT void operator()(std::uint64_t i) const {
    static_cast<void>(std::invoke(f, first[static_cast<std::iter_difference_t<I>>(i)]));
  }
};

template <class Index, class F>
struct index_block_body {
  F f;
  std::uint64_t from;
  DOZER_HOT void operator()(std::uint64_t first, std::uint64_t last) const {
    static_cast<void>(f(static_cast<Index>(from + first), static_cast<Index>(from + last)));
  }
};

/// How many iterations there are from first to before last, with the first one as an unsigned number: the difference of
/// two signed ones may need the sign bit.
struct index_range {
  template <class Index>
  index_range(Index first, Index last) noexcept
      : from(static_cast<std::uint64_t>(first)), count(first < last ? static_cast<std::uint64_t>(last) - from : 0) {}
  std::uint64_t from, count;
};

template <class Index>
concept loop_index = std::integral<Index> && sizeof(Index) <= sizeof(std::uint64_t);

/// Of a dimension; negative ones are empty.
template <class Index>
[[nodiscard]] std::uint64_t extent(Index n) noexcept {
  return n > 0 ? static_cast<std::uint64_t>(n) : 0;
}

/// For each block of cells of a grid.
template <class F>
struct cells_body {
  const tiles& grid;
  F f;
  DOZER_HOT void operator()(std::uint64_t first, std::uint64_t last) const { grid.visit(first, last, f); }
};

template <class Cell>
void run_loop_over_cells(const tiles& grid, const Cell& cell, const char* name, const loop_options& options) {
  if (grid.cells() != 0) {
    using body = cells_body<std::conditional_t<is_kept_by_value<Cell>, const Cell, const Cell&>>;
    const body each{grid, cell};
    detail::run_loop(by_blocks<body>, std::addressof(each), grid.cells(), options, name);
  }
}

}  // namespace detail

/// f(i) for each i from first to before last, in any order and possibly in parallel; i has the type that both have in
/// common, and if first >= last there is nothing to do. Iterations must not wait for each other. If calls throw, one of
/// the exceptions leaves when all that was begun has ended; what has not begun is not run then.
template <std::integral A, std::integral B, class F>
void parallel_for(A first, B last, F&& f, const loop_options& options = default_options) {
  using index = std::common_type_t<A, B>;
  static_assert(detail::loop_index<index>, "dozer: an index of a loop has at most 64 bits");
  static_assert(detail::needs_function_of_indices<F, index>());
  if (const detail::index_range all(static_cast<index>(first), static_cast<index>(last)); all.count != 0) {
    using body = detail::index_body<index, detail::kept_closure<F, index>>;
    const body each{f, all.from};
    detail::run_loop(detail::by_iterations<body>, std::addressof(each), all.count, options, detail::name_of(f));
  }
}

/// f(*i) for each i of a range.
template <class I, class S, class F>
requires detail::iterator_pair<I, S>
void parallel_for(I first, S last, F&& f, const loop_options& options = default_options) {
  static_assert(detail::needs_random_access<I, S>());
  static_assert(detail::needs_separate_elements<I>());
  static_assert(detail::needs_function<F, std::iter_reference_t<I>>());
  const auto count = last - first;
  if (count > 0) {
    using body = detail::element_body<I, detail::kept_closure<F, std::iter_reference_t<I>>>;
    const body each{f, first};
    detail::run_loop(detail::by_iterations<body>, std::addressof(each), static_cast<std::uint64_t>(count), options,
                     detail::name_of(f));
  }
}
template <std::ranges::range R, class F>
void parallel_for(R&& range, F&& f, const loop_options& options = default_options) {
  dozer::parallel_for(std::ranges::begin(range), std::ranges::end(range), std::forward<F>(f), options);
}

/// f(b, e) for blocks of indices that together make up those from first to before last. For inner loops that vectorise,
/// or need a buffer: a block takes some microseconds, or has as many iterations as options.grain says.
template <std::integral A, std::integral B, class F>
void parallel_for_blocks(A first, B last, F&& f, const loop_options& options = default_options) {
  using index = std::common_type_t<A, B>;
  static_assert(detail::loop_index<index>, "dozer: an index of a loop has at most 64 bits");
  static_assert(detail::needs_function_of_indices<F, index, index>());
  if (const detail::index_range all(static_cast<index>(first), static_cast<index>(last)); all.count != 0) {
    using body = detail::index_block_body<index, detail::kept_closure<F, index, index>>;
    const body each{f, all.from};
    detail::run_loop(detail::by_blocks<body>, std::addressof(each), all.count, options, detail::name_of(f));
  }
}

/// f(i, j) for each row i and column j, from 0 on, by tiles: cells that lie close to each other, in either direction,
/// run one after the other. Throws std::length_error for 2^64 cells or more.
template <detail::loop_index I, detail::loop_index J, class F>
void parallel_for_2d(I rows, J columns, F&& f, const loop_options& options = default_options) {
  static_assert(detail::needs_function_of_indices<F, I, J>());
  using closure = detail::kept_closure<F, I, J>;
  struct cell {
    closure f;
    DOZER_HOT void operator()(std::uint64_t, std::uint64_t i, std::uint64_t j) const {
      static_cast<void>(f(static_cast<I>(i), static_cast<J>(j)));
    }
  };
  const detail::tiles grid(1, detail::extent(rows), detail::extent(columns));
  detail::run_loop_over_cells(grid, cell{f}, detail::name_of(f), options);
}

/// The same with three indices.
template <detail::loop_index I, detail::loop_index J, detail::loop_index K, class F>
void parallel_for_3d(I planes, J rows, K columns, F&& f, const loop_options& options = default_options) {
  static_assert(detail::needs_function_of_indices<F, I, J, K>());
  using closure = detail::kept_closure<F, I, J, K>;
  struct cell {
    closure f;
    DOZER_HOT void operator()(std::uint64_t i, std::uint64_t j, std::uint64_t k) const {
      static_cast<void>(f(static_cast<I>(i), static_cast<J>(j), static_cast<K>(k)));
    }
  };
  const detail::tiles grid(detail::extent(planes), detail::extent(rows), detail::extent(columns));
  detail::run_loop_over_cells(grid, cell{f}, detail::name_of(f), options);
}

}  // namespace dozer::inline DOZER_PLATFORM
