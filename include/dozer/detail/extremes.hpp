// The smallest and the largest element: what min_element and its like have in common.
#pragma once

#include <dozer/detail/elements.hpp>
#include <dozer/detail/extreme_numbers.hpp>
#include <dozer/detail/fold.hpp>
#include <dozer/detail/kept_closure.hpp>
#include <dozer/detail/merging.hpp>
#include <dozer/detail/requirements.hpp>
#include <dozer/loop_options.hpp>
#include <dozer/named.hpp>

#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

namespace dozer::inline DOZER_PLATFORM::detail {

/// Compares the elements at two iterators, for the time of a block.
template <class I, class Compare, class Proj>
class ranking {
 public:
  ranking(Compare& comp, Proj& proj) : comp_(comp), proj_(proj) {}
  [[nodiscard]] DOZER_HOT bool is_less(const I& a, const I& b) {
    return static_cast<bool>(std::invoke(comp_, std::invoke(proj_, *a), std::invoke(proj_, *b)));
  }

 private:
  in_block<Compare> comp_;
  in_block<Proj> proj_;
};

/// Of equal ones the first.
template <bool largest, class I, class Compare, class Proj>
struct extreme {
  const I& first;
  Compare& comp;
  Proj& proj;

  [[nodiscard]] std::uint64_t begin(std::uint64_t from, std::uint64_t to) const {
    std::uint64_t best = from;
    add(best, from + 1, to);
    return best;
  }
  void add(std::uint64_t& best, std::uint64_t from, std::uint64_t to) const {
    ranking<I, Compare, Proj> by(comp, proj);
    I leads = after(first, best);
    const I end = after(first, to);
    for (I at = after(first, from); at != end; ++at) {
      if (largest ? by.is_less(leads, at) : by.is_less(at, leads)) {
        leads = at;
      }
    }
    best = count_of(first, leads);
  }
  [[nodiscard]] std::uint64_t merge(std::uint64_t a, std::uint64_t b) const {
    add(a, b, b + 1);
    return a;
  }
};

/// The number of the smallest or largest element; `count` without elements.
template <bool largest, class I, class Compare, class Proj>
[[nodiscard]] std::uint64_t find_extreme(const I& first, std::uint64_t count, Compare& comp, Proj& proj,
                                         const loop_options& options) {
  if (count == 0) {
    return count;
  }
  const auto begin = detail::plain(first);
  if constexpr (are_numbers_in_order<plain_t<I>, Compare, Proj>) {
    const extreme_number<largest, std::iter_value_t<I>> how{begin};
    return detail::fold<std::uint64_t, true>(count, how, options).value_or(count);
  } else {
    const extreme<largest, plain_t<I>, Compare, Proj> how{begin, comp, proj};
    return detail::fold<std::uint64_t, is_cheap<plain_t<I>, Compare, Proj>>(count, how, options, detail::name_of(comp))
        .value_or(count);
  }
}

/// Numbers of elements, or iterators.
template <class At = std::uint64_t>
struct least_and_most {
  At least, most;
};

/// The first one of the smallest, the last one of the largest. Takes two elements at a time: they are compared with
/// each other, and then only the smaller one can be the smallest.
template <class I, class Compare, class Proj>
struct extremes {
  const I& first;
  std::uint64_t count;
  Compare& comp;
  Proj& proj;

  [[nodiscard]] std::uint64_t pairs() const noexcept { return count / 2; }
  [[nodiscard]] least_and_most<> begin(std::uint64_t from, std::uint64_t to) const {
    ranks by(comp, proj);
    least_and_most<I> found = both(by, after(first, 2 * from));
    add_pairs(by, found, from + 1, to);
    return numbers_of(found);
  }
  void add(least_and_most<>& found, std::uint64_t from, std::uint64_t to) const {
    ranks by(comp, proj);
    least_and_most<I> so_far{after(first, found.least), after(first, found.most)};
    add_pairs(by, so_far, from, to);
    found = numbers_of(so_far);
  }
  [[nodiscard]] least_and_most<> merge(const least_and_most<>& a, const least_and_most<>& b) const {
    ranks by(comp, proj);
    least_and_most<I> found{after(first, a.least), after(first, a.most)};
    add_later(by, found, {after(first, b.least), after(first, b.most)});
    return numbers_of(found);
  }

 private:
  using ranks = ranking<I, Compare, Proj>;

  [[nodiscard]] least_and_most<> numbers_of(const least_and_most<I>& found) const {
    return {count_of(first, found.least), count_of(first, found.most)};
  }
  [[nodiscard]] static least_and_most<I> both(ranks& by, const I& at) {
    const I next = after(at, 1);
    const bool falls = by.is_less(next, at);
    if constexpr (std::is_pointer_v<I>) {
      return {one_of(falls, next, at), one_of(falls, at, next)};  // which one it is cannot be foreseen
    } else {
      return falls ? least_and_most<I>{next, at} : least_and_most<I>{at, next};
    }
  }
  static void add_later(ranks& by, least_and_most<I>& found, const least_and_most<I>& later) {
    if (by.is_less(later.least, found.least)) {
      found.least = later.least;
    }
    if (!by.is_less(later.most, found.most)) {
      found.most = later.most;
    }
  }
  void add_pairs(ranks& by, least_and_most<I>& found, std::uint64_t from, std::uint64_t to) const {
    const I end = after(first, 2 * to);
    for (I at = after(first, 2 * from); at != end; at += 2) {
      add_later(by, found, both(by, at));
    }
    if (to == pairs() && count % 2 != 0) {
      add_later(by, found, {end, end});
    }
  }
};

/// The same for numbers that stand in memory, without comparing two by two.
template <class T>
struct extreme_numbers {
  extreme_number<false, T> least;
  last_largest<T> most;

  [[nodiscard]] least_and_most<> begin(std::uint64_t from, std::uint64_t to) const noexcept {
    least_and_most<> found{from, from};
    add(found, from + 1, to);
    return found;
  }
  void add(least_and_most<>& found, std::uint64_t from, std::uint64_t to) const noexcept {
    for_cached(from, to, [&](std::uint64_t begin, std::uint64_t end) {
      least.add(found.least, begin, end);
      most.add(found.most, begin, end);
    });
  }
  [[nodiscard]] least_and_most<> merge(least_and_most<> a, const least_and_most<>& b) const noexcept {
    least.add(a.least, b.least, b.least + 1);
    most.add(a.most, b.most, b.most + 1);
    return a;
  }
};

/// The numbers of both; `count` without elements.
template <class I, class Compare, class Proj>
[[nodiscard]] least_and_most<> find_extremes(const I& first, std::uint64_t count, Compare& comp, Proj& proj,
                                             const loop_options& options) {
  if (count < 2) {
    return {0, 0};
  }
  const auto begin = detail::plain(first);
  const least_and_most<> none{count, count};
  if constexpr (are_numbers_in_order<plain_t<I>, Compare, Proj>) {
    using number = std::iter_value_t<I>;
    const extreme_numbers<number> how{{begin}, {begin}};
    return detail::fold<least_and_most<>, true>(count, how, options).value_or(none);
  } else {
    const extremes<plain_t<I>, Compare, Proj> how{begin, count, comp, proj};
    return detail::fold<least_and_most<>, is_cheap<plain_t<I>, Compare, Proj>>(how.pairs(), how, options,
                                                                               detail::name_of(comp), count)
        .value_or(none);
  }
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
