// transform: of one range and of two.
#include "support.hpp"

#include <dozer/algorithm/transform.hpp>

#include <algorithm>
#include <deque>
#include <numeric>
#include <ranges>
#include <vector>

namespace {

using dozer_test::any_numbers;
using dozer_test::any_options;
using dozer_test::any_size;
using dozer_test::counted;
using dozer_test::failures_everywhere;

TEST(Transform, OneRangeLikeStd) {
  EXPECT_TRUE(dozer_test::check([] {
    const auto from = any_numbers(any_size(), 1000);
    const auto options = any_options();
    const auto f = [](int n) { return n * 3 + 1; };
    std::vector<int> expected(from.size() + 1, -1);
    std::transform(from.begin(), from.end(), expected.begin(), f);
    RC_ASSERT(failures_everywhere([&] {
                std::vector<int> to(from.size() + 1, -1);
                std::deque<long> chunks(from.size() + 1, -1);
                auto in_place = from;
                return dozer::transform(from, to.begin(), f, options) == to.end() - 1 && to == expected &&
                       dozer::transform(from.begin(), from.end(), chunks.begin(), f, options) == chunks.end() - 1 &&
                       std::equal(expected.begin(), expected.end(), chunks.begin()) &&
                       dozer::transform(in_place, in_place.begin(), f, std::identity(), options) == in_place.end() &&
                       std::equal(in_place.begin(), in_place.end(), expected.begin());
              }) == 0);
  }));
}

TEST(Transform, TwoRangesLikeStdUpToTheEndOfTheShorterOne) {
  EXPECT_TRUE(dozer_test::check([] {
    const auto a = any_numbers(any_size(), 1000);
    const auto b = any_numbers(a.size() + 3, 1000);
    const std::deque<int> chunks(b.begin(), b.end());
    const auto options = any_options();
    std::vector<int> expected(a.size() + 1, -1);
    std::transform(a.begin(), a.end(), b.begin(), expected.begin(), std::minus<>());
    RC_ASSERT(failures_everywhere([&] {
                std::vector<int> to(a.size() + 1, -1), again = to, swapped = to;
                return dozer::transform(a, b, to.begin(), std::minus<>(), options) == to.end() - 1 && to == expected &&
                       dozer::transform(a.begin(), a.end(), chunks.begin(), again.begin(), std::minus<>(), options) ==
                           again.end() - 1 &&
                       again == expected &&
                       dozer::transform(chunks, a, swapped.begin(), std::plus<>(), std::negate<>(), std::identity(),
                                        options) == swapped.end() - 1 &&
                       swapped == expected;
              }) == 0);
  }));
}

struct keyed {
  int key;
};

TEST(Transform, TakesProjectionsViewsAndResultsThatCannotBeCopied) {
  const std::vector<keyed> pairs(500, {3});
  std::vector<dozer_test::move_only> unique(500);
  dozer::transform(pairs, unique.begin(), [](int k) { return dozer_test::move_only(k); }, &keyed::key, {.grain = 7});
  EXPECT_EQ(unique[499].value, 3);
  std::vector<int> to(500);
  dozer::transform(pairs, std::views::iota(0, 1000), to.begin(), std::plus<>(), &keyed::key);
  EXPECT_EQ(to[499], 502);
  dozer::transform(pairs, pairs, to.begin(), std::plus<>(), &keyed::key, &keyed::key, {.grain = 3});
  EXPECT_EQ(to[499], 6);
  const auto squares = std::views::iota(0, 500) | std::views::transform([](int n) { return n * n; });
  dozer::transform(squares, to.begin(), std::negate<>());
  EXPECT_EQ(to[499], -499 * 499);
}

TEST(Transform, OneCallAndOneMoveForEachElement) {
  const std::vector<int> numbers(20'000, 1);
  dozer_test::everywhere([&] {
    std::atomic<int> calls{0};
    std::vector<int> to(numbers.size());
    dozer::transform(numbers, to.begin(), [&](int n) { return (++calls, n); });
    EXPECT_EQ(calls.load(), 20'000);
  });
  std::vector<counted> made(numbers.size());
  const long copies = counted::copies, moves = counted::moves;
  dozer::transform(numbers, made.begin(), [](int n) { return counted(n); });
  EXPECT_EQ(counted::copies - copies, 0);
  EXPECT_EQ(counted::moves - moves, 20'000);
}

TEST(Transform, OneCallForEachPair) {
  const std::vector<int> numbers(20'000, 1);
  dozer_test::everywhere([&] {
    std::atomic<int> calls{0};
    std::vector<int> to(numbers.size());
    dozer::transform(numbers, numbers, to.begin(), [&](int a, int b) { return (++calls, a + b); });
    EXPECT_EQ(calls.load(), 20'000);
  });
}

TEST(Transform, AnExceptionLeavesElementsValid) {
  const long before = counted::alive;
  {
    const std::vector<int> numbers(3000, 1);
    std::vector<counted> made(3000);
    for (const long k : {1L, 1000L, 3000L}) {
      const dozer_test::throws_at at(k);
      EXPECT_THROW(dozer::transform(numbers, made.begin(), [&](int n) { return (at(), counted(n)); }),
                   std::runtime_error);
    }
    EXPECT_TRUE(std::all_of(made.begin(), made.end(), [](const counted& c) { return c.value == 0 || c.value == 1; }));
  }
  EXPECT_EQ(counted::alive, before);
}

TEST(Transform, AfterAStopNothingIsWritten) {
  std::stop_source stop;
  stop.request_stop();
  std::vector<int> numbers(10'000);
  const auto set = [](int) { return 1; };
  EXPECT_EQ(dozer::transform(numbers, numbers.begin(), set, {.stop = stop.get_token()}), numbers.end());
  EXPECT_EQ(std::reduce(numbers.begin(), numbers.end()), 0);
}

TEST(Transform, TwoDearElementsAtOnce) {
  std::vector<int> two(2);
  dozer_test::expect_two_at_once(
      [&](const auto& meet) { dozer::transform(two, two.begin(), [&](int n) { return (meet(), n); }); });
  dozer_test::expect_two_at_once([&](const auto& meet) {
    dozer::transform(two, two, two.begin(), [&](int a, int b) { return (meet(), a + b); });
  });
}

}  // namespace
