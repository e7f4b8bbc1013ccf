// for_each: one call for each element.
#include "support.hpp"

#include <dozer/algorithm/for_each.hpp>

#include <algorithm>
#include <deque>
#include <memory>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

namespace {

using dozer_test::any_options;
using dozer_test::any_size;
using dozer_test::failures_everywhere;

TEST(ForEach, OneCallForEachElement) {
  EXPECT_TRUE(dozer_test::check([] {
    const auto size = any_size();
    const auto options = any_options();
    RC_ASSERT(failures_everywhere([&] {
                std::vector<int> calls(size);
                std::deque<int> chunks(size);
                std::vector<dozer_test::over_aligned> aligned(size);
                dozer::for_each(
                    calls, [](int& n) { ++n; }, options);
                dozer::for_each(
                    calls.begin(), calls.end(), [](int& n) { ++n; }, options);
                dozer::for_each(
                    chunks, [](int& n) { n += 2; }, options);
                dozer::for_each(
                    aligned, [](int& n) { n += 2; }, &dozer_test::over_aligned::value, options);
                const auto is_two = [](int n) { return n == 2; };
                return std::all_of(calls.begin(), calls.end(), is_two) &&
                       std::all_of(chunks.begin(), chunks.end(), is_two) &&
                       std::ranges::all_of(aligned, is_two, &dozer_test::over_aligned::value);
              }) == 0);
  }));
}

TEST(ForEach, TakesViewsMembersAndLargeClosures) {
  std::atomic<long> sum{0};
  dozer::for_each(std::views::iota(0, 1000), [&](int n) { sum += n; });
  EXPECT_EQ(sum, 499'500);
  std::vector<std::string> words(500, "word");
  dozer::for_each(words, [tail = std::string(100, 'x')](std::string& w) { w += tail; });
  EXPECT_EQ(words[499].size(), 104u);
  dozer::for_each(words, &std::string::clear);
  EXPECT_EQ(words[499], "");
}

TEST(ForEach, ReadsBitsThatNobodyCanWrite) {
  std::vector<bool> bits(1000, true);
  bits[5] = false;
  std::atomic<long> held{0};
  dozer::for_each(std::as_const(bits), [&](bool bit) { held += bit ? 1 : 0; });
  dozer::parallel_for(bits.cbegin(), bits.cend(), [&](bool bit) { held += bit ? 1 : 0; });
  EXPECT_EQ(held, 2 * 999);
}

TEST(ForEach, TakesElementsThatCannotBeCopied) {
  std::vector<dozer_test::move_only> unique(1000);
  dozer::for_each(unique, [](dozer_test::move_only& e) { e.value += 2; });
  EXPECT_TRUE(std::ranges::all_of(unique, [](const auto& e) { return e.value == 2; }));
}

TEST(ForEach, TakesFunctionsThatCannotBeCopied) {
  std::atomic<long> sum{0};
  dozer::for_each(std::views::iota(0, 1000), [&, two = std::make_unique<int>(2)](int n) { sum += *two * n; });
  EXPECT_EQ(sum, 999'000);
}

TEST(ForEach, AnExceptionLeavesAndNothingMoreBegins) {
  for (const long k : {1L, 50L, 5000L}) {
    dozer_test::everywhere([&] {
      const dozer_test::throws_at at(k);
      EXPECT_THROW(dozer::for_each(std::views::iota(0, 10'000), [&](int) { at(); }), std::runtime_error);
    });
  }
}

TEST(ForEach, AfterAStopNoCallBegins) {
  std::stop_source stop;
  std::atomic<int> calls{0};
  const auto call = [&](int) { (stop.request_stop(), ++calls); };
  dozer::for_each(std::views::iota(0, 1'000'000), call, {.stop = stop.get_token()});
  EXPECT_LT(calls.load(), 500'000);
  calls = 0;
  dozer::for_each(std::views::iota(0, 10), call, {.stop = stop.get_token()});
  EXPECT_EQ(calls.load(), 0);
}

TEST(ForEach, TwoDearElementsAtOnce) {
  std::vector<int> two(2);
  dozer_test::expect_two_at_once([&](const auto& meet) { dozer::for_each(two, [&](int) { meet(); }); });
}

}  // namespace
