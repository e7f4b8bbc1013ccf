// min_element, max_element, minmax_element: of equal ones the same as in std.
#include "support.hpp"

#include <dozer/algorithm/min_element.hpp>

#include <algorithm>
#include <deque>
#include <limits>
#include <numeric>
#include <ranges>
#include <vector>

namespace {

using dozer_test::any_numbers;
using dozer_test::any_options;
using dozer_test::any_size;
using dozer_test::failures_everywhere;

TEST(MinElement, LikeStdAmongEqualOnes) {
  EXPECT_TRUE(dozer_test::check([] {
    const auto numbers = any_numbers(any_size(), *rc::gen::element(1, 2, 10, 1'000'000));
    const std::deque<int> chunks(numbers.begin(), numbers.end());
    const std::vector<float> floats(numbers.begin(), numbers.end());
    const auto options = any_options();
    const auto less = [](int a, int b) { return a < b; };
    const auto begin = numbers.begin(), end = numbers.end();
    const auto least = std::min_element(begin, end), most = std::max_element(begin, end);
    const auto both = std::minmax_element(begin, end);
    const auto most_last = std::minmax_element(begin, end, std::greater<>());
    RC_ASSERT(failures_everywhere([&] {
                return dozer::min_element(numbers, options) == least && dozer::max_element(numbers, options) == most &&
                       dozer::minmax_element(numbers, options) == both &&
                       dozer::min_element(begin, end, less, options) == least &&
                       dozer::max_element(begin, end, less, options) == most &&
                       dozer::minmax_element(begin, end, less, options) == both &&
                       dozer::minmax_element(numbers, std::greater<>(), options) == most_last &&
                       dozer::min_element(chunks, {}, std::negate<>(), options) - chunks.begin() == most - begin &&
                       dozer::max_element(chunks, options) - chunks.begin() == most - begin &&
                       dozer::min_element(floats, options) - floats.begin() == least - begin &&
                       dozer::max_element(floats, std::ranges::less(), options) - floats.begin() == most - begin &&
                       dozer::minmax_element(chunks, options).second - chunks.begin() == both.second - begin;
              }) == 0);
  }));
}

/// Numbers in memory have a way of their own, by blocks and lanes.
template <class T>
void expect_like_std(const std::vector<T>& numbers, const char* which) {
  SCOPED_TRACE(which);
  EXPECT_EQ(dozer::min_element(numbers), std::min_element(numbers.begin(), numbers.end()));
  EXPECT_EQ(dozer::max_element(numbers), std::max_element(numbers.begin(), numbers.end()));
  EXPECT_EQ(dozer::minmax_element(numbers), std::minmax_element(numbers.begin(), numbers.end()));
}

template <class T>
void expect_like_std_at_borders() {
  const T low = std::numeric_limits<T>::lowest(), high = std::numeric_limits<T>::max();
  for (const std::size_t size : {1u, 2u, 31u, 32u, 33u, 1023u, 1024u, 1025u, 4097u, 100'000u}) {
    std::vector<T> numbers(size, T(1));
    expect_like_std(numbers, "all the same");
    for (const std::size_t at : {size - 1, size / 2, size / 3, std::size_t{0}}) {
      numbers[at] = low;
      expect_like_std(numbers, "one more is the smallest");
    }
    for (const std::size_t at : {size - 1, size / 2, size / 3, std::size_t{0}}) {
      numbers[at] = high;
      expect_like_std(numbers, "one more is the largest");
    }
  }
}

TEST(MinElement, OfNumbersOfAnyTypeTheSameAsInStd) {
  expect_like_std_at_borders<signed char>();
  expect_like_std_at_borders<unsigned short>();
  expect_like_std_at_borders<unsigned>();
  expect_like_std_at_borders<long>();
  expect_like_std_at_borders<float>();
  expect_like_std_at_borders<double>();
  expect_like_std_at_borders<long double>();
}

TEST(MinElement, ZerosAreEqualAndInfinitiesAreTheEnds) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  std::vector<double> numbers(5000, -0.0);
  numbers[40] = 0.0;
  expect_like_std(numbers, "zeros");
  numbers[3000] = infinite;
  numbers[4000] = infinite;
  numbers[2000] = -infinite;
  numbers[2500] = -infinite;
  expect_like_std(numbers, "infinities");
  expect_like_std(std::vector<double>(5000, infinite), "infinite");
  expect_like_std(std::vector<double>(5000, -infinite), "negative and infinite");
}

/// A NaN has no place in an order. But in a range that one thread runs through it hides no other number.
TEST(MinElement, ANaNBehindTheFirstElementIsNoExtreme) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> numbers(4000);
  std::iota(numbers.begin(), numbers.end(), 1.0f);
  for (std::size_t at = 1; at < numbers.size(); at += 32) {
    numbers[at] = nan;
  }
  numbers[2000] = -1;
  numbers[2222] = 9000;
  EXPECT_EQ(dozer::min_element(numbers) - numbers.begin(), 2000);
  EXPECT_EQ(dozer::max_element(numbers) - numbers.begin(), 2222);
  EXPECT_EQ(dozer::minmax_element(numbers), std::pair(numbers.begin() + 2000, numbers.begin() + 2222));
  std::vector<float> only(4000, nan);
  only[0] = -std::numeric_limits<float>::infinity();
  EXPECT_EQ(dozer::minmax_element(only), std::pair(only.begin(), only.begin()));
}

