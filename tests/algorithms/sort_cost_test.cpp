// How many comparisons sorts make, and that dear ones run at the same time.
#include "sort_support.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

namespace {

using namespace dozer_test;

/// Any comparison, as one type: each sort is compiled once.
class comparison {
 public:
  explicit comparison(const std::function<bool(int, int)>& less) : less_(&less) {}
  bool operator()(int a, int b) const { return (*less_)(a, b); }

 private:
  const std::function<bool(int, int)>* less_;
};

long comparisons(std::vector<int> v, const std::function<void(std::vector<int>&, comparison)>& sort) {
  std::atomic<long> count{0};
  const std::function<bool(int, int)> less = [&](int a, int b) {
    count.fetch_add(1, std::memory_order_relaxed);
    return a < b;
  };
  sort(v, comparison(less));
  return count;
}
double n_log_n(std::size_t n) { return static_cast<double>(n) * std::log2(static_cast<double>(n)); }

TEST(Sort, ComparisonsAreFew) {
  const auto unstable = [](auto& v, comparison less) { dozer::sort(v, less); };
  const auto stable = [](auto& v, comparison less) { dozer::stable_sort(v, less); };
  const auto nth = [](auto& v, comparison less) {
    dozer::nth_element(v, v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), less);
  };
  for (const std::size_t size : {100u, 1000u, 20'000u, 100'000u}) {
    for (const int range : {4, 1'000'000'000}) {
      for (const int pattern : {0, 1, 2, 3, 4}) {
        const auto v = any_numbers(size, 7, range, pattern);
        const double most = n_log_n(size);
        EXPECT_LE(static_cast<double>(comparisons(v, unstable)), 1.5 * most + 1000)
            << size << ' ' << range << ' ' << pattern;
        EXPECT_LE(static_cast<double>(comparisons(v, stable)), 1.3 * most + 1000)
            << size << ' ' << range << ' ' << pattern;
        EXPECT_LE(comparisons(v, nth), 12 * static_cast<long>(size) + 1000) << size << ' ' << range << ' ' << pattern;
      }
    }
  }
}

TEST(PartialSort, ComparisonsAreFew) {
  for (const std::size_t size : {100u, 1000u, 20'000u, 100'000u}) {
    for (const std::size_t front : {std::size_t{1}, size / 10, size}) {
      const auto partial = [&](auto& v, comparison less) {
        dozer::partial_sort(v, v.begin() + static_cast<std::ptrdiff_t>(front), less);
      };
      const double most = 12 * static_cast<double>(size) + 1.5 * n_log_n(front) + 1000;
      EXPECT_LE(static_cast<double>(comparisons(any_numbers(size, 7, 1'000'000'000, 0), partial)), most)
          << front << " of " << size;
    }
  }
}

TEST(Sort, AnAdversaryMakesItNoWorseThanHeapSort) {
  // McIlroy's killer: values are decided as late as possible, so that every pivot is among the least.
  constexpr int size = 5000;
  for (const bool is_sort : {true, false}) {
    std::vector<int> places(size), values(size, size);
    std::iota(places.begin(), places.end(), 0);
    std::mutex mutex;
    int decided = 0, candidate = 0;
    long compared = 0;
    const std::function<bool(int, int)> less = [&](int a, int b) {
      const std::lock_guard hold(mutex);
      ++compared;
      auto &x = values[static_cast<std::size_t>(a)], &y = values[static_cast<std::size_t>(b)];
      if (x == size && y == size) {
        (a == candidate ? x : y) = decided++;
      }
      if (x == size) {
        candidate = a;
      } else if (y == size) {
        candidate = b;
      }
      return x < y;
    };
    if (is_sort) {
      dozer::sort(places, comparison(less));
    } else {
      dozer::nth_element(places, places.begin() + size / 2, comparison(less));
    }
    EXPECT_LE(static_cast<double>(compared), 6 * n_log_n(size));
  }
}

/// Comparisons wait until two of them run at the same time, or for a while.
class two_at_once {
 public:
  bool operator()(int a, int b) const {
    inside_.fetch_add(1);
    for (int i = 0; i < 20 && !met_; ++i) {
      met_ = met_ || inside_ >= 2;
      std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
    inside_.fetch_sub(1);
    return a < b;
  }
  [[nodiscard]] bool met() const { return met_; }

 private:
  mutable std::atomic<int> inside_{0};
  mutable std::atomic<bool> met_{false};
};

TEST(Sort, DearComparisonsOfFewElementsRunAtOnce) {
  dozer::thread_pool pool(2);
  for (const std::size_t size : {4u, 10u, 64u}) {
    const auto numbers = any_numbers(size, 3, 1000, 0);
    for (const int kind : {0, 1, 2}) {
      const two_at_once waits;
      const std::function<bool(int, int)> less = std::ref(waits);
      auto v = numbers;
      pool.install([&] {
        if (kind == 0) {
          dozer::sort(v, comparison(less));
        } else if (kind == 1) {
          dozer::stable_sort(v, comparison(less));
        } else {
          dozer::nth_element(v, v.begin() + 2, comparison(less));
        }
      });
      EXPECT_TRUE(waits.met()) << "kind " << kind << " of " << size;
    }
  }
}

TEST(Sort, DearComparisonsAreShared) {
  dozer::thread_pool pool(2);
  const auto numbers = any_numbers(64, 5, 1000, 0);
  for (const bool stable : {false, true}) {
    std::atomic<int> calls{0};
    const std::function<bool(int, int)> less = [&](int a, int b) {
      ++calls;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return a < b;
    };
    auto v = numbers;
    const auto start = std::chrono::steady_clock::now();
    pool.install([&] { stable ? dozer::stable_sort(v, comparison(less)) : dozer::sort(v, comparison(less)); });
    const auto took = std::chrono::steady_clock::now() - start;
    EXPECT_TRUE(std::is_sorted(v.begin(), v.end()));
    std::printf("%s: %d comparisons of 1 ms in %.0f ms\n", stable ? "stable_sort" : "sort", calls.load(),
                std::chrono::duration<double, std::milli>(took).count());
    EXPECT_LE(calls.load(), 64 * 6 * 3 / 2);
  }
}

}  // namespace
