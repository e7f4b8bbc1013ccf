// is_sorted: each two neighbours are compared once.
#include "support.hpp"

#include <dozer/algorithm/is_sorted.hpp>

#include <algorithm>
#include <deque>
#include <ranges>
#include <vector>

namespace {

using dozer_test::any_numbers;
using dozer_test::any_options;
using dozer_test::any_size;
using dozer_test::failures_everywhere;

TEST(IsSorted, LikeStd) {
  EXPECT_TRUE(dozer_test::check([] {
    auto numbers = any_numbers(any_size(), 1000);
    if (*rc::gen::arbitrary<bool>()) {
      std::sort(numbers.begin(), numbers.end());
      if (!numbers.empty() && *rc::gen::arbitrary<bool>()) {
        numbers[*rc::gen::inRange<std::size_t>(0, numbers.size())] += *rc::gen::inRange(-1, 2);
      }
    }
    const std::deque<int> chunks(numbers.begin(), numbers.end());
    const std::vector<double> floats(numbers.begin(), numbers.end());
    const auto options = any_options();
    const bool expected = std::is_sorted(numbers.begin(), numbers.end());
    const bool falls = std::is_sorted(numbers.begin(), numbers.end(), std::greater<>());
    RC_ASSERT(failures_everywhere([&] {
                return dozer::is_sorted(numbers, options) == expected &&
                       dozer::is_sorted(chunks, options) == expected &&
                       dozer::is_sorted(floats.begin(), floats.end(), options) == expected &&
                       dozer::is_sorted(numbers, std::greater<>(), options) == falls &&
                       dozer::is_sorted(numbers, {}, std::negate<>(), options) == falls &&
                       dozer::is_sorted(
                           numbers, [](int a, int b) { return a < b; }, options) == expected;
              }) == 0);
  }));
}

TEST(IsSorted, ComparesNeighboursOnce) {
  dozer_test::everywhere([] {
    std::atomic<int> calls{0};
    EXPECT_TRUE(dozer::is_sorted(std::views::iota(0, 10'000), [&](int a, int b) { return (++calls, a < b); }));
    EXPECT_EQ(calls.load(), 9'999);
  });
}

TEST(IsSorted, TakesElementsThatCannotBeCopied) {
  std::vector<dozer_test::move_only> unique(1000);
  EXPECT_TRUE(dozer::is_sorted(unique));
  unique[700].value = 1;
  EXPECT_FALSE(dozer::is_sorted(unique));
}

TEST(IsSorted, AnExceptionOfTheComparisonLeaves) {
  dozer_test::everywhere([] {
    const dozer_test::throws_at at(300);
    const auto less = [&](int a, int b) { return (at(), a < b); };
    EXPECT_THROW(static_cast<void>(dozer::is_sorted(std::views::iota(0, 5000), less)), std::runtime_error);
  });
}

TEST(IsSorted, AfterAStopNothingIsOutOfOrder) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(dozer::is_sorted(std::vector<int>{2, 1}, {.stop = stop.get_token()}));
}

TEST(IsSorted, TwoDearComparisonsAtOnce) {
  dozer_test::expect_two_at_once([](const auto& meet) {
    EXPECT_TRUE(dozer::is_sorted(std::views::iota(0, 3), [&](int a, int b) { return (meet(), a < b); }));
  });
}

}  // namespace
