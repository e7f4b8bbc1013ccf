// Elements set to one value, or to what a function returns.
#pragma once

#include <dozer/detail/blocks.hpp>
#include <dozer/detail/elements.hpp>
#include <dozer/detail/kept_closure.hpp>
#include <dozer/detail/range_access.hpp>
#include <dozer/detail/requirements.hpp>
#include <dozer/loop_options.hpp>
#include <dozer/named.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace dozer::inline DOZER_PLATFORM {

namespace detail {

/// The value that a range is filled with. If it may stand in the range it is a copy, since its element is assigned to
/// while other threads read it. One that cannot be copied is used where it stands.
template <class T>
class fill_value {
  static constexpr bool is_copied = std::is_copy_constructible_v<T>;

 public:
  template <class I>
  fill_value(const I& first, std::uint64_t count, const T& value) : value_(std::addressof(value)) {
    if constexpr (is_copied) {
      if (may_be_in(first, count, std::addressof(value))) {
        value_ = std::addressof(copy_.emplace(value));
      }
    }
  }
  fill_value(const fill_value&) = delete;
  fill_value& operator=(const fill_value&) = delete;
  [[nodiscard]] const T& get() const noexcept { return *value_; }

 private:
  /// Also as a part of an element.
  template <class I>
  [[nodiscard]] static bool may_be_in(const I& first, std::uint64_t count, const volatile void* value) {
    if constexpr (std::is_pointer_v<I>) {
      const std::less<const volatile void*> before;
      return !before(value, first) && before(value, after(first, count));
    } else {
      return true;
    }
  }

  struct nothing {};
  const T* value_;
  [[no_unique_address]] std::conditional_t<is_copied, std::optional<T>, nothing> copy_;
};

}  // namespace detail

/// Sets each element to value, which may be one of them. If the loop is stopped, or an assignment throws, some elements
/// stay as they are. Extra memory: none, but for a copy of the value.
template <class I, class S, class T>
requires detail::iterator_pair<I, S>
void fill(I first, S last, const T& value, const loop_options& options = default_options) {
  static_assert(detail::needs_random_access<I, S>());
  static_assert(detail::needs_assignable_elements<I, const T&>());
  constexpr bool cheap = detail::is_cheap<detail::plain_t<I>> && std::is_scalar_v<T>;
  const std::uint64_t count = detail::count_of(first, last);
  const auto at = detail::plain(first);
  const detail::fill_value<T> with(at, count, value);
  const auto each = [&](std::uint64_t begin, std::uint64_t end) {
    std::fill(detail::after(at, begin), detail::after(at, end), with.get());
  };
  detail::for_spans<cheap>(count, each, options);
}
template <std::ranges::range R, class T>
void fill(R&& range, const T& value, const loop_options& options = default_options) {
  dozer::fill(std::ranges::begin(range), std::ranges::end(range), value, options);
}

/// Sets each element to what a call of gen returns. gen is called once for each element, in any order and possibly in
/// parallel; the calls share one gen, or copies of it if it is small, so it must not count on what it did before. If
/// the loop is stopped, or a call throws, some elements stay as they are. Extra memory: none.
template <class I, class S, class F>
requires detail::iterator_pair<I, S>
void generate(I first, S last, F gen, const loop_options& options = default_options) {
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
void generate(R&& range, F gen, const loop_options& options = default_options) {
  dozer::generate(std::ranges::begin(range), std::ranges::end(range), std::move(gen), options);
}

}  // namespace dozer::inline DOZER_PLATFORM
