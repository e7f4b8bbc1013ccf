// fill, generate, copy, reverse: what only writes.
#include "support.hpp"

#include <dozer/algorithm/copy.hpp>
#include <dozer/algorithm/fill.hpp>
#include <dozer/algorithm/reverse.hpp>

#include <algorithm>
#include <deque>
#include <numeric>
#include <ranges>
#include <string>
#include <vector>

namespace {

using dozer_test::any_numbers;
using dozer_test::any_options;
using dozer_test::any_size;
using dozer_test::counted;
using dozer_test::failures_everywhere;

TEST(Fill, EveryElementAndNothingElse) {
  EXPECT_TRUE(rc::check([] {
    const auto size = any_size();
    const auto options = any_options();
    const auto check = [&]<class C>(C made, const auto& value) {
      dozer::fill(made, value, options);
      const bool all = std::all_of(made.begin(), made.end(), [&](const auto& e) { return e == value; });
      if (size >= 2) {
        using element = typename C::value_type;
        dozer::fill(made.begin() + 1, made.end() - 1, element(), options);
        return all && made.front() == value && made.back() == value &&
               std::all_of(made.begin() + 1, made.end() - 1, [](const auto& e) { return e == element(); });
      }
      return all;
    };
    RC_ASSERT(failures_everywhere([&] {
                return check(std::vector<int>(size), 7) && check(std::vector<char>(size), 'x') &&
                       check(std::deque<double>(size), 1.5f) && check(std::vector<std::string>(size), "seven") &&
                       check(std::vector<dozer_test::over_aligned>(size), dozer_test::over_aligned{3});
              }) == 0);
  }));
}

TEST(Generate, OneCallForEachElement) {
  EXPECT_TRUE(rc::check([] {
    const auto size = any_size();
    const auto options = any_options();
    RC_ASSERT(failures_everywhere([&] {
                std::atomic<int> next{0};
                std::vector<int> numbers(size, -1);
                dozer::generate(
                    numbers, [&] { return next++; }, options);
                std::sort(numbers.begin(), numbers.end());
                std::deque<dozer_test::move_only> unique(size);
                dozer::generate(
                    unique.begin(), unique.end(), [] { return dozer_test::move_only(3); }, options);
                return next.load() == static_cast<int>(size) &&
                       std::ranges::equal(numbers, std::views::iota(0, next.load())) &&
                       std::all_of(unique.begin(), unique.end(), [](const auto& e) { return e.value == 3; });
              }) == 0);
  }));
}

TEST(Generate, AnExceptionLeavesElementsValid) {
  const long before = counted::alive;
  {
    std::vector<counted> made(3000);
    const dozer_test::throws_at at(1234);
    EXPECT_THROW(dozer::generate(made, [&] { return (at(), counted(1)); }), std::runtime_error);
    EXPECT_TRUE(std::all_of(made.begin(), made.end(), [](const counted& c) { return c.value == 0 || c.value == 1; }));
  }
  EXPECT_EQ(counted::alive, before);
}

TEST(Copy, LikeStd) {
  EXPECT_TRUE(rc::check([] {
    const auto from = any_numbers(any_size(), 1000);
    const auto options = any_options();
    const auto half = from | std::views::transform([](int n) { return n / 2; });
    RC_ASSERT(failures_everywhere([&] {
                std::vector<int> to(from.size() + 1, -1);
                std::deque<long> chunks(from.size() + 1, -1);
                std::vector<int> halves(from.size());
                return dozer::copy(from, to.begin(), options) == to.end() - 1 && to.back() == -1 &&
                       std::equal(from.begin(), from.end(), to.begin()) &&
                       dozer::copy(from.begin(), from.end(), chunks.begin(), options) == chunks.end() - 1 &&
                       chunks.back() == -1 && std::equal(from.begin(), from.end(), chunks.begin()) &&
                       dozer::copy(half, halves.begin(), options) == halves.end() && std::ranges::equal(half, halves);
              }) == 0);
  }));
}

TEST(Copy, CopiesOnceAndMovesNothing) {
  const std::vector<counted> from(5000);
  std::vector<counted> to(5000);
  const long copies = counted::copies, moves = counted::moves;
  dozer::copy(from, to.begin());
  EXPECT_EQ(counted::copies - copies, 5000);
  EXPECT_EQ(counted::moves - moves, 0);
}

TEST(Reverse, LikeStd) {
  EXPECT_TRUE(rc::check([] {
    const auto numbers = any_numbers(any_size(), 1000);
    const auto options = any_options();
    const std::vector<int> expected(numbers.rbegin(), numbers.rend());
    RC_ASSERT(failures_everywhere([&] {
                auto plain = numbers;
                std::deque<int> chunks(numbers.begin(), numbers.end());
                std::vector<dozer_test::move_only> unique;
                for (const int n : numbers) {
                  unique.emplace_back(n);
                }
                dozer::reverse(plain, options);
                dozer::reverse(chunks.begin(), chunks.end(), options);
                dozer::reverse(unique, options);
                return plain == expected && std::equal(expected.begin(), expected.end(), chunks.begin()) &&
                       std::equal(expected.begin(), expected.end(), unique.begin(),
                                  [](int n, const auto& e) { return n == e.value; });
              }) == 0);
  }));
}

TEST(Fill, AfterAStopNothingIsWritten) {
  std::stop_source stop;
  stop.request_stop();
  const dozer::loop_options stopped{.stop = stop.get_token()};
  for (const std::size_t size : {10u, 100'000u}) {
    std::vector<int> numbers(size), to(size);
    std::iota(numbers.begin(), numbers.end(), 1);
    const auto before = numbers;
    dozer::fill(numbers, 5, stopped);
    dozer::generate(
        numbers, [] { return 5; }, stopped);
    dozer::reverse(numbers, stopped);
    EXPECT_EQ(numbers, before);
    EXPECT_EQ(dozer::copy(numbers, to.begin(), stopped), to.end());
    EXPECT_EQ(to, std::vector<int>(size));
  }
}

TEST(Generate, TwoDearElementsAtOnce) {
  std::vector<int> two(2);
  dozer_test::expect_two_at_once([&](const auto& meet) { dozer::generate(two, [&] { return (meet(), 1); }); });
}

}  // namespace
