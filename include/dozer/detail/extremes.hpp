// The smallest and the largest element, by their numbers.
#pragma once

#include <dozer/detail/elements.hpp>
#include <dozer/detail/fold.hpp>
#include <dozer/detail/kept_closure.hpp>
#include <dozer/detail/requirements.hpp>
#include <dozer/loop_options.hpp>
#include <dozer/named.hpp>

#include <cstdint>
#include <functional>
#include <utility>

namespace dozer::inline DOZER_PLATFORM::detail {

/// Compares elements by their numbers.
template <class I, class Compare, class Proj>
class order_of {
 public:
  order_of(const I& first, Compare& comp, Proj& proj) : first_(first), comp_(comp), proj_(proj) {}
  [[nodiscard]] DOZER_HOT bool is_less(std::uint64_t a, std::uint64_t b) {
    return static_cast<bool>(
        std::invoke(comp_, std::invoke(proj_, first_[difference(a)]), std::invoke(proj_, first_[difference(b)])));
  }

 private:
  [[nodiscard]] static auto difference(std::uint64_t n) noexcept { return static_cast<std::iter_difference_t<I>>(n); }

  I first_;
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
    add(from, from + 1, to);
    return from;
  }
  void add(std::uint64_t& best, std::uint64_t from, std::uint64_t to) const {
    order_of<I, Compare, Proj> ranking(first, comp, proj);
    std::uint64_t leads = best;
    for (; from != to; ++from) {
      if (largest ? ranking.is_less(leads, from) : ranking.is_less(from, leads)) {
        leads = from;
      }
    }
    best = leads;
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
  const auto begin = plain(first);
  const extreme<largest, plain_t<I>, Compare, Proj> how{begin, comp, proj};
  return fold<std::uint64_t, is_cheap<plain_t<I>, Compare, Proj>>(count, how, options, name_of(comp)).value_or(count);
}

struct least_and_most {
  std::uint64_t least, most;
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
  [[nodiscard]] least_and_most begin(std::uint64_t from, std::uint64_t to) const {
    order_of<I, Compare, Proj> ranking(first, comp, proj);
    least_and_most found = both(ranking, 2 * from);
    add_rest(ranking, found, from + 1, to);
    return found;
  }
  void add(least_and_most& found, std::uint64_t from, std::uint64_t to) const {
    order_of<I, Compare, Proj> ranking(first, comp, proj);
    add_rest(ranking, found, from, to);
  }
  [[nodiscard]] least_and_most merge(least_and_most a, const least_and_most& b) const {
    order_of<I, Compare, Proj> ranking(first, comp, proj);
    add_later(ranking, a, b);
    return a;
  }

 private:
  using ranking_type = order_of<I, Compare, Proj>;

  [[nodiscard]] static least_and_most both(ranking_type& ranking, std::uint64_t k) {
    return ranking.is_less(k + 1, k) ? least_and_most{k + 1, k} : least_and_most{k, k + 1};
  }
  static void add_later(ranking_type& ranking, least_and_most& found, const least_and_most& later) {
    if (ranking.is_less(later.least, found.least)) {
      found.least = later.least;
    }
    if (!ranking.is_less(later.most, found.most)) {
      found.most = later.most;
    }
  }
  void add_rest(ranking_type& ranking, least_and_most& found, std::uint64_t from, std::uint64_t to) const {
    least_and_most so_far = found;
    for (; from != to; ++from) {
      add_later(ranking, so_far, both(ranking, 2 * from));
    }
    if (to == pairs() && count % 2 != 0) {
      add_later(ranking, so_far, {count - 1, count - 1});
    }
    found = so_far;
  }
};

/// The numbers of both; `count` without elements.
template <class I, class Compare, class Proj>
[[nodiscard]] least_and_most find_extremes(const I& first, std::uint64_t count, Compare& comp, Proj& proj,
                                           const loop_options& options) {
  if (count < 2) {
    return {0, 0};
  }
  const auto begin = plain(first);
  const extremes<plain_t<I>, Compare, Proj> how{begin, count, comp, proj};
  return fold<least_and_most, is_cheap<plain_t<I>, Compare, Proj>>(how.pairs(), how, options, name_of(comp))
      .value_or(least_and_most{count, count});
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
