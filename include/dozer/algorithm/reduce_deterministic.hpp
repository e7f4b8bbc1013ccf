// A reduction with the same result, to the last bit, whatever the number of threads.
#pragma once

#include <dozer/algorithm/reduce.hpp>
#include <dozer/detail/elements.hpp>
#include <dozer/detail/fold.hpp>
#include <dozer/detail/mapped.hpp>
#include <dozer/detail/range_access.hpp>
#include <dozer/detail/reduction.hpp>
#include <dozer/detail/requirements.hpp>
#include <dozer/loop_options.hpp>
#include <dozer/named.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

namespace dozer::inline DOZER_PLATFORM {

namespace detail {

/// Combines values along a tree that the number of units alone decides: a node stands for 2^k units from a multiple of
/// 2^k on. A stretch of units is a list of the largest nodes that fit into it, like the digits of a binary counter.
template <class T, class Op, class Reduction>
class tree_reduction {
 public:
  struct node {
    node(std::uint64_t from, std::uint64_t units, T&& of_them) : first(from), size(units), what(std::move(of_them)) {}
    std::uint64_t first, size;
    T what;
  };
  using nodes = std::vector<node>;

  tree_reduction(Op& op, const Reduction& units) noexcept : op_(op), units_(units) {}

  [[nodiscard]] nodes begin(std::uint64_t first, std::uint64_t last) const {
    constexpr std::size_t usual = 16;
    nodes made;
    made.reserve(usual);
    add(made, first, last);
    return made;
  }
  void add(nodes& to, std::uint64_t first, std::uint64_t last) const {
    while (first != last) {
      const std::uint64_t fits = std::bit_floor(last - first);
      const std::uint64_t size = first == 0 ? fits : std::min(fits, first & (0 - first));
      append(to, first, size, reduce_node(first, size));
      first += size;
    }
  }
  [[nodiscard]] nodes merge(nodes&& a, nodes&& b) const {
    for (node& n : b) {
      append(a, n.first, n.size, std::move(n.what));
    }
    return std::move(a);
  }
  /// Of all units.
  [[nodiscard]] T root(nodes&& all) const {
    T what = std::move(all.back().what);
    for (std::size_t i = all.size() - 1; i-- != 0;) {
      what = combine(std::move(all[i].what), std::move(what));
    }
    return what;
  }
  /// One copy of the code for all units: in another place the compiler may choose other instructions, with other bits.
  [[nodiscard, gnu::noinline]] T reduce_unit(std::uint64_t unit) const { return units_.begin(unit, unit + 1); }

 private:
  /// One copy, as above: a multiplication in one call and an addition in the next may become one instruction.
  [[nodiscard, gnu::noinline]] T combine(T&& a, T&& b) const { return static_cast<T>(op_(std::move(a), std::move(b))); }
  [[nodiscard]] T reduce_node(std::uint64_t first, std::uint64_t size) const {
    if (size == 1) {
      return reduce_unit(first);
    }
    T left = reduce_node(first, size / 2);
    return combine(std::move(left), reduce_node(first + size / 2, size / 2));
  }
  void append(nodes& to, std::uint64_t first, std::uint64_t size, T what) const {
    while (!to.empty()) {
      node& left = to.back();
      const bool are_one = left.size == size && (left.first & (2 * size - 1)) == 0 &&
                           left.first + size == first;  // not so if a stop has left a gap
      if (!are_one) {
        break;
      }
      what = combine(std::move(left.what), std::move(what));
      first = left.first;
      size *= 2;
      to.pop_back();
    }
    to.emplace_back(first, size, std::move(what));
  }

