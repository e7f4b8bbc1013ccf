// Searches by number: what find_if, any_of and their like have in common.
#pragma once

#include <dozer/detail/blocks.hpp>
#include <dozer/detail/elements.hpp>
#include <dozer/detail/find_cheap.hpp>
#include <dozer/detail/kept_closure.hpp>
#include <dozer/detail/requirements.hpp>
#include <dozer/loop_options.hpp>
#include <dozer/named.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

namespace dozer::inline DOZER_PLATFORM::detail {

/// The number of the first element, or of any one, whose projection the predicate takes for `wanted`, else `count`.
template <bool wanted, hit which = hit::first, class I, class F, class Proj>
[[nodiscard]] std::uint64_t find_number(const I& first, std::uint64_t count, F& pred, Proj& proj,
                                        const loop_options& options) {
  static_assert(needs_projection<Proj, I>());
  static_assert(needs_predicate<F, projected_t<I, Proj>>());
  const auto begin = detail::plain(first);
  const auto find = [&](std::uint64_t from, std::uint64_t to) {
    in_block<F> p = pred;
    in_block<Proj> key = proj;
    const auto at = after(begin, from), end = after(begin, to);
    return from + count_of(at, std::find_if(at, end, [&](auto&& element) {
                             return static_cast<bool>(std::invoke(
                                        p, std::invoke(key, std::forward<decltype(element)>(element)))) == wanted;
                           }));
  };
  return detail::first_hit<false, which>(count, find, options, detail::name_of(pred));
}

/// The number of the first element whose projection equals the value, else `count`.
template <class I, class T, class Proj>
[[nodiscard]] std::uint64_t find_equal(const I& first, std::uint64_t count, const T& value, Proj& proj,
                                       const loop_options& options) {
  static_assert(needs_projection<Proj, I>());
  static_assert(needs_equality<std::equal_to<>, projected_t<I, Proj>, const T&>());
  if constexpr (is_cheap<plain_t<I>, Proj> && std::is_scalar_v<T>) {
    const auto begin = detail::plain(first);
    const auto find = [begin, value](std::uint64_t from, std::uint64_t to) {
      return detail::find_cheap<std::iter_value_t<I>>(from, to,
                                                      [begin, value](std::uint64_t k) { return begin[k] == value; });
    };
    return detail::first_hit<true>(count, find, options);
  } else {
    auto equals = [&value](const auto& element) { return static_cast<bool>(element == value); };
    return detail::find_number<true>(first, count, equals, proj, options);
  }
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
