// reduce_deterministic: the same bits whatever the threads, the grain and the schedule.
#include "support.hpp"

#include <dozer/algorithm/reduce_deterministic.hpp>

#include <bit>
#include <cmath>
#include <deque>
#include <numeric>
#include <optional>
#include <ranges>
#include <string>
#include <vector>

namespace {

using dozer_test::any_numbers;
using dozer_test::any_options;
using dozer_test::any_size;
using dozer_test::everywhere;
using dozer_test::failures_everywhere;

std::vector<float> any_floats(std::size_t size) {
  std::vector<float> floats;
  for (const int n : any_numbers(size, 1 << 30)) {
    floats.push_back(std::ldexp(static_cast<float>(n), n % 20 - 40) * (n % 2 == 0 ? 1.0f : -1.0f));
  }
  return floats;
}

TEST(ReduceDeterministic, TheSameBitsEverywhere) {
  EXPECT_TRUE(dozer_test::check([] {
    const auto floats = any_floats(*rc::gen::element<std::size_t>(0, 4, 40) * 5000 + any_size());
    const std::deque<float> chunks(floats.begin(), floats.end());
    const auto add = [](float a, float b) { return a + b; };
    const float sum = dozer::reduce_deterministic(floats, 1.0f),
                by_closure = dozer::reduce_deterministic(floats, 0.0f, add);
    const float in_chunks = dozer::reduce_deterministic(chunks, 0.0f);
    const auto same = [](float a, float b) {
      return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
    };
    const auto options = any_options();
    RC_ASSERT(failures_everywhere([&] {
                return same(dozer::reduce_deterministic(floats, 1.0f, options), sum) &&
                       same(dozer::reduce_deterministic(floats.begin(), floats.end(), 0.0f, add, options),
                            by_closure) &&
                       same(dozer::reduce_deterministic(chunks, 0.0f, options), in_chunks);
              }) == 0);
  }));
}

TEST(ReduceDeterministic, EveryElementOnceInOrder) {
  EXPECT_TRUE(dozer_test::check([] {
    const auto numbers = any_numbers(any_size(), 26);
    const auto options = any_options();
    std::vector<std::string> letters;
    std::string expected = ">";
    for (const int n : numbers) {
      letters.emplace_back(1, static_cast<char>('a' + n));
      expected += letters.back();
    }
    const int sum = std::reduce(numbers.begin(), numbers.end());
    RC_ASSERT(failures_everywhere([&] {
                std::atomic<std::size_t> calls{0};
                const auto add = [&](int a, int b) { return (++calls, a + b); };
                return dozer::reduce_deterministic(letters, std::string(">"), options) == expected &&
                       dozer::reduce_deterministic(numbers, options) == sum &&
                       dozer::reduce_deterministic(numbers, 4, add, options) == sum + 4 &&
                       calls.load() == numbers.size();
              }) == 0);
  }));
}

/// A term that says how it was grouped, if there are few elements.
TEST(ReduceDeterministic, GroupsAFewElementsAlongATree) {
  const std::vector<std::string> letters{"a", "b", "c", "d", "e", "f", "g"};
  const auto group = [](const std::string& a, const std::string& b) { return "(" + a + b + ")"; };
  everywhere([&] {
    EXPECT_EQ(dozer::reduce_deterministic(letters, std::string("0"), group), "(0(((ab)(cd))((ef)g)))");
    EXPECT_EQ(dozer::reduce_deterministic(letters, std::string("0"), group, {.grain = 3}), "(0(((ab)(cd))((ef)g)))");
  });
}

TEST(ReduceDeterministic, ElementsNeedNotBeCopied) {
  std::vector<dozer_test::move_only> elements(1000);
  for (auto& e : elements) {
    e.value = 2;
  }
  const auto add = [](const dozer_test::move_only& a, const dozer_test::move_only& b) {
    return dozer_test::move_only(a.value + b.value);
  };
  for (const std::ptrdiff_t size : {0, 1, 2, 3, 1000}) {
    everywhere([&] {
      EXPECT_EQ(
          dozer::reduce_deterministic(elements.begin(), elements.begin() + size, dozer_test::move_only(1), add).value,
          2 * size + 1);
    });
  }
}

TEST(ReduceDeterministic, AnExceptionLeavesAndNothingLeaks) {
  const std::vector<dozer_test::counted> elements(3000);
  const long before = dozer_test::counted::alive;
  for (const long k : {1L, 100L, 3000L}) {
    everywhere([&] {
      const dozer_test::throws_at at(k);
      using dozer_test::counted;
      const auto add = [&](counted a, const counted& b) { return (at(), counted(a.value + b.value)); };
      EXPECT_THROW(static_cast<void>(dozer::reduce_deterministic(elements, counted(), add)), std::runtime_error);
    });
  }
  EXPECT_EQ(dozer_test::counted::alive, before);
}

TEST(ReduceDeterministic, AfterAStopSomeElementsAreLeftOut) {
  std::stop_source stop;
  const auto add = [&](long a, long b) { return (stop.request_stop(), a + b); };
  const std::vector<long> many(200'000, 1);
  EXPECT_LT(dozer::reduce_deterministic(many, 0L, add, {.stop = stop.get_token()}), 150'000);
  EXPECT_EQ(dozer::reduce_deterministic(many, 3L, {.stop = stop.get_token()}), 3);
}

TEST(ReduceDeterministic, DearOperationsAtOnce) {
  dozer_test::expect_two_at_once([](const auto& meet) {
    const auto add = [&](int a, int b) { return (meet(), a + b); };
    EXPECT_EQ(dozer::reduce_deterministic(std::views::iota(0, 16), 0, add), 120);
  });
}

}  // namespace
