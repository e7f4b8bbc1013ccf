// What the tests of sorts share: what they sort.
#pragma once

#include "support.hpp"

#include <dozer/algorithm.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <type_traits>
#include <vector>

namespace dozer_test {

struct entry {
  int key;
  std::size_t place;
  friend bool operator==(const entry&, const entry&) = default;
};

/// Numbers below `range`, random or with patterns that sorts treat in a special way.
inline std::vector<int> any_numbers(std::size_t size, std::uint64_t seed, int range, int pattern) {
  std::mt19937_64 random(seed);
  std::vector<int> numbers(size);
  for (auto& n : numbers) {
    n = static_cast<int>(random() % static_cast<std::uint64_t>(range)) - range / 2;
  }
  switch (pattern) {
    case 1:
      std::sort(numbers.begin(), numbers.end());
      break;
    case 2:
      std::sort(numbers.begin(), numbers.end(), std::greater<>());
      break;
    case 3:
      std::sort(numbers.begin(), numbers.end());
      for (std::size_t i = 0; i < size / 50 + 1 && size != 0; ++i) {
        std::swap(numbers[random() % size], numbers[random() % size]);
      }
      break;
    case 4:
      std::sort(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(size / 2));
      std::sort(numbers.begin() + static_cast<std::ptrdiff_t>(size / 2), numbers.end(), std::greater<>());
      break;
    default:
      break;
  }
  return numbers;
}
inline std::vector<int> any_numbers() {
  const auto range = *rc::gen::element(1, 2, 10, 1000, 2'000'000'000);
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  return any_numbers(any_size(), seed, range, *rc::gen::inRange(0, 5));
}
inline std::vector<entry> numbered(const std::vector<int>& numbers) {
  std::vector<entry> entries;
  for (const int n : numbers) {
    entries.push_back({n, entries.size()});
  }
  return entries;
}
template <class T>
std::vector<T> sorted(std::vector<T> v) {
  std::sort(v.begin(), v.end());
  return v;
}
/// An element that is copied as bytes are, but has no digits.
struct plain {
  int value;
};
/// A comparison that no sort can see through; one type, so that sorts by it are compiled once.
constexpr auto by_comparison = [](int a, int b) { return a < b; };
constexpr auto by_key = [](const entry& a, const entry& b) { return a.key < b.key; };

/// What a stable sort by key makes of numbered entries.
constexpr auto in_order = [](const entry& a, const entry& b) {
  return a.key != b.key ? a.key < b.key : a.place < b.place;
};

template <class K>
std::vector<K> numbers_of(std::size_t size, unsigned bits) {
  std::mt19937_64 random(size + bits);
  std::vector<K> values(size);
  for (auto& v : values) {
    v = static_cast<K>(random() >> (64 - bits));
  }
  return values;
}

template <class T>
std::vector<T> elements_of(const std::vector<int>& numbers) {
  std::vector<T> elements;
  elements.reserve(numbers.size());
  for (const int n : numbers) {
    if constexpr (std::is_constructible_v<T, int>) {
      elements.emplace_back(n);
    } else {
      elements.push_back(T{n});
    }
  }
  return elements;
}

}  // namespace dozer_test
