// Radix sort on one thread: the highest digit first, between the range and a buffer of the same size. Stable.
#pragma once

#include <dozer/detail/ordering.hpp>
#include <dozer/detail/platform.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace dozer::inline DOZER_PLATFORM::detail {

/// How the elements of a stretch differ.
template <class Digits>
struct digit_facts {
  Digits varying = 0;       // bits in which they are not all alike
  std::uint64_t falls = 0;  // how many are less than the one before
};

/// Which bits of a key are looked at.
struct digit {
  unsigned shift, bits;

  template <class Digits>
  [[nodiscard]] DOZER_HOT std::size_t of(Digits key) const noexcept {
    return static_cast<std::size_t>(key >> shift) & ((std::size_t{1} << bits) - 1);
  }
};

/// The highest digit of at most `most` bits that includes all that varies above it.
template <class Digits>
[[nodiscard]] digit highest_digit(Digits varying, unsigned most) noexcept {
  const auto width = static_cast<unsigned>(std::bit_width(varying));
  const unsigned bits = std::min(width, most);
  return {width - bits, bits};
}

template <class T, class Key>
struct radix_sort {
  using digits = std::remove_const_t<decltype(std::declval<Key>()(std::declval<const T&>()))>;

  static constexpr std::size_t few = 48;     // are sorted by insertion
  static constexpr unsigned most_bits = 11;  // of a digit: the counts stay in the first cache
  static constexpr unsigned per_bucket = 3;  // two to the power of this: elements that a bucket should have

  Key key;

  [[nodiscard]] auto less() const noexcept {
    return [k = key](const T& a, const T& b) { return k(a) < k(b); };
  }

  static void copy(const T* from, T* to, std::size_t count) noexcept {
    std::memcpy(static_cast<void*>(to), static_cast<const void*>(from), count * sizeof(T));
  }

  /// `before`: the element before the stretch, or its first one.
  [[nodiscard]] digit_facts<digits> look_at(const T* from, std::size_t count, const T& one,
                                            const T& before) const noexcept {
    const digits some = key(one);
    digit_facts<digits> facts;
    facts.falls = key(*from) < key(before) ? 1 : 0;
    facts.varying = static_cast<digits>(key(*from) ^ some);
    for (std::size_t i = 1; i < count; ++i) {
      facts.varying = static_cast<digits>(facts.varying | (key(from[i]) ^ some));
      facts.falls += key(from[i]) < key(from[i - 1]) ? 1 : 0;
    }
    return facts;
  }

  template <class Count>
  void count_digits(const T* from, std::size_t count, digit d, Count* counts) const noexcept {
    const digit of = d;
    const Key k = key;
    for (std::size_t i = 0; i < count; ++i) {
      ++counts[of.of(k(from[i]))];
    }
  }
  template <class Count>
  void scatter(const T* from, std::size_t count, digit d, T* to, Count* next) const noexcept {
    const digit of = d;
    const Key k = key;
    for (std::size_t i = 0; i < count; ++i) {
      to[next[of.of(k(from[i]))]++] = from[i];
    }
  }

  /// Sorts what is at `from`; it ends up at `other` or where it was. `other` is room for as many. Fewer than 2^32.
  void sort(T* from, T* other, std::size_t count, bool to_other) const noexcept {
    if (count <= few) {
      if (to_other) {
        copy(from, other, count);
        from = other;
      }
      detail::insertion_sort(from, from + count, less());
      return;
    }
    const digit_facts<digits> facts = look_at(from, count, *from, *from);
    if (facts.falls == 0) {
      if (to_other) {
        copy(from, other, count);
      }
      return;
    }
    const auto wanted = static_cast<unsigned>(std::bit_width(count)) - per_bucket;
    const digit d = highest_digit(facts.varying, std::min(wanted, most_bits));
    sort_by(d, from, other, count, to_other);
  }

 private:
  [[gnu::noinline]] void sort_by(digit d, T* from, T* other, std::size_t count, bool to_other) const noexcept {
    std::array<std::uint32_t, std::size_t{1} << most_bits> ends;
    const std::size_t buckets = std::size_t{1} << d.bits;
    std::fill_n(ends.begin(), buckets, 0);
    count_digits(from, count, d, ends.data());
    std::uint32_t sum = 0;
    for (std::size_t b = 0; b < buckets; ++b) {
      const std::uint32_t here = ends[b];
      ends[b] = sum;
      sum += here;
    }
    scatter(from, count, d, other, ends.data());
    if (d.shift == 0) {
      if (!to_other) {
        copy(other, from, count);
      }
      return;
    }
    // Small buckets that stand beside each other are sorted at one go: they are in order already.
    std::size_t small = 0, begin = 0;
    const auto sort_small = [&](std::size_t until) {
      T* const at = (to_other ? other : from) + small;
      if (!to_other) {
        copy(other + small, at, until - small);
      }
      detail::insertion_sort(at, at + (until - small), less());
    };
    for (std::size_t b = 0; b < buckets; ++b) {
      const std::size_t end = ends[b];
      if (end - begin > few) {
        sort_small(begin);
        sort(other + begin, from + begin, end - begin, !to_other);
        small = end;
      }
      begin = end;
    }
    sort_small(count);
  }
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
