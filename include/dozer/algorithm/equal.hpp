// Whether two ranges are equal.
#pragma once

#include <dozer/detail/mismatch_number.hpp>
#include <dozer/detail/range_access.hpp>
#include <dozer/detail/requirements.hpp>
#include <dozer/loop_options.hpp>

#include <cstdint>
#include <functional>
#include <iterator>
#include <utility>

namespace dozer::inline DOZER_PLATFORM {

/// True if each element equals the one in the same place of the second range, which must be as long as the first one.
/// All threads stop soon after the first two that differ. If the search is stopped, it is false only if two differed
/// before. Extra memory: none.
template <class I1, class S1, class I2, class Pred = std::equal_to<>, class Proj1 = std::identity,
          class Proj2 = std::identity>
requires detail::iterator_pair<I1, S1> && std::input_or_output_iterator<I2> &&(!std::sentinel_for<Pred, I2>)
    [[nodiscard]] bool equal(I1 first1, S1 last1, I2 first2, Pred pred = {}, Proj1 proj1 = {}, Proj2 proj2 = {},
                             const loop_options& options = default_options) {
  static_assert(detail::needs_random_access<I1, S1>());
  const std::uint64_t count = detail::count_of(first1, last1);
  return detail::find_mismatch<detail::hit::any>(first1, first2, count, pred, proj1, proj2, options) == count;
}
template <class I1, class S1, class I2>
requires detail::iterator_pair<I1, S1> && std::input_or_output_iterator<I2>
[[nodiscard]] bool equal(I1 first1, S1 last1, I2 first2, const loop_options& options) {
  return dozer::equal(std::move(first1), std::move(last1), std::move(first2), {}, {}, {}, options);
}
template <class I1, class S1, class I2, class Pred = std::equal_to<>>
requires detail::iterator_pair<I1, S1> && std::input_or_output_iterator<I2> &&(!std::sentinel_for<Pred, I2>)
    [[nodiscard]] bool equal(I1 first1, S1 last1, I2 first2, Pred pred, const loop_options& options) {
  return dozer::equal(std::move(first1), std::move(last1), std::move(first2), std::move(pred), {}, {}, options);
}
template <class I1, class S1, class I2, class Pred = std::equal_to<>, class Proj1>
requires detail::iterator_pair<I1, S1> && std::input_or_output_iterator<I2> &&(!std::sentinel_for<Pred, I2>)
    [[nodiscard]] bool equal(I1 first1, S1 last1, I2 first2, Pred pred, Proj1 proj1, const loop_options& options) {
  return dozer::equal(std::move(first1), std::move(last1), std::move(first2), std::move(pred), std::move(proj1), {},
                      options);
}
/// The same for two ranges that are equal only if they are equally long.
template <class I1, class S1, class I2, class S2, class Pred = std::equal_to<>, class Proj1 = std::identity,
          class Proj2 = std::identity>
requires detail::iterator_pair<I1, S1> && detail::iterator_pair<I2, S2>
[[nodiscard]] bool equal(I1 first1, S1 last1, I2 first2, S2 last2, Pred pred = {}, Proj1 proj1 = {}, Proj2 proj2 = {},
                         const loop_options& options = default_options) {
  static_assert(detail::needs_random_access<I1, S1>());
  static_assert(detail::needs_random_access<I2, S2>());
  return detail::count_of(first1, last1) == detail::count_of(first2, last2) &&
         dozer::equal(std::move(first1), std::move(last1), std::move(first2), std::move(pred), std::move(proj1),
                      std::move(proj2), options);
}
template <class I1, class S1, class I2, class S2>
requires detail::iterator_pair<I1, S1> && detail::iterator_pair<I2, S2>
[[nodiscard]] bool equal(I1 first1, S1 last1, I2 first2, S2 last2, const loop_options& options) {
  return dozer::equal(std::move(first1), std::move(last1), std::move(first2), std::move(last2), {}, {}, {}, options);
}
template <class I1, class S1, class I2, class S2, class Pred = std::equal_to<>>
requires detail::iterator_pair<I1, S1> && detail::iterator_pair<I2, S2>
[[nodiscard]] bool equal(I1 first1, S1 last1, I2 first2, S2 last2, Pred pred, const loop_options& options) {
  return dozer::equal(std::move(first1), std::move(last1), std::move(first2), std::move(last2), std::move(pred), {}, {},
                      options);
}
template <class I1, class S1, class I2, class S2, class Pred = std::equal_to<>, class Proj1>
requires detail::iterator_pair<I1, S1> && detail::iterator_pair<I2, S2>
[[nodiscard]] bool equal(I1 first1, S1 last1, I2 first2, S2 last2, Pred pred, Proj1 proj1,
                         const loop_options& options) {
  return dozer::equal(std::move(first1), std::move(last1), std::move(first2), std::move(last2), std::move(pred),
                      std::move(proj1), {}, options);
}
template <std::ranges::range R1, std::ranges::range R2, class Pred = std::equal_to<>, class Proj1 = std::identity,
          class Proj2 = std::identity>
[[nodiscard]] bool equal(R1&& range1, R2&& range2, Pred pred = {}, Proj1 proj1 = {}, Proj2 proj2 = {},
                         const loop_options& options = default_options) {
  return dozer::equal(std::ranges::begin(range1), std::ranges::end(range1), std::ranges::begin(range2),
                      std::ranges::end(range2), std::move(pred), std::move(proj1), std::move(proj2), options);
}
template <std::ranges::range R1, std::ranges::range R2>
[[nodiscard]] bool equal(R1&& range1, R2&& range2, const loop_options& options) {
  return dozer::equal(std::ranges::begin(range1), std::ranges::end(range1), std::ranges::begin(range2),
                      std::ranges::end(range2), {}, {}, {}, options);
}
template <std::ranges::range R1, std::ranges::range R2, class Pred = std::equal_to<>>
[[nodiscard]] bool equal(R1&& range1, R2&& range2, Pred pred, const loop_options& options) {
  return dozer::equal(std::ranges::begin(range1), std::ranges::end(range1), std::ranges::begin(range2),
                      std::ranges::end(range2), std::move(pred), {}, {}, options);
}
template <std::ranges::range R1, std::ranges::range R2, class Pred = std::equal_to<>, class Proj1>
[[nodiscard]] bool equal(R1&& range1, R2&& range2, Pred pred, Proj1 proj1, const loop_options& options) {
  return dozer::equal(std::ranges::begin(range1), std::ranges::end(range1), std::ranges::begin(range2),
                      std::ranges::end(range2), std::move(pred), std::move(proj1), {}, options);
}

}  // namespace dozer::inline DOZER_PLATFORM
