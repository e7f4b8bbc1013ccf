// equal, mismatch: where two ranges differ.
#include "support.hpp"

#include <dozer/algorithm/equal.hpp>
#include <dozer/algorithm/is_sorted.hpp>
#include <dozer/algorithm/mismatch.hpp>

#include <algorithm>
#include <deque>
#include <functional>
#include <ranges>
#include <vector>

namespace {

using dozer_test::any_numbers;
using dozer_test::any_options;
using dozer_test::any_size;
using dozer_test::failures_everywhere;

/// The same twice, but for up to three elements, and perhaps a few more or less at the end.
std::pair<std::vector<int>, std::vector<int>> any_two() {
  const auto a = any_numbers(any_size(), 1000);
  auto b = a;
  b.resize(*rc::gen::element(a.size(), a.size(), a.size() + 3, a.size() / 2));
  for (int i = *rc::gen::inRange(0, 4); i > 0 && !b.empty(); --i) {
    b[*rc::gen::inRange<std::size_t>(0, b.size())] = -1;
  }
  return {a, b};
}

TEST(Equal, LikeStd) {
  EXPECT_TRUE(dozer_test::check([] {
    const auto two = any_two();
    const std::vector<int>&a = two.first, &b = two.second;
    const std::deque<int> chunks(b.begin(), b.end());
    const std::vector<double> floats(b.begin(), b.end());
    const auto options = any_options();
    const auto same = [](int x, int y) { return x == y; };
    const bool expected = std::equal(a.begin(), a.end(), b.begin(), b.end());
    const auto half = static_cast<std::ptrdiff_t>(std::min(a.size(), b.size()) / 2);
    const bool expected_half = std::equal(a.begin(), a.begin() + half, b.begin());
    RC_ASSERT(failures_everywhere([&] {
                return dozer::equal(a, b, options) == expected && dozer::equal(a, chunks, options) == expected &&
                       dozer::equal(a, floats, options) == expected && dozer::equal(a, b, same, options) == expected &&
                       dozer::equal(a.begin(), a.end(), b.begin(), b.end(), options) == expected &&
                       dozer::equal(a.begin(), a.begin() + half, b.begin(), options) == expected_half &&
                       dozer::equal(a.begin(), a.begin() + half, chunks.begin(), same, options) == expected_half;
              }) == 0);
  }));
}

TEST(Mismatch, LikeStd) {
  EXPECT_TRUE(dozer_test::check([] {
    const auto two = any_two();
    const std::vector<int>&a = two.first, &b = two.second;
    const std::deque<int> chunks(b.begin(), b.end());
    const auto options = any_options();
    const auto same = [](int x, int y) { return x == y; };
    const auto expected = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    const auto in_chunks = std::mismatch(a.begin(), a.end(), chunks.begin(), chunks.end());
    const auto half = a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size()) / 2);
    const auto expected_half = std::mismatch(a.begin(), half, b.begin());
    RC_ASSERT(failures_everywhere([&] {
                return dozer::mismatch(a, b, options) == expected && dozer::mismatch(a, chunks, options) == in_chunks &&
                       dozer::mismatch(a, b, same, options) == expected &&
                       dozer::mismatch(a.begin(), a.end(), b.begin(), b.end(), options) == expected &&
                       dozer::mismatch(a.begin(), half, b.begin(), options) == expected_half &&
                       dozer::mismatch(a.begin(), half, b.begin(), same, options) == expected_half;
              }) == 0);
  }));
}

struct keyed {
  int key;
};

TEST(Equal, TakesProjectionsOfBothRanges) {
  std::vector<keyed> a(300, {4});
  const std::vector<int> b(300, 4), negative(300, -4);
  EXPECT_TRUE(dozer::equal(a, b, {}, &keyed::key));
  EXPECT_TRUE(dozer::equal(a, b, {}, &keyed::key, {.grain = 3}));
  EXPECT_TRUE(dozer::equal(b, a, {}, {}, &keyed::key, {.grain = 3}));
  EXPECT_TRUE(dozer::equal(b, negative, {}, std::negate<>()));
  a[200].key = 5;
  EXPECT_FALSE(dozer::equal(a, b, {}, &keyed::key));
  EXPECT_EQ(dozer::mismatch(a, b, {}, &keyed::key).first - a.begin(), 200);
  EXPECT_TRUE(dozer::equal(std::views::iota(0, 300), std::views::iota(0, 300)));
}

TEST(Equal, TakesElementsThatCannotBeCopied) {
  std::vector<dozer_test::move_only> a(1000), b(1000);
  EXPECT_TRUE(dozer::equal(a, b));
  b[700].value = 1;
  EXPECT_FALSE(dozer::equal(a, b));
  EXPECT_EQ(dozer::mismatch(a, b), std::pair(a.begin() + 700, b.begin() + 700));
}

