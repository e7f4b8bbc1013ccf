// Elements set to one value, or to what a function returns.
#pragma once

#include <dozer/detail/blocks.hpp>
#include <dozer/detail/elements.hpp>
#include <dozer/detail/kept_closure.hpp>
#include <dozer/detail/requirements.hpp>
#include <dozer/loop_options.hpp>
#include <dozer/named.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

namespace dozer::inline DOZER_PLATFORM {

/// Sets each element to value. If the loop is stopped, or an assignment throws, some elements stay as they are. Extra
/// memory: none.
template <class I, class S, class T>
requires detail::iterator_pair<I, S>
void fill(I first, S last, const T& value, const loop_options& options = {}) {
  static_assert(detail::needs_random_access<I, S>());
  static_assert(detail::needs_assignable_elements<I, const T&>());
  constexpr bool cheap = detail::is_cheap<detail::plain_t<I>> && std::is_scalar_v<T>;
  const auto each = [at = detail::plain(first), &value](std::uint64_t begin, std::uint64_t end) {
    std::fill(detail::after(at, begin), detail::after(at, end), value);
  };
  detail::for_spans<cheap>(detail::count_of(first, last), each, options);
}
template <std::ranges::range R, class T>
void fill(R&& range, const T& value, const loop_options& options = {}) {
  dozer::fill(std::ranges::begin(range), std::ranges::end(range), value, options);
}

/// Sets each element to what a call of gen returns. gen is called once for each element, in any order and possibly in
/// parallel; the calls share one gen, or copies of it if it is small, so it must not count on what it did before. If
/// the loop is stopped, or a call throws, some elements stay as they are. Extra memory: none.
template <class I, class S, class F>
requires detail::iterator_pair<I, S>
void generate(I first, S last, F gen, const loop_options& options = {}) {
  static_assert(detail::needs_random_access<I, S>());
  static_assert(detail::needs_generator<F>());
  static_assert(detail::needs_assignable_elements<I, std::invoke_result_t<F&>>());
  const auto begin = detail::plain(first);
  const auto each = [&](std::uint64_t from, std::uint64_t to) {
    detail::in_block<F> make = gen;
    for (auto at = detail::after(begin, from); from != to; ++from, ++at) {
      *at = std::invoke(make);
    }
  };
  detail::for_spans<false>(detail::count_of(first, last), each, options, detail::name_of(gen));
}
template <std::ranges::range R, class F>
void generate(R&& range, F gen, const loop_options& options = {}) {
  dozer::generate(std::ranges::begin(range), std::ranges::end(range), std::move(gen), options);
}

}  // namespace dozer::inline DOZER_PLATFORM
