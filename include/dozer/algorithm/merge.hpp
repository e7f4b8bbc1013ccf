// merge.
#pragma once

#include <dozer/detail/blocks.hpp>
#include <dozer/detail/digit_key.hpp>
#include <dozer/detail/kept_closure.hpp>
#include <dozer/detail/merging.hpp>
#include <dozer/detail/range_access.hpp>
#include <dozer/detail/requirements.hpp>
#include <dozer/loop_options.hpp>
#include <dozer/named.hpp>

#include <cstdint>
#include <functional>
#include <iterator>
#include <utility>

namespace dozer::inline DOZER_PLATFORM {

namespace detail {

/// less(b, a), each after its own projection.
template <class Compare, class ProjA, class ProjB>
struct second_before_first {
  in_block<Compare> compare;
  in_block<ProjA> key_a;
  in_block<ProjB> key_b;

  template <class B, class A>
  DOZER_HOT bool operator()(B&& b, A&& a) {
    return static_cast<bool>(
        std::invoke(compare, std::invoke(key_b, std::forward<B>(b)), std::invoke(key_a, std::forward<A>(a))));
  }
};

/// A part of the loop over the output cuts the ranges once, and goes on from there.
template <bool cheap, class A, class B, class Out, class Less>
void merge_ranges(const merge_inputs<A, B>& all, const Out& out, Less less, const loop_options& options,
                  const char* name) {
  const auto go_on = [&](merge_inputs<A, B>& in, std::uint64_t first, std::uint64_t last) {
    Out to = after(out, first);
    detail::merge_until(in, to, after(out, last), less, [](const auto& i) -> decltype(auto) { return *i; });
  };
  const auto begin = [&](std::uint64_t first, std::uint64_t last) {
    const std::uint64_t from_a = detail::cut_of(all, first, less);
    merge_inputs<A, B> in{after(all.a, from_a), all.a_end, after(all.b, first - from_a), all.b_end};
    go_on(in, first, last);
    return in;
  };
  if (cheap && all.left() <= few_to_order) {
    if (!options.stop.stop_requested()) {
      merge_inputs<A, B> in = all;
      go_on(in, 0, all.left());
    }
    return;
  }
  gathered<merge_inputs<A, B>> parts;
  gather(all.left(), begin, go_on, parts, options, name);
}

}  // namespace detail

/// Copies two sorted ranges to one that is sorted. Of equal elements those of the first range come first, and each
/// range keeps its order. The output must not overlap with either. Returns its end. If a stop is requested, some
/// elements of the output are left as they were. Extra memory: some words for each part that another thread has stolen.
template <class A, class SA, class B, class SB, class Out, class Compare = std::ranges::less,
          class ProjA = std::identity, class ProjB = std::identity>
requires detail::iterator_pair<A, SA> && detail::iterator_pair<B, SB> Out
merge(A first1, SA last1, B first2, SB last2, Out out, Compare compare = {}, ProjA proj1 = {}, ProjB proj2 = {},
      const loop_options& options = default_options) {
  static_assert(detail::needs_random_access<A, SA>());
  static_assert(detail::needs_random_access<B, SB>());
  static_assert(detail::needs_output<Out, std::iter_reference_t<A>>());
  static_assert(detail::needs_output<Out, std::iter_reference_t<B>>());
  static_assert(detail::needs_projection<ProjA, A>());
  static_assert(detail::needs_projection<ProjB, B>());
  static_assert(detail::needs_order<Compare, detail::projected_t<B, ProjB>, detail::projected_t<A, ProjA>>());
  const std::uint64_t count1 = detail::count_of(first1, last1), count2 = detail::count_of(first2, last2);
  const detail::merge_inputs<A, B> all{first1, detail::after(first1, count1), first2, detail::after(first2, count2)};
  constexpr bool cheap = detail::is_cheap_order<A, Compare, ProjA>() && detail::is_cheap_order<B, Compare, ProjB>();
  detail::merge_ranges<cheap>(all, out, detail::second_before_first<Compare, ProjA, ProjB>{compare, proj1, proj2},
                              options, detail::name_of(compare));
  return detail::after(out, count1 + count2);
}
template <class A, class SA, class B, class SB, class Out, class Compare = std::ranges::less, class ProjA>
requires detail::iterator_pair<A, SA> && detail::iterator_pair<B, SB> Out merge(A first1, SA last1, B first2, SB last2,
                                                                                Out out, Compare compare, ProjA proj1,
                                                                                const loop_options& options) {
  return dozer::merge(std::move(first1), std::move(last1), std::move(first2), std::move(last2), std::move(out),
                      std::move(compare), std::move(proj1), {}, options);
}
template <class A, class SA, class B, class SB, class Out, class Compare = std::ranges::less>
requires detail::iterator_pair<A, SA> && detail::iterator_pair<B, SB> Out merge(A first1, SA last1, B first2, SB last2,
                                                                                Out out, Compare compare,
                                                                                const loop_options& options) {
  return dozer::merge(std::move(first1), std::move(last1), std::move(first2), std::move(last2), std::move(out),
                      std::move(compare), {}, {}, options);
}
template <class A, class SA, class B, class SB, class Out>
requires detail::iterator_pair<A, SA> && detail::iterator_pair<B, SB> Out merge(A first1, SA last1, B first2, SB last2,
                                                                                Out out, const loop_options& options) {
  return dozer::merge(std::move(first1), std::move(last1), std::move(first2), std::move(last2), std::move(out), {}, {},
                      {}, options);
}
template <std::ranges::range A, std::ranges::range B, class Out, class Compare = std::ranges::less,
          class ProjA = std::identity, class ProjB = std::identity>
Out merge(A&& range1, B&& range2, Out out, Compare compare = {}, ProjA proj1 = {}, ProjB proj2 = {},
          const loop_options& options = default_options) {
  return dozer::merge(std::ranges::begin(range1), std::ranges::end(range1), std::ranges::begin(range2),
                      std::ranges::end(range2), std::move(out), std::move(compare), std::move(proj1), std::move(proj2),
                      options);
}
template <std::ranges::range A, std::ranges::range B, class Out, class Compare = std::ranges::less, class ProjA>
Out merge(A&& range1, B&& range2, Out out, Compare compare, ProjA proj1, const loop_options& options) {
  return dozer::merge(range1, range2, std::move(out), std::move(compare), std::move(proj1), {}, options);
}
template <std::ranges::range A, std::ranges::range B, class Out, class Compare = std::ranges::less>
Out merge(A&& range1, B&& range2, Out out, Compare compare, const loop_options& options) {
  return dozer::merge(range1, range2, std::move(out), std::move(compare), {}, {}, options);
}
template <std::ranges::range A, std::ranges::range B, class Out>
Out merge(A&& range1, B&& range2, Out out, const loop_options& options) {
  return dozer::merge(range1, range2, std::move(out), {}, {}, {}, options);
}

}  // namespace dozer::inline DOZER_PLATFORM