TEST(Equal, RangesOfDifferentLengthAreNotCompared) {
  const std::vector<int> a(300), b(301);
  EXPECT_FALSE(dozer::equal(a, b, [](int, int) -> bool { throw 1; }));
}

TEST(Equal, AtMostOneCallForEachElement) {
  const std::vector<int> numbers(100'000);
  dozer_test::everywhere([&] {
    std::atomic<int> calls{0};
    EXPECT_TRUE(dozer::equal(numbers, numbers, [&](int, int) { return (++calls, true); }));
    EXPECT_EQ(calls.load(), 100'000);
  });
}

TEST(Equal, FewCallsBehindADifference) {
  static constexpr int count = 1'000'000;
  dozer::thread_pool pool(2);
  pool.install([] {
    std::atomic<int> calls{0};
    const auto same = [&](int a, int) { return (calls.fetch_add(1, std::memory_order_relaxed), a != count / 100); };
    const auto numbers = std::views::iota(0, count);
    const auto fewest = [&](const auto& compare) {
      int least = count;
      for (int i = 0; i < 20 && least >= count / 2; ++i) {  // one thread may be interrupted while the other goes on
        calls = 0;
        compare();
        least = std::min(least, calls.load());
      }
      return least;
    };
    EXPECT_LT(fewest([&] { EXPECT_FALSE(dozer::equal(numbers, numbers, same)); }), count / 2);
    EXPECT_LT(fewest([&] { EXPECT_EQ(*dozer::mismatch(numbers, numbers, same).first, count / 100); }), count / 2);
  });
}

/// Made of a number, and counted.
struct made_of {
  int value;
  static inline std::atomic<int> made{0};
  made_of(int v) : value(v) { ++made; }
  friend auto operator<=>(const made_of&, const made_of&) = default;
};

TEST(Equal, AtMostOneCallForEachElementAlsoOfAnOperationOfStdForAClass) {
  std::vector<int> a(100), b(100);
  b[60] = 1;
  EXPECT_FALSE(dozer::equal(a, b, std::equal_to<made_of>()));
  EXPECT_LE(made_of::made.exchange(0), 200);
  EXPECT_FALSE(dozer::is_sorted(b, std::less<made_of>()));
  EXPECT_LE(made_of::made.exchange(0), 200);
}

TEST(Equal, AnExceptionOfThePredicateLeaves) {
  const std::vector<int> numbers(5000);
  dozer_test::everywhere([&] {
    const dozer_test::throws_at at(777);
    const auto same = [&](int, int) { return (at(), true); };
    EXPECT_THROW(static_cast<void>(dozer::equal(numbers, numbers, same)), std::runtime_error);
  });
}

TEST(Mismatch, AtMostOneCallForEachPair) {
  const std::vector<int> numbers(100'000);
  dozer_test::everywhere([&] {
    std::atomic<int> calls{0};
    const auto same = [&](int, int) { return (++calls, true); };
    EXPECT_EQ(dozer::mismatch(numbers, numbers, same).first, numbers.end());
    EXPECT_EQ(calls.load(), 100'000);
  });
}

TEST(Mismatch, AnExceptionOfThePredicateLeaves) {
  const std::vector<int> numbers(5000);
  dozer_test::everywhere([&] {
    const dozer_test::throws_at at(777);
    const auto same = [&](int, int) { return (at(), true); };
    EXPECT_THROW(static_cast<void>(dozer::mismatch(numbers, numbers, same)), std::runtime_error);
  });
}

TEST(Mismatch, TwoDearElementsAtOnce) {
  const std::vector<int> two(2);
  dozer_test::expect_two_at_once([&](const auto& meet) {
    EXPECT_EQ(dozer::mismatch(two, two, [&](int, int) { return (meet(), true); }).first, two.end());
  });
}

TEST(Equal, AfterAStopNothingDiffers) {
  std::stop_source stop;
  stop.request_stop();
  for (const std::size_t size : {10u, 100'000u}) {
    const std::vector<int> a(size, 1), b(size, 2);
    EXPECT_TRUE(dozer::equal(a, b, {.stop = stop.get_token()}));
    EXPECT_EQ(dozer::mismatch(a, b, {.stop = stop.get_token()}), std::pair(a.end(), b.end()));
  }
}

TEST(Equal, TwoDearElementsAtOnce) {
  const std::vector<int> two(2);
  dozer_test::expect_two_at_once(
      [&](const auto& meet) { EXPECT_TRUE(dozer::equal(two, two, [&](int, int) { return (meet(), true); })); });
}

}  // namespace
