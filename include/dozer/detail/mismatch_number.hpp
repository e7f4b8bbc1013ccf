// Where two ranges differ, by number: what equal and mismatch have in common.
#pragma once

#include <dozer/detail/blocks.hpp>
#include <dozer/detail/elements.hpp>
#include <dozer/detail/find_cheap.hpp>
#include <dozer/detail/kept_closure.hpp>
#include <dozer/detail/requirements.hpp>
#include <dozer/loop_options.hpp>
#include <dozer/named.hpp>

#include <cstdint>
#include <functional>
#include <iterator>
#include <type_traits>

namespace dozer::inline DOZER_PLATFORM::detail {

/// The number of the first two elements, or of any two, for which the predicate does not hold, else `count`.
template <hit which, class I1, class I2, class Pred, class Proj1, class Proj2>
[[nodiscard]] std::uint64_t find_mismatch(const I1& first1, const I2& first2, std::uint64_t count, Pred& pred,
                                          Proj1& proj1, Proj2& proj2, const loop_options& options) {
  static_assert(needs_random_access<I2, I2>());
  static_assert(needs_projection<Proj1, I1>());
  static_assert(needs_projection<Proj2, I2>());
  static_assert(needs_equality<Pred, projected_t<I1, Proj1>, projected_t<I2, Proj2>>());
  constexpr bool cheap = is_cheap<plain_t<I1>, Pred, Proj1> && is_cheap<plain_t<I2>, Proj2>;
  const auto find = [&, begin1 = detail::plain(first1), begin2 = detail::plain(first2)](std::uint64_t from,
                                                                                        std::uint64_t to) {
    in_block<Pred> equals = pred;
    if constexpr (cheap) {
      return detail::find_cheap<std::iter_value_t<I1>>(from, to,
                                                       [=](std::uint64_t k) { return !equals(begin1[k], begin2[k]); });
    } else {
      in_block<Proj1> key1 = proj1;
      in_block<Proj2> key2 = proj2;
      auto at1 = after(begin1, from);
      auto at2 = after(begin2, from);
      for (; from != to; ++from, ++at1, ++at2) {
        if (!static_cast<bool>(std::invoke(equals, std::invoke(key1, *at1), std::invoke(key2, *at2)))) {
          break;
        }
      }
      return from;
    }
  };
  return detail::first_hit<cheap, which>(count, find, options, detail::name_of(pred));
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
