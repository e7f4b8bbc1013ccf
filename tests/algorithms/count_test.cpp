// count, count_if: each element is looked at once.
#include "support.hpp"

#include <dozer/algorithm/count.hpp>

#include <algorithm>
#include <deque>
#include <ranges>
#include <vector>

namespace {

using dozer_test::any_numbers;
using dozer_test::any_options;
using dozer_test::any_size;
using dozer_test::failures_everywhere;

TEST(Count, LikeStd) {
  EXPECT_TRUE(dozer_test::check([] {
    const auto numbers = any_numbers(any_size(), *rc::gen::inRange(1, 100));
    const std::deque<int> chunks(numbers.begin(), numbers.end());
    const std::vector<short> narrow(numbers.begin(), numbers.end());
    const auto options = any_options();
    const auto odd = [](int n) { return n % 2 != 0; };
    const auto twice = numbers | std::views::transform([](int n) { return 2 * n; });
    const auto sevens = std::count(numbers.begin(), numbers.end(), 7);
    const auto odds = std::count_if(numbers.begin(), numbers.end(), odd);
    RC_ASSERT(failures_everywhere([&] {
                return dozer::count(numbers, 7, options) == sevens && dozer::count(chunks, 7L, options) == sevens &&
                       dozer::count(narrow.begin(), narrow.end(), 7, options) == sevens &&
                       dozer::count(twice, 14, options) == sevens && dozer::count(numbers, 7) == sevens &&
                       dozer::count_if(numbers, odd, options) == odds && dozer::count_if(chunks, odd, options) == odds;
              }) == 0);
  }));
}

TEST(Count, OneCallForEachElement) {
  EXPECT_TRUE(dozer_test::check([] {
    const auto numbers = any_numbers(any_size(), 10);
    const auto options = any_options();
    std::atomic<std::size_t> calls{0}, rounds{0};
    dozer_test::everywhere([&] {
      ++rounds;
      static_cast<void>(dozer::count_if(
          numbers, [&](int) { return (++calls, true); }, options));
    });
    RC_ASSERT(calls.load() == rounds.load() * numbers.size());
  }));
}

struct keyed {
  int key;
  int other;
};

TEST(Count, TakesProjectionsAndElementsThatCannotBeCopied) {
  std::vector<keyed> pairs(1000);
  for (int i = 0; i < 1000; ++i) {
    pairs[static_cast<std::size_t>(i)] = {i % 3, 0};
  }
  EXPECT_EQ(dozer::count(pairs, 0, &keyed::key), 334);
  EXPECT_EQ(dozer::count(pairs, 0, &keyed::key, {.grain = 4}), 334);
  EXPECT_EQ(dozer::count_if(
                pairs, [](int k) { return k == 2; }, &keyed::key),
            333);
  std::vector<dozer_test::move_only> unique(500);
  unique[3].value = unique[400].value = 5;
  EXPECT_EQ(dozer::count(unique, 5, &dozer_test::move_only::value), 2);
  const std::vector<bool> bits(1000, true);
  EXPECT_EQ(dozer::count(bits, true), 1000);
  EXPECT_EQ(dozer::count(std::views::iota(0, 1000), 5), 1);
}

TEST(Count, AnExceptionOfThePredicateLeaves) {
  const std::vector<int> numbers(5000);
  for (const long k : {1L, 100L, 4999L}) {
    dozer_test::everywhere([&] {
      const dozer_test::throws_at at(k);
      EXPECT_THROW(static_cast<void>(dozer::count_if(numbers, [&](int) { return (at(), true); })), std::runtime_error);
    });
  }
}

TEST(Count, CountsNothingAfterAStop) {
  std::stop_source stop;
  stop.request_stop();
  const std::vector<int> few(10, 1), many(100'000, 1);
  const dozer::loop_options stopped{.stop = stop.get_token()};
  EXPECT_EQ(dozer::count(few, 1, stopped), 0);
  EXPECT_EQ(dozer::count(many, 1, stopped), 0);
  std::stop_source later;
  std::atomic<int> calls{0};
  const auto hits =
      dozer::count_if(many, [&](int) { return (later.request_stop(), ++calls, true); }, {.stop = later.get_token()});
  EXPECT_EQ(hits, calls.load());
  EXPECT_LT(hits, 50'000);
}

TEST(Count, TwoDearElementsAtOnce) {
  dozer_test::expect_two_at_once([](const auto& meet) {
    EXPECT_EQ(dozer::count_if(std::views::iota(0, 2), [&](int) { return (meet(), true); }), 2);
  });
}

}  // namespace
