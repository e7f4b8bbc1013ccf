// Sorts that are broken off, by an exception or a stop, and orders that are none: no element is lost.
#include "sort_support.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

namespace {

using namespace dozer_test;

/// A sort that calls `less` at each comparison, and that `stop` may stop.
using breakable_sort = std::function<void(const std::function<void()>& less, std::stop_token stop)>;

/// Breaks each kind of sort off at every power of two of comparisons; `less` does it.
template <class T>
void keeps_a_permutation(std::size_t size, const std::function<void(long at, const breakable_sort& sort)>& break_at) {
  const auto numbers = any_numbers(size, size, 10'000, 0);
  const auto expected = sorted(numbers);
  for (const std::size_t grain : {0u, 1u, 30u}) {
    for (long at = 1; at < 40 * static_cast<long>(size); at = at * 3 / 2 + 1) {
      for (const int kind : {0, 1, 2, 3}) {
        auto v = elements_of<T>(numbers);
        const long alive = counted::alive;
        break_at(at, [&](const std::function<void()>& less, std::stop_token stop) {
          const auto by_value = [&](const T& a, const T& b) { return less(), a.value < b.value; };
          const dozer::loop_options options{.grain = grain, .stop = std::move(stop)};
          if (kind == 0) {
            dozer::sort(v, by_value, options);
          } else if (kind == 1) {
            dozer::stable_sort(v, by_value, options);
          } else if (kind == 2) {
            dozer::nth_element(v, v.begin() + static_cast<std::ptrdiff_t>(size / 3), by_value, options);
          } else {
            dozer::partial_sort(v, v.begin() + static_cast<std::ptrdiff_t>(size / 2), by_value, options);
          }
        });
        std::vector<int> values;
        for (const T& e : v) {
          values.push_back(e.value);
        }
        ASSERT_EQ(sorted(values), expected) << "kind " << kind << ", grain " << grain << ", broken off at " << at;
        ASSERT_EQ(counted::alive, alive);
      }
    }
  }
}
template <class T>
void keeps_a_permutation_if_it_throws(std::size_t size) {
  keeps_a_permutation<T>(size, [](long at, const breakable_sort& sort) {
    const dozer_test::throws_at less(at);
    try {
      sort([&] { less(); }, {});
    } catch (const std::runtime_error&) {
    }
  });
}

TEST(Sort, AComparisonThatThrowsLosesNoElement) {
  static dozer::thread_pool pool(4);
  pool.install([] {
    for (const std::size_t size : {2u, 20u, 200u, dozer_test::under_tsan ? 1000u : 3000u}) {
      keeps_a_permutation_if_it_throws<counted>(size);
      keeps_a_permutation_if_it_throws<move_only>(size);
      keeps_a_permutation_if_it_throws<plain>(size);
    }
  });
}

TEST(Sort, AStopLosesNoElement) {
  static dozer::thread_pool pool(4);
  pool.install([] {
    for (const std::size_t size : {20u, 3000u}) {
      keeps_a_permutation<counted>(size, [](long at, const breakable_sort& sort) {
        std::stop_source source;
        std::atomic<long> left{at};
        sort([&] { return --left == 0 && source.request_stop(); }, source.get_token());
      });
    }
  });
}

TEST(Sort, AStopBeforeItLeavesTheRangeAsItWas) {
  std::stop_source source;
  source.request_stop();
  const std::vector<int> numbers = any_numbers(50'000, 1, 1000, 0);
  auto v = numbers;
  dozer::sort(v, {.stop = source.get_token()});
  dozer::stable_sort(v, {.stop = source.get_token()});
  dozer::sort(v, by_comparison, {.stop = source.get_token()});
  EXPECT_EQ(v, numbers);
}

TEST(Sort, AStopWhileDigitsAreSortedLosesNoElement) {
  const auto numbers = numbers_of<std::uint64_t>(300'000, 64);
  const auto expected = sorted(numbers);
  for (int us = 0; us < 2000; us += 250) {
    std::stop_source source;
    auto v = numbers;
    std::thread stopper([&] {
      dozer_test::spin_for(std::chrono::microseconds(us));
      source.request_stop();
    });
    dozer::sort(v, {.stop = source.get_token()});
    stopper.join();
    EXPECT_EQ(sorted(v), expected);
  }
}

TEST(Sort, AnOrderThatIsNoneOnlyGivesAnyOrder) {
  std::mt19937 random(1);
  for (const std::size_t size : {2u, 25u, 300u, 20'000u}) {
    const auto numbers = any_numbers(size, size, 1000, 0);
    const auto expected = sorted(numbers);
    const std::function<bool(int, int)> orders[] = {[](int, int) { return true; }, [](int, int) { return false; },
                                                    [](int a, int b) { return a <= b; },
                                                    [](int a, int b) { return (a ^ b) % 3 != 0; },
                                                    [state = std::make_shared<std::atomic<unsigned>>(1)](int, int) {
                                                      return (state->fetch_add(1) * 2654435761u >> 16) % 2 == 0;
                                                    }};
    for (const auto& order : orders) {
      for (const std::size_t grain : {0u, 20u}) {
        auto v = numbers;
        dozer::sort(v, order, {.grain = grain});
        EXPECT_EQ(sorted(v), expected);
        dozer::stable_sort(v, order, {.grain = grain});
        EXPECT_EQ(sorted(v), expected);
        dozer::nth_element(v, v.begin() + 1, order, {.grain = grain});
        EXPECT_EQ(sorted(v), expected);
      }
    }
  }
}

}  // namespace
