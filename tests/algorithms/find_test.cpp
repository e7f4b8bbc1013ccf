// find, find_if, find_if_not, any_of, all_of, none_of: the first hit, with little work behind it.
#include "support.hpp"

#include <dozer/algorithm/any_of.hpp>
#include <dozer/algorithm/find.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <numeric>
#include <ranges>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using dozer_test::any_numbers;
using dozer_test::any_options;
using dozer_test::any_size;
using dozer_test::failures_everywhere;

TEST(Find, TheFirstHitLikeStd) {
  EXPECT_TRUE(dozer_test::check([] {
    const auto numbers = any_numbers(any_size(), *rc::gen::inRange(1, 3000));
    const std::deque<int> chunks(numbers.begin(), numbers.end());
    const std::vector<double> floats(numbers.begin(), numbers.end());
    const auto options = any_options();
    const auto hit = [](int n) { return n == 0; };
    const auto miss = [](int n) { return n != 0; };
    const auto expected = std::find(numbers.begin(), numbers.end(), 0);
    const auto in_chunks = std::find(chunks.begin(), chunks.end(), 0);
    RC_ASSERT(failures_everywhere([&] {
                return dozer::find_if(chunks, hit, options) == in_chunks &&
                       dozer::find_if(chunks.begin(), chunks.end(), hit, {}, options) == in_chunks &&
                       dozer::find_if_not(chunks, miss, options) == in_chunks &&
                       dozer::find_if_not(numbers.begin(), numbers.end(), miss, options) == expected &&
                       dozer::find(chunks, 0, options) == in_chunks && dozer::find(numbers, 0L, options) == expected &&
                       dozer::find(floats, 0, options) - floats.begin() == expected - numbers.begin() &&
                       dozer::find(numbers.begin(), numbers.end(), 0) == expected;
              }) == 0);
  }));
}

TEST(Find, AnyAllAndNoneLikeStd) {
  EXPECT_TRUE(dozer_test::check([] {
    auto numbers = any_numbers(any_size(), 1000);
    const int wanted = *rc::gen::inRange(0, 1000);
    if (*rc::gen::arbitrary<bool>()) {
      std::fill(numbers.begin(), numbers.end(), wanted);
    }
    const std::deque<int> chunks(numbers.begin(), numbers.end());
    const auto options = any_options();
    const auto is = [&](int n) { return n == wanted; };
    const bool any = std::any_of(numbers.begin(), numbers.end(), is),
               all = std::all_of(numbers.begin(), numbers.end(), is);
    RC_ASSERT(failures_everywhere([&] {
                return dozer::any_of(numbers, is, options) == any && dozer::any_of(chunks, is, options) == any &&
                       dozer::none_of(numbers, is, options) == !any &&
                       dozer::none_of(chunks.begin(), chunks.end(), is) == !any &&
                       dozer::all_of(numbers, is, options) == all && dozer::all_of(chunks, is, options) == all;
              }) == 0);
  }));
}

struct keyed {
  int key = 0;
};

TEST(Find, TakesProjectionsViewsAndElementsThatCannotBeCopied) {
  std::vector<keyed> pairs(500);
  pairs[321].key = pairs[400].key = 7;
  EXPECT_EQ(dozer::find(pairs, 7, &keyed::key) - pairs.begin(), 321);
  EXPECT_EQ(dozer::find(pairs, 7, &keyed::key, {.grain = 4}) - pairs.begin(), 321);
  EXPECT_TRUE(dozer::any_of(
      pairs, [](int k) { return k == 7; }, &keyed::key));
  std::vector<dozer_test::move_only> unique(500);
  unique[10].value = 1;
  EXPECT_EQ(dozer::find(unique, dozer_test::move_only(1)) - unique.begin(), 10);
  const auto is_one = [](const dozer_test::move_only& e) { return e.value == 1; };
  EXPECT_TRUE(dozer::any_of(unique, is_one));
  EXPECT_FALSE(dozer::all_of(unique, is_one));
  EXPECT_FALSE(dozer::none_of(unique, is_one));
  EXPECT_EQ(*dozer::find(std::views::iota(0, 5000), 4321), 4321);
  const auto squares = std::views::iota(0, 5000) | std::views::transform([](int n) { return n * n; });
  EXPECT_EQ(dozer::find(squares, 900) - squares.begin(), 30);
  const std::vector<bool> bits(1000);
  EXPECT_EQ(dozer::find(bits, true), bits.end());
  EXPECT_TRUE((std::is_same_v<decltype(dozer::find(std::vector<int>(), 1)), std::ranges::dangling>));
}

