// Sorts of what the second argument names: random, nearly (sorted but for one in a hundred), few (distinct ones), pairs
// (by their key), strings, or a number: so many random ones, a million or two in all.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../harness.hpp"

namespace bench {

struct pair {
  std::uint64_t key, value;
};

/// splitmix64, as in rayon.rs.
class numbers {
 public:
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_ = 1;
};

template <class T, class Make>
std::vector<std::vector<T>> arrays_of(std::size_t arrays, std::size_t count, Make&& make) {
  std::vector<std::vector<T>> all(arrays);
  for (auto& array : all) {
    for (std::size_t i = 0; i < count; ++i) {
      array.push_back(make(i));
    }
  }
  return all;
}

/// around(f) calls f where the runtime works; in it sort(array, key) is called for each array.
template <class T, class Key, class Around, class Sort>
int measure_sort_of(const std::vector<std::vector<T>>& given, Key key, Around&& around, Sort&& sort) {
  auto arrays = given;
  bool first = true;
  const auto in_order = [&](const T& a, const T& b) { return std::invoke(key, a) < std::invoke(key, b); };
  const auto are_sorted = [&] {
    return std::all_of(arrays.begin(), arrays.end(),
                       [&](const auto& array) { return std::is_sorted(array.begin(), array.end(), in_order); });
  };
  const auto prepare = [&] {
    if (!first && !are_sorted()) {
      std::fprintf(stderr, "wrong: not sorted\n");
      std::exit(1);
    }
    first = false;
    arrays = given;
  };
  return measure(arrays.size(), prepare, [&] {
    around([&] {
      for (auto& array : arrays) {
        sort(array, key);
      }
    });
    return arrays.size();
  });
}

template <class Around, class Sort>
int measure_sort(int argc, char** argv, Around&& around, Sort&& sort) {
  const std::string_view what = argc >= 3 ? argv[2] : "random";
  constexpr std::size_t count = 10'000'000;
  numbers random;
  const auto any = [&](std::size_t) { return random.next(); };
  const auto run = [&](const auto& arrays, auto key) { return measure_sort_of(arrays, key, around, sort); };
  if (what == "pairs") {
    const auto make = [&](std::size_t i) { return pair{random.next(), i}; };
    return run(arrays_of<pair>(1, count, make), &pair::key);
  }
  if (what == "strings") {
    const auto make = [&](std::size_t) {
      std::string s(4 + random.next() % 12, ' ');
      for (char& c : s) {
        c = static_cast<char>('a' + random.next() % 26);
      }
      return s;
    };
    return run(arrays_of<std::string>(1, count / 10, make), std::identity());
  }
  if (what == "few") {
    const auto make = [&](std::size_t) { return random.next() % 16 * 0x0123456789ABCDEFu; };
    return run(arrays_of<std::uint64_t>(1, count, make), std::identity());
  }
  if (what == "nearly") {
    auto arrays = arrays_of<std::uint64_t>(1, count, [](std::size_t i) { return i << 20; });
    for (std::size_t i = 0; i < count / 200; ++i) {
      const std::size_t a = random.next() % count, b = random.next() % count;
      std::swap(arrays[0][a], arrays[0][b]);
    }
    return run(arrays, std::identity());
  }
  const std::size_t given = what == "random" ? count : std::strtoull(argv[2], nullptr, 10);
  if (given == 0) {
    std::fprintf(stderr, "usage: %s THREADS random|nearly|few|pairs|strings|COUNT\n", argv[0]);
    return 2;
  }
  return run(arrays_of<std::uint64_t>(std::max<std::size_t>(count / 5 / given, 1), given, any), std::identity());
}

/// For libraries without projections.
template <class T, class Key>
auto by(Key key) {
  return [key](const T& a, const T& b) { return std::invoke(key, a) < std::invoke(key, b); };
}

constexpr auto here = [](auto&& f) { f(); };

}  // namespace bench