  Op& op_;
  const Reduction& units_;
};

/// How many elements a unit has. A unit costs some nanoseconds, so it has one element only if there are few: the
/// operation may be dear, and then all threads must find something to do. There are five to ten units of few elements.
[[nodiscard]] constexpr std::uint64_t unit_of_tree(std::uint64_t count, bool cheap) noexcept {
  constexpr std::uint64_t many = 4096, units_of_few = 5, units_of_many = 64, most = 1024;
  const std::uint64_t fits = std::bit_floor(count / (count < many ? units_of_few : units_of_many));
  return cheap ? few_cheap_elements : std::clamp<std::uint64_t>(fits, 1, most);
}

}  // namespace detail

/// Like reduce, but how elements are grouped depends only on their number and their type, on the operation and on the
/// type of the result. So a sum of floating-point numbers is the same, to the last bit, for any number of threads, any
/// grain and any schedule. Extra memory: log2(count) values for each thread.
template <class I, class S, class T, class Op>
requires detail::iterator_pair<I, S>
[[nodiscard]] T reduce_deterministic(I first, S last, T init, Op op, const loop_options& options = default_options) {
  static_assert(detail::needs_random_access<I, S>());
  static_assert(detail::needs_reduction<T, Op, std::iter_reference_t<I>>());
  constexpr bool cheap = detail::is_cheap<detail::plain_t<I>, Op> && std::is_arithmetic_v<T>;
  std::identity same;
  const detail::mapped all(same, detail::plain(first));
  using reduction = detail::reduction<T, Op, std::remove_const_t<decltype(all)>>;
  const std::uint64_t count = detail::count_of(first, last);
  const std::uint64_t unit = std::max(std::min(detail::unit_of_tree(count, cheap), count), reduction::least_unit);
  if (count < unit) {  // no element, or one that cannot be held alone
    return detail::reduce_elements<cheap>(count, std::move(init), op, all, options, nullptr);
  }
  const reduction units(op, all, count, unit);
  const detail::tree_reduction<T, Op, reduction> tree(op, units);
  if (units.units() == 1) {
    return options.stop.stop_requested() ? std::move(init) : units.merge(std::move(init), tree.reduce_unit(0));
  }
  // A unit has many elements if they are cheap, so the loop must not take units for cheap.
  auto nodes = detail::fold<typename detail::tree_reduction<T, Op, reduction>::nodes, false>(
      units.units(), tree, options, detail::name_of(op), cheap ? units.units() : count);
  return nodes ? units.merge(std::move(init), tree.root(std::move(*nodes))) : std::move(init);
}
template <class I, class S, class T>
requires detail::iterator_pair<I, S>
[[nodiscard]] T reduce_deterministic(I first, S last, T init, const loop_options& options = default_options) {
  return dozer::reduce_deterministic(std::move(first), std::move(last), std::move(init), std::plus<>(), options);
}
template <class I, class S>
requires detail::iterator_pair<I, S>
[[nodiscard]] std::iter_value_t<I> reduce_deterministic(I first, S last,
                                                        const loop_options& options = default_options) {
  return dozer::reduce_deterministic(std::move(first), std::move(last), std::iter_value_t<I>(), std::plus<>(), options);
}
template <std::ranges::range R, detail::value_argument<R> T, class Op>
[[nodiscard]] T reduce_deterministic(R&& range, T init, Op op, const loop_options& options = default_options) {
  return dozer::reduce_deterministic(std::ranges::begin(range), std::ranges::end(range), std::move(init), std::move(op),
                                     options);
}
template <std::ranges::range R, detail::value_argument<R> T>
[[nodiscard]] T reduce_deterministic(R&& range, T init, const loop_options& options = default_options) {
  return dozer::reduce_deterministic(std::ranges::begin(range), std::ranges::end(range), std::move(init), std::plus<>(),
                                     options);
}
template <std::ranges::range R>
[[nodiscard]] std::ranges::range_value_t<R> reduce_deterministic(R&& range,
                                                                 const loop_options& options = default_options) {
  return dozer::reduce_deterministic(std::ranges::begin(range), std::ranges::end(range),
                                     std::ranges::range_value_t<R>(), std::plus<>(), options);
}

}  // namespace dozer::inline DOZER_PLATFORM
