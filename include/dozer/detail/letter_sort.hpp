// A stable sort by strings: eight letters of each are sorted as a number, together with the place of the element. Only
// those that are alike in them are compared. Then each element moves once to its new place.
#pragma once

#include <dozer/detail/blocks.hpp>
#include <dozer/detail/digit_key.hpp>
#include <dozer/detail/letters.hpp>
#include <dozer/detail/merge_sort.hpp>
#include <dozer/detail/ordering.hpp>
#include <dozer/detail/parallel_radix.hpp>
#include <dozer/detail/raw_buffer.hpp>
#include <dozer/detail/requirements.hpp>
#include <dozer/loop_options.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>

namespace dozer::inline DOZER_PLATFORM::detail {

template <class K>
inline constexpr bool is_text = std::is_same_v<K, std::string_view>;
template <class Allocator>
inline constexpr bool is_text<std::basic_string<char, std::char_traits<char>, Allocator>> = true;

template <class I, class Compare, class Proj>
consteval bool can_use_letters() {
  if constexpr (std::is_same_v<Proj, std::identity> || std::is_member_object_pointer_v<Proj>) {
    using T = std::iter_value_t<I>;
    using K = std::remove_cvref_t<std::invoke_result_t<Proj&, const T&>>;
    return is_text<K> && std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T> &&
           (is_upward<Compare, K> || is_downward<Compare, K>);
  } else {
    return false;
  }
}

template <class I, class Compare, class Proj>
class letter_sort {
 public:
  using value = std::iter_value_t<I>;

  letter_sort(I first, std::uint64_t count, Proj proj, const loop_options& options)
      : first_(first), count_(count), proj_(proj), options_(options) {}

  /// The memory is room for `count` each.
  void sort(lettered* places, lettered* other, value* elements) const {
    const std::size_t common = common_letters();
    for_blocks(count_,
               [&](std::uint64_t from, std::uint64_t to) {
                 for (; from != to; ++from) {
                   places[from] = {letters_of(text(from), common), from};
                 }
               },
               {});
    if (stopped()) {
      return;
    }
    const digit_key<downward, std::uint64_t lettered::*> by_letters{&lettered::letters};
    const loop_options whole;  // what is sorted here is no element of the user's
    parallel_radix_sort<lettered, std::remove_const_t<decltype(by_letters)>>(by_letters, whole)
        .sort(places, other, count_, false);
    if (stopped()) {
      return;
    }
    for_blocks(count_, [&](std::uint64_t from, std::uint64_t to) { find_runs(places, other, from, to); }, {});
    for_blocks(count_, [&](std::uint64_t from, std::uint64_t to) { sort_runs(places, other, from, to); },
               {.stop = options_.stop});
    if (!stopped()) {
      put_in_order(places, elements);
    }
  }

 private:
  using key = std::remove_cvref_t<std::invoke_result_t<Proj&, const value&>>;
  static constexpr bool downward = is_downward<Compare, key>;

  [[nodiscard]] bool stopped() const noexcept { return options_.stop.stop_requested(); }
  [[nodiscard]] std::string_view text(std::uint64_t place) const {
    return std::invoke(proj_, static_cast<const value&>(*after(first_, place)));
  }

  /// With how many letters all begin.
  [[nodiscard]] std::size_t common_letters() const {
    const std::string_view one = text(0);
    gathered<std::size_t> parts;
    const auto add = [&](std::size_t& common, std::uint64_t from, std::uint64_t to) {
      for (; from != to && common != 0; ++from) {
        common = common_with(one.substr(0, common), text(from));
      }
    };
    gather(count_,
           [&](std::uint64_t from, std::uint64_t to) {
             std::size_t common = one.size();
             add(common, from, to);
             return common;
           },
           add, parts, {});
    std::size_t common = one.size();
    parts.take_in_order([&](std::size_t part) { common = std::min(common, part); });
    return common;
  }

  /// Where elements with the same letters begin, `ends` says where they end. So a thread that sorts some of them looks
  /// at no others.
  void find_runs(const lettered* places, lettered* ends, std::uint64_t from, std::uint64_t to) const noexcept {
    for (; from != to; ++from) {
      ends[from].place = 0;
      if (from == 0 || places[from - 1].letters != places[from].letters) {
        std::uint64_t end = from + 1;
        while (end != count_ && places[end].letters == places[from].letters) {
          ++end;
        }
        ends[from].place = end - from > 1 ? end : 0;
      }
    }
  }
  void sort_runs(lettered* places, const lettered* ends, std::uint64_t from, std::uint64_t to) const {
    const auto less = [this](const lettered& a, const lettered& b) {
      return downward ? text(b.place) < text(a.place) : text(a.place) < text(b.place);
    };
    for (; from != to; ++from) {
      if (ends[from].place != 0) {
        detail::merge_sort(places + from, ends[from].place - from, less, options_, nullptr);
      }
    }
  }

  void put_in_order(const lettered* places, value* elements) const {
    for_blocks(count_,
               [&](std::uint64_t from, std::uint64_t to) {
                 for (; from != to; ++from) {
                   std::construct_at(elements + from, std::ranges::iter_move(after(first_, places[from].place)));
                 }
               },
               {});
    for_blocks(count_,
               [&](std::uint64_t from, std::uint64_t to) {
                 for (; from != to; ++from) {
                   *after(first_, from) = std::move(elements[from]);
                   std::destroy_at(elements + from);
                 }
               },
               {});
  }

  I first_;
  std::uint64_t count_;
  Proj proj_;
  const loop_options& options_;
};

/// False: there are few, or there is no memory.
template <class Compare, class I, class Proj>
[[nodiscard]] bool sort_by_letters(I first, std::uint64_t count, Proj proj, const loop_options& options) {
  using value = std::iter_value_t<I>;
  constexpr std::uint64_t few = 256;
  if (count <= std::max<std::uint64_t>(few, options.grain)) {
    return false;
  }
  const raw_buffer places(count, sizeof(lettered), alignof(lettered)),
      other(count, sizeof(lettered), alignof(lettered));
  const raw_buffer elements(count, sizeof(value), alignof(value));
  if (places.get() == nullptr || other.get() == nullptr || elements.get() == nullptr) {
    return false;
  }
  try {
    in_a_pool(true, [&] {
      letter_sort<I, Compare, Proj>(first, count, proj, options)
          .sort(static_cast<lettered*>(places.get()), static_cast<lettered*>(other.get()),
                static_cast<value*>(elements.get()));
    });
  } catch (const std::bad_alloc&) {  // no element has been moved
    return false;
  }
  return true;
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
