// sort, stable_sort, nth_element, partial_sort: what comes out.
#include "sort_support.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace {

using namespace dozer_test;

TEST(Sort, NumbersByDigitsAndByComparisonsLikeStd) {
  EXPECT_TRUE(check_slow([] {
    const auto numbers = any_numbers();
    const auto options = any_options();
    const auto expected = sorted(numbers);
    const std::vector<int> downward(expected.rbegin(), expected.rend());
    std::atomic<int> wrong{0};
    everywhere([&] {
      auto v = numbers;
      dozer::sort(v, options);
      wrong += v != expected;
      dozer::sort(v, std::greater<>(), options);
      wrong += v != downward;
      v = numbers;
      dozer::sort(v.begin(), v.end(), by_comparison, options);
      wrong += v != expected;
      std::deque<int> d(numbers.begin(), numbers.end());
      dozer::sort(d, {}, {}, options);
      wrong += !std::equal(d.begin(), d.end(), expected.begin(), expected.end());
    });
    RC_ASSERT(wrong.load() == 0);
  }));
}

TEST(StableSort, KeepsTheOrderOfEqualElements) {
  EXPECT_TRUE(check_slow([] {
    const auto entries = numbered(any_numbers());
    const auto options = any_options();
    auto expected = entries, downward = entries;
    std::sort(expected.begin(), expected.end(), in_order);
    std::sort(downward.begin(), downward.end(),
              [](auto& a, auto& b) { return a.key != b.key ? a.key > b.key : a.place < b.place; });
    std::atomic<int> wrong{0};
    everywhere([&] {
      auto v = entries;
      dozer::stable_sort(v, by_key, options);
      wrong += v != expected;
      v = entries;
      dozer::stable_sort(v, {}, &entry::key, options);
      wrong += v != expected;
      v = entries;
      dozer::stable_sort(v, std::greater<>(), &entry::key, options);
      wrong += v != downward;
      std::deque<entry> d(entries.begin(), entries.end());
      dozer::stable_sort(d.begin(), d.end(), {}, &entry::key, options);
      wrong += !std::equal(d.begin(), d.end(), expected.begin(), expected.end());
    });
    RC_ASSERT(wrong.load() == 0);
  }));
}

TEST(NthElement, IsWhereItWouldBeIfTheRangeWereSorted) {
  EXPECT_TRUE(check_slow([] {
    const auto numbers = any_numbers();
    const auto options = any_options();
    const auto n = *rc::gen::inRange<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(numbers.size()) + 1);
    const auto expected = sorted(numbers);
    std::atomic<int> wrong{0};
    const auto check = [&](const auto& v) {
      if (v.begin() + n != v.end()) {
        const int nth = v[static_cast<std::size_t>(n)];
        wrong += nth != expected[static_cast<std::size_t>(n)];
        wrong += !std::all_of(v.begin(), v.begin() + n, [&](int x) { return x <= nth; });
        wrong += !std::all_of(v.begin() + n, v.end(), [&](int x) { return x >= nth; });
      }
      wrong += sorted(std::vector<int>(v.begin(), v.end())) != expected;
    };
    everywhere([&] {
      auto v = numbers;
      dozer::nth_element(v, v.begin() + n, options);
      check(v);
      dozer::nth_element(v.begin(), v.end(), v.end());
      wrong += sorted(v) != expected;
      std::deque<int> d(numbers.begin(), numbers.end());
      dozer::nth_element(d.begin(), d.begin() + n, d.end(), {}, {}, options);
      check(d);
    });
    RC_ASSERT(wrong.load() == 0);
  }));
}

TEST(PartialSort, TheFrontIsSortedAndTheRestIsBehind) {
  EXPECT_TRUE(check_slow([] {
    const auto numbers = any_numbers();
    const auto options = any_options();
    const auto size = static_cast<std::ptrdiff_t>(numbers.size());
    const auto n = *rc::gen::weightedOneOf<std::ptrdiff_t>(
        {{4, rc::gen::inRange<std::ptrdiff_t>(0, size + 1)}, {1, rc::gen::just(size)}});
    const auto expected = sorted(numbers);
    std::atomic<int> wrong{0};
    const auto check = [&](const auto& v) {
      wrong += !std::equal(v.begin(), v.begin() + n, expected.begin());
      wrong += sorted(std::vector<int>(v.begin(), v.end())) != expected;
    };
    everywhere([&] {
      auto v = numbers;
      dozer::partial_sort(v.begin(), v.begin() + n, v.end(), {}, {}, options);
      check(v);
      v = numbers;
      dozer::partial_sort(v, v.begin() + n, by_comparison, options);
      check(v);
      std::deque<int> d(numbers.begin(), numbers.end());
      dozer::partial_sort(d, d.begin() + n, options);
      check(d);
    });
    RC_ASSERT(wrong.load() == 0);
  }));
}