TEST(Find, NoElementTwiceAndLittleBehindTheHit) {
  static constexpr int count = 1'000'000;
  dozer_test::everywhere([] {
    std::atomic<int> calls{0};
    const auto never = [&](int) { return (calls.fetch_add(1, std::memory_order_relaxed), false); };
    const auto always = [&](int) { return (calls.fetch_add(1, std::memory_order_relaxed), true); };
    EXPECT_FALSE(dozer::any_of(std::views::iota(0, count / 10), never));
    EXPECT_EQ(calls.exchange(0), count / 10);
    const auto fewer = std::views::iota(0, count / 100);
    EXPECT_TRUE(dozer::none_of(fewer, never));
    EXPECT_EQ(calls.exchange(0), count / 100);
    EXPECT_TRUE(dozer::all_of(fewer, always));
    EXPECT_EQ(calls.exchange(0), count / 100);
    EXPECT_EQ(dozer::find_if_not(fewer, always), fewer.end());
    EXPECT_EQ(calls.load(), count / 100);
  });
  dozer::thread_pool pool(2);
  pool.install([] {
    std::atomic<int> calls{0};
    const auto early = [&](int n) { return (calls.fetch_add(1, std::memory_order_relaxed), n == count / 100); };
    int fewest = count;
    for (int i = 0; i < 20 && fewest > count / 10; ++i) {  // one thread may be interrupted while the other goes on
      calls = 0;
      EXPECT_EQ(*dozer::find_if(std::views::iota(0, count), early), count / 100);
      fewest = std::min(fewest, calls.load());
    }
    EXPECT_LE(fewest, count / 10);
    calls = 0;
    EXPECT_TRUE(dozer::any_of(std::views::iota(0, count), [&](int) { return (++calls, true); }));
    EXPECT_LE(calls.load(), 2);
  });
}

/// What lies far behind may be needed least. A thief that has the rest cuts it near its front, and the thread that the
/// rest was stolen from goes on behind the cut.
TEST(Find, ThreadsStayNearTheFront) {
  constexpr int count = 1'000'000, grain = 100;
  std::vector<int> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  dozer::thread_pool pool({.threads = 2});
  const auto caller = std::this_thread::get_id();
  std::atomic<int> of_the_thief{-1}, of_the_caller{-1};  // the first number that it looks at behind the first block
  const auto met = [](const std::atomic<int>& other) {
    EXPECT_TRUE(dozer_test::eventually([&] { return other != -1; }));
  };
  const auto look = [&](int i) {
    if (std::this_thread::get_id() != caller) {
      if (of_the_thief == -1) {
        of_the_thief = i;
        met(of_the_caller);
      }
    } else if (i == 0) {
      met(of_the_thief);
    } else if (i >= grain && of_the_caller == -1) {
      of_the_caller = i;
    }
    return false;
  };
  EXPECT_EQ(pool.install([&] { return dozer::find_if(numbers, look, {}, {.grain = grain}); }), numbers.end());
  EXPECT_EQ(of_the_thief, grain);
  EXPECT_LE(of_the_caller, 4 * grain);
  EXPECT_LE(pool.stats().total.steals, 500u) << "what is cut off does not grow";
}

TEST(Find, AnExceptionOfThePredicateLeaves) {
  const std::vector<int> numbers(5000);
  for (const long k : {1L, 2500L, 5000L}) {
    dozer_test::everywhere([&] {
      const dozer_test::throws_at at(k);
      EXPECT_THROW(static_cast<void>(dozer::find_if(numbers, [&](int) { return (at(), false); })), std::runtime_error);
    });
  }
}

TEST(Find, AnExceptionLeavesAnyAllAndNone) {
  const std::vector<int> numbers(5000);
  dozer_test::everywhere([&] {
    const dozer_test::throws_at a(777), b(777), c(777);
    EXPECT_THROW(static_cast<void>(dozer::any_of(numbers, [&](int) { return (a(), false); })), std::runtime_error);
    EXPECT_THROW(static_cast<void>(dozer::all_of(numbers, [&](int) { return (b(), true); })), std::runtime_error);
    EXPECT_THROW(static_cast<void>(dozer::none_of(numbers, [&](int) { return (c(), false); })), std::runtime_error);
  });
}

TEST(Find, FindsNothingAfterAStop) {
  std::stop_source stop;
  stop.request_stop();
  const dozer::loop_options stopped{.stop = stop.get_token()};
  for (const std::size_t size : {10u, 100'000u}) {
    const std::vector<int> numbers(size, 1);
    const auto is_one = [](int n) { return n == 1; };
    EXPECT_EQ(dozer::find(numbers, 1, stopped), numbers.end());
    EXPECT_EQ(dozer::find_if(numbers, is_one, stopped), numbers.end());
    EXPECT_FALSE(dozer::any_of(numbers, is_one, stopped));
  }
}

TEST(Find, TwoDearElementsAtOnce) {
  dozer_test::expect_two_at_once([](const auto& meet) {
    EXPECT_EQ(*dozer::find_if(std::views::iota(0, 2), [&](int n) { return (meet(), n == 1); }), 1);
  });
  dozer_test::expect_two_at_once([](const auto& meet) {
    EXPECT_TRUE(dozer::all_of(std::views::iota(0, 2), [&](int) { return (meet(), true); }));
  });
}

/// Elements that turn out to be dear in the middle of a block do not stay in one thread.
TEST(Find, DearElementsAmongCheapOnesAreShared) {
  constexpr int count = 100'000, few = 2'000, last = 500;  // more than are run between two looks
  dozer::thread_pool pool(4);
  dozer_test::two_at_once two;
  pool.install([&] {
    EXPECT_FALSE(dozer::any_of(std::views::iota(0, count), [&](int n) {
      const int dear = n - count / 2;
      if (dear >= few - last && dear < few) {
        two.wait();
      } else if (dear >= 0 && dear < few) {
        std::this_thread::sleep_for(50us);
      }
      return false;
    }));
  });
  EXPECT_TRUE(two.met());
}

}  // namespace