TEST(MinElement, TakesNumbersThatMayChangeUnderneath) {
  volatile int numbers[] = {3, 1, 2};
  EXPECT_EQ(dozer::min_element(numbers, numbers + 3) - numbers, 1);
}

TEST(MinElement, ComparesNoMoreThanStd) {
  EXPECT_TRUE(dozer_test::check([] {
    const auto numbers = any_numbers(any_size(), 1000);
    const auto options = any_options();
    const auto size = static_cast<long>(numbers.size());
    RC_ASSERT(failures_everywhere([&] {
                std::atomic<long> calls{0};
                const auto less = [&](int a, int b) { return (++calls, a < b); };
                static_cast<void>(dozer::min_element(numbers, less, options));
                bool once = calls.exchange(0) == std::max(size - 1, 0L);
                static_cast<void>(dozer::max_element(numbers, less, options));
                once = calls.exchange(0) == std::max(size - 1, 0L) && once;
                static_cast<void>(dozer::minmax_element(numbers, less, options));
                return once && calls.load() <= std::max(3 * (size - 1) / 2, 0L);
              }) == 0);
  }));
}

TEST(MinElement, TakesProjectionsViewsAndElementsThatCannotBeCopied) {
  std::vector<dozer_test::move_only> unique(700);
  unique[600].value = -5;
  unique[30].value = 5;
  EXPECT_EQ(dozer::min_element(unique) - unique.begin(), 600);
  EXPECT_EQ(dozer::max_element(unique, {}, &dozer_test::move_only::value) - unique.begin(), 30);
  EXPECT_EQ(dozer::minmax_element(unique, {}, &dozer_test::move_only::value, {.grain = 5}).first - unique.begin(), 600);
  const auto parabola = std::views::iota(0, 1000) | std::views::transform([](int n) { return (n - 300) * (n - 300); });
  EXPECT_EQ(dozer::min_element(parabola) - parabola.begin(), 300);
  EXPECT_EQ(*dozer::max_element(std::views::iota(0, 1000)), 999);
}

TEST(MinElement, AnExceptionOfTheComparisonLeaves) {
  dozer_test::everywhere([] {
    for (const long k : {1L, 2000L}) {
      const dozer_test::throws_at at(k);
      const auto less = [&](int a, int b) { return (at(), a < b); };
      EXPECT_THROW(static_cast<void>(dozer::min_element(std::views::iota(0, 5000), less)), std::runtime_error);
    }
  });
}

TEST(MinElement, AnExceptionLeavesMaxAndMinMax) {
  dozer_test::everywhere([] {
    const dozer_test::throws_at a(2000), b(2000);
    const auto one = [&](int x, int y) { return (a(), x < y); };
    const auto two = [&](int x, int y) { return (b(), x < y); };
    EXPECT_THROW(static_cast<void>(dozer::max_element(std::views::iota(0, 5000), one)), std::runtime_error);
    EXPECT_THROW(static_cast<void>(dozer::minmax_element(std::views::iota(0, 5000), two)), std::runtime_error);
  });
}

TEST(MinElement, LastIfStoppedBeforeTheFirstOne) {
  std::stop_source stop;
  stop.request_stop();
  const dozer::loop_options stopped{.stop = stop.get_token()};
  for (const std::size_t size : {10u, 100'000u}) {
    const std::vector<int> numbers(size);
    EXPECT_EQ(dozer::min_element(numbers, stopped), numbers.end());
    EXPECT_EQ(dozer::minmax_element(numbers, stopped), std::pair(numbers.end(), numbers.end()));
  }
}

TEST(MinElement, TwoDearComparisonsAtOnce) {
  dozer_test::expect_two_at_once([](const auto& meet) {
    const auto less = [&](int a, int b) { return (meet(), a < b); };
    EXPECT_EQ(*dozer::max_element(std::views::iota(0, 16), less), 15);
  });
  dozer_test::expect_two_at_once([](const auto& meet) {
    const auto less = [&](int a, int b) { return (meet(), a < b); };
    EXPECT_EQ(*dozer::minmax_element(std::views::iota(0, 4), less).second, 3);
  });
}

}  // namespace
