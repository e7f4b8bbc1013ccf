// How a block of elements is reduced to one value: in the order of the elements, without waiting for each operation.
#pragma once

#include <dozer/detail/kept_closure.hpp>
#include <dozer/detail/platform.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

namespace dozer::inline DOZER_PLATFORM::detail {

template <class Op, class T>
inline constexpr bool is_plus = std::is_same_v<Op, std::plus<>> || std::is_same_v<Op, std::plus<T>>;

/// Reduces elements to a T, of units that have some elements each; the last one has the odd ones, too.
template <class T, class Op, class Elements>
class reduction {
  using element = typename Elements::value;
  static constexpr bool adds_numbers = Elements::is_random && std::is_arithmetic_v<T> &&
                                       std::is_arithmetic_v<std::remove_cvref_t<element>> && is_plus<Op, T>;
  static constexpr bool goes_in_groups = Elements::is_random && std::is_trivially_copyable_v<T> &&
                                         sizeof(T) <= 2 * sizeof(void*) && std::is_constructible_v<T, element>;

 public:
  /// Two, if one element alone cannot be held as a T.
  static constexpr std::uint64_t least_unit = std::is_constructible_v<T, element> ? 1 : 2;

  /// `count` is not less than the unit.
  reduction(Op& op, const Elements& of, std::uint64_t count, std::uint64_t unit = least_unit) noexcept
      : op_(op), elements_(of), count_(count), unit_(unit), units_(count / unit) {}

  [[nodiscard]] std::uint64_t units() const noexcept { return units_; }

  [[nodiscard]] T begin(std::uint64_t first, std::uint64_t last) const {
    return reduce(elements_.from(first * unit_), end_of(last) - first * unit_);
  }
  void add(T& what, std::uint64_t first, std::uint64_t last) const {
    if constexpr (adds_numbers || goes_in_groups) {
      what = static_cast<T>(op_(std::move(what), begin(first, last)));
    } else {
      what = add_next(std::move(what), elements_.from(first * unit_), end_of(last) - first * unit_);
    }
  }
  [[nodiscard]] T merge(T&& a, T&& b) const { return static_cast<T>(op_(std::move(a), std::move(b))); }

 private:
  using view = typename Elements::block_view;

  [[nodiscard]] std::uint64_t end_of(std::uint64_t last) const noexcept {
    return last == units_ ? count_ : last * unit_;
  }

  /// The next `count` elements. By value: what stands in memory that elements may share would be stored each time.
  [[nodiscard]] T add_next(T what, view e, std::uint64_t count) const {
    in_block<Op> op = op_;
    for (; count != 0; --count, e.step()) {
      what = static_cast<T>(op(std::move(what), e.front()));
    }
    return what;
  }
  [[nodiscard]] T reduce(view e, std::uint64_t count) const {
    if constexpr (adds_numbers) {
      return add_in_lanes(e, count);
    } else if constexpr (goes_in_groups) {
      return in_groups(e, count);
    } else {
      const auto first_of = [&]() -> T {
        if constexpr (least_unit == 1) {
          return T(e.front());
        } else {
          return static_cast<T>(op_(e[0], e[1]));
        }
      };
      T what = first_of();
      for (std::uint64_t k = 0; k != least_unit; ++k) {
        e.step();
      }
      return add_next(std::move(what), e, count - least_unit);
    }
  }
  /// Adds the upper half of the sums to the lower one, then as many of the elements that are left, and so on; there are
  /// fewer of them than sums. By templates: GCC 12 does not unroll a loop that halves, and would keep the sums in
  /// memory.
  template <std::uint64_t half, std::size_t size>
  [[nodiscard]] DOZER_HOT static T sum_of(std::array<T, size>& sums, view& e, std::uint64_t k, std::uint64_t left) {
    for (std::uint64_t lane = 0; lane != half; ++lane) {
      sums[lane] = static_cast<T>(sums[lane] + sums[lane + half]);
    }
    if ((left & half) != 0) {
      for (std::uint64_t lane = 0; lane != half; ++lane) {
        sums[lane] = static_cast<T>(sums[lane] + e[k + lane]);
      }
      k += half;
    }
    if constexpr (half != 1) {
      return sum_of<half / 2>(sums, e, k, left);
    } else {
      return sums[0];
    }
  }
  /// Numbers may be added in any order: as many sums as fill some registers.
  [[nodiscard]] T add_in_lanes(view& e, std::uint64_t count) const {
    constexpr std::uint64_t lanes = 128 / sizeof(T);
    if (count >= lanes) {
      std::array<T, lanes> sums;
      for (std::uint64_t lane = 0; lane != lanes; ++lane) {
        sums[lane] = static_cast<T>(e[lane]);
      }
      std::uint64_t k = lanes;
      for (; count - k >= lanes; k += lanes) {
        for (std::uint64_t lane = 0; lane != lanes; ++lane) {
          sums[lane] = static_cast<T>(sums[lane] + e[k + lane]);
        }
      }
      return sum_of<lanes / 2>(sums, e, k, count - k);
    }
    T sum = static_cast<T>(e[0]);  // not 0 + e[0], which is not the same if that is -0.0
    for (std::uint64_t k = 1; k != count; ++k) {
      sum = static_cast<T>(sum + e[k]);
    }
    return sum;
  }
  /// Groups of eight that follow each other, each along a tree: so a chain of operations that wait for each other has
  /// one for each group.
  [[nodiscard]] T in_groups(view& e, std::uint64_t count) const {
    constexpr std::uint64_t group = 8;
    in_block<Op> op = op_;
    const auto two = [&](T a, T b) { return static_cast<T>(op(std::move(a), std::move(b))); };
    const auto pair_at = [&](std::uint64_t k) { return two(T(e[k]), T(e[k + 1])); };
    const auto four_at = [&](std::uint64_t k) { return two(pair_at(k), pair_at(k + 2)); };
    const auto group_at = [&](std::uint64_t k) { return two(four_at(k), four_at(k + 4)); };
    const bool has_groups = count >= group;
    T what = has_groups ? group_at(0) : T(e[0]);
    std::uint64_t done = has_groups ? group : 1;
    for (; count - done >= group; done += group) {
      what = two(std::move(what), group_at(done));
    }
    add_from(what, e, done, count);
    return what;
  }
  void add_from(T& what, view& e, std::uint64_t first, std::uint64_t last) const {
    in_block<Op> op = op_;
    for (; first != last; ++first) {
      what = static_cast<T>(op(std::move(what), e[first]));
    }
  }

  Op& op_;
  const Elements& elements_;
  std::uint64_t count_, unit_, units_;
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
