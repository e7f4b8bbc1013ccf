// Sorts of floating-point numbers, compiled with -ffast-math: see with_flags_test.
#include <dozer/algorithm.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <random>
#include <vector>

namespace {

template <class K, class Bits>
struct item {
  K key;
  Bits place;
};

/// Zeros of either sign, made of bits: the compiler may take them for the same.
template <class K, class Bits, class Compare>
bool zeros_keep_their_order(Compare compare) {
  constexpr Bits minus_zero = Bits{1} << (8 * sizeof(K) - 1);
  std::vector<item<K, Bits>> items;
  for (Bits i = 0; i != 1000; ++i) {
    items.push_back({std::bit_cast<K>(i % 3 == 0 ? minus_zero : Bits{0}), i});
  }
  std::vector<item<K, Bits>> before = items;
  dozer::stable_sort(items, compare, &item<K, Bits>::key);
  return std::equal(items.begin(), items.end(), before.begin(), [](const auto& a, const auto& b) {
    return a.place == b.place && std::bit_cast<Bits>(a.key) == std::bit_cast<Bits>(b.key);
  });
}

/// Any finite ones.
template <class K, class Bits>
bool are_sorted_and_the_same() {
  std::mt19937_64 random(1);
  constexpr int fraction = std::numeric_limits<K>::digits - 1;
  constexpr Bits exponent = ((Bits{1} << (8 * sizeof(K) - 1 - fraction)) - 1) << fraction;
  std::vector<Bits> bits;
  while (bits.size() != 5000) {
    if (const Bits b = static_cast<Bits>(random()); (b & exponent) != exponent) {
      bits.push_back(b);
    }
  }
  std::vector<K> numbers(bits.size());
  std::transform(bits.begin(), bits.end(), numbers.begin(), [](Bits b) { return std::bit_cast<K>(b); });
  dozer::sort(numbers);
  const bool sorted = std::is_sorted(numbers.begin(), numbers.end());
  std::vector<Bits> after(bits.size());
  std::transform(numbers.begin(), numbers.end(), after.begin(), [](K k) { return std::bit_cast<Bits>(k); });
  std::sort(bits.begin(), bits.end());
  std::sort(after.begin(), after.end());
  return sorted && bits == after;
}

}  // namespace

int main() {
  const bool zeros = zeros_keep_their_order<float, std::uint32_t>(std::less<>()) &&
                     zeros_keep_their_order<float, std::uint32_t>(std::greater<>()) &&
                     zeros_keep_their_order<double, std::uint64_t>(std::less<>()) &&
                     zeros_keep_their_order<double, std::uint64_t>(std::greater<>());
  const bool sorted =
      are_sorted_and_the_same<float, std::uint32_t>() && are_sorted_and_the_same<double, std::uint64_t>();
  std::printf("zeros keep their order: %d, numbers are sorted: %d\n", zeros, sorted);
  return zeros && sorted ? 0 : 1;
}