template <class K>
std::vector<K> sorts_like_std(std::vector<K> values) {
  const auto expected = sorted(values);
  dozer::sort(values);
  EXPECT_TRUE(std::equal(values.begin(), values.end(), expected.begin(), expected.end()));
  return expected;
}
/// The digits are inverted for it in the same way for all kinds of numbers of the same size.
template <class Downward = std::greater<>, class K>
void sorts_both_ways_like_std(std::vector<K> values) {
  const auto expected = sorts_like_std(values);
  dozer::sort(values, Downward());
  EXPECT_TRUE(std::equal(values.begin(), values.end(), expected.rbegin(), expected.rend()));
}
TEST(Sort, EveryKindOfNumber) {
  for (const std::size_t size : {std::size_t{10}, std::size_t{100}, std::size_t{3000}, std::size_t{70'000}}) {
    for (const unsigned bits : {1u, 5u, 13u, 40u, 64u}) {
      sorts_both_ways_like_std(numbers_of<std::uint64_t>(size, bits));
      sorts_like_std(numbers_of<std::int64_t>(size, bits));
      sorts_both_ways_like_std(numbers_of<std::int32_t>(size, bits));
      sorts_both_ways_like_std(numbers_of<std::int16_t>(size, bits));
      sorts_like_std(numbers_of<unsigned char>(size, bits));
      sorts_both_ways_like_std(numbers_of<char>(size, bits));
    }
  }
}

TEST(Sort, NumbersOfWhichMostAreAlikeInTheirHighDigits) {
  auto values = numbers_of<std::uint64_t>(200'000, 20);
  for (std::size_t i = 0; i < values.size(); i += 100) {
    values[i] = values[i] << 40;
  }
  sorts_both_ways_like_std(values);
}

TEST(Sort, FloatingPointNumbersWithInfinitiesAndBothZeros) {
  std::mt19937_64 random(1);
  for (const std::size_t size : {std::size_t{50}, std::size_t{5000}, std::size_t{50'000}}) {
    std::vector<double> values(size);
    for (auto& v : values) {
      v = std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), static_cast<int>(random() % 100) - 100);
    }
    values[1] = 0.0;
    values[2] = -0.0;
    values[3] = std::numeric_limits<double>::infinity();
    values[4] = -std::numeric_limits<double>::infinity();
    values[5] = std::numeric_limits<double>::denorm_min();
    sorts_both_ways_like_std<std::greater<double>>(values);
    sorts_like_std(std::vector<float>(values.begin(), values.end()));
  }
}

TEST(StableSort, ZerosOfEitherSignAreEqual) {
  struct item {
    double key;
    int place;
  };
  std::vector<item> items;
  for (int i = 0; i < 1000; ++i) {
    items.push_back({i % 2 == 0 ? 0.0 : -0.0, i});
  }
  items.push_back({-1.0, -1});
  dozer::stable_sort(items, {}, &item::key);
  for (int i = 0; i < 1001; ++i) {
    ASSERT_EQ(items[static_cast<std::size_t>(i)].place, i - 1);
  }
}

TEST(Sort, RangesThatAreSortedOneWayOrTheOther) {
  for (const int size : {2, 3, 24, 25, 1000, 100'000}) {
    std::vector<int> expected(static_cast<std::size_t>(size));
    std::iota(expected.begin(), expected.end(), 0);
    for (const bool falling : {false, true}) {
      std::atomic<long> compared{0};
      auto v = expected;
      if (falling) {
        std::reverse(v.begin(), v.end());
      }
      auto w = v;
      dozer::sort(v, [&](int a, int b) { return ++compared, a < b; });
      dozer::stable_sort(w, by_comparison);
      EXPECT_EQ(v, expected);
      EXPECT_EQ(w, expected);
      EXPECT_LE(compared.load(), size < 1000 ? 1000 : 3L * size);
    }
  }
}

}  // namespace
