// How many comparisons sorts make, and that dear ones run at the same time.
#include "sort_support.hpp"

#include <dozer/detail/first_cost.hpp>
#include <dozer/detail/sort_cost.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>
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

/// Of a sort, or the fewest of three if the first ones have more than `most`. A sort times its first comparison, to
/// know how small the pieces should be that threads share. On a busy machine its thread may be interrupted just then:
/// such a sort takes comparisons for dear.
double comparisons(const std::vector<int>& numbers, const std::function<void(std::vector<int>&, comparison)>& sort,
                   double most) {
  double fewest = std::numeric_limits<double>::infinity();
  for (int i = 0; i != 3 && fewest > most; ++i) {
    std::vector<int> v = numbers;
    std::atomic<long> count{0};
    const std::function<bool(int, int)> less = [&](int a, int b) {
      count.fetch_add(1, std::memory_order_relaxed);
      return a < b;
    };
    sort(v, comparison(less));
    fewest = std::min(fewest, static_cast<double>(count.load()));
  }
  return fewest;
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
        const auto expect_at_most = [&](double bound, const auto& sort) {
          EXPECT_LE(comparisons(v, sort, bound), bound) << size << ' ' << range << ' ' << pattern;
        };
        expect_at_most(1.5 * most + 1000, unstable);
        expect_at_most(1.3 * most + 1000, stable);
        expect_at_most(12 * static_cast<double>(size) + 1000, nth);
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
      EXPECT_LE(comparisons(any_numbers(size, 7, 1'000'000'000, 0), partial, most), most) << front << " of " << size;
    }
  }
}

/// McIlroy's killer ("A Killer Adversary for Quicksort", 1999): values are decided as late as possible, so that every
/// pivot is among the least. Only the first three are decided before: a range that is one run is not partitioned.
class adversary {
 public:
  static constexpr int size = 5000;

  /// What to sort.
  [[nodiscard]] static std::vector<int> places() {
    std::vector<int> all(size);
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  bool operator()(int a, int b) {
    const std::lock_guard hold(mutex_);
    ++compared_;
    int &x = value(a), &y = value(b);
    if (x == undecided && y == undecided) {
      (a == candidate_ ? x : y) = decided_++;
    }
    if (x == undecided) {
      candidate_ = a;
    } else if (y == undecided) {
      candidate_ = b;
    }
    return x < y;
  }
  [[nodiscard]] long compared() const { return compared_; }
  /// What was not decided to the end is equal.
  [[nodiscard]] int value(int place) const { return values_[static_cast<std::size_t>(place)]; }

 private:
  static constexpr int undecided = size;
  [[nodiscard]] int& value(int place) { return values_[static_cast<std::size_t>(place)]; }

  std::mutex mutex_;
  std::vector<int> values_ = [] {
    std::vector<int> v(size, undecided);
    v[0] = 1, v[1] = 2, v[2] = 0;
    return v;
  }();
  int decided_ = 3, candidate_ = 0;
  long compared_ = 0;
};

// With one thread, so that the order of comparisons is always the same; by one quicksort, and by one that forks.
constexpr std::size_t grains[] = {adversary::size, 64};

/// More than a quicksort makes whose pivots are good, and few enough for one that gives up early.
void expect_heap_sort(long compared) {
  EXPECT_GE(static_cast<double>(compared), 2 * n_log_n(adversary::size));
  EXPECT_LE(static_cast<double>(compared), 4 * n_log_n(adversary::size));
}

TEST(Sort, AnAdversaryMakesItAHeapSort) {
  dozer::thread_pool pool(1);
  for (const std::size_t grain : grains) {
    adversary less;
    auto places = adversary::places();
    pool.install([&] { dozer::sort(places, std::ref(less), {.grain = grain}); });
    expect_heap_sort(less.compared());
    EXPECT_TRUE(std::ranges::is_sorted(places, {}, [&](int p) { return std::as_const(less).value(p); }));
    EXPECT_EQ(sorted(places), adversary::places());
  }
}

TEST(NthElement, AnAdversaryMakesItAHeapSort) {
  dozer::thread_pool pool(1);
  constexpr int nth = adversary::size / 2;
  for (const std::size_t grain : grains) {
    adversary less;
    auto places = adversary::places();
    pool.install([&] { dozer::nth_element(places, places.begin() + nth, std::ref(less), {.grain = grain}); });
    expect_heap_sort(less.compared());
    const auto value = [&](int p) { return std::as_const(less).value(p); };
    const int middle = value(places[nth]);
    EXPECT_TRUE(std::all_of(places.begin(), places.begin() + nth, [&](int p) { return value(p) <= middle; }));
    EXPECT_TRUE(std::all_of(places.begin() + nth, places.end(), [&](int p) { return value(p) >= middle; }));
    EXPECT_EQ(sorted(places), adversary::places());
  }
}

using dozer::detail::sort_cost;
constexpr std::uint64_t ns = dozer::detail::ticks_per_us / 1000, many = 1'000'000;

TEST(SortCost, AClockThatDidNotMoveMakesNoSortSmall) {
  for (const std::uint64_t compared : {std::uint64_t{1}, std::uint64_t{8}, many}) {
    const sort_cost unmoved(0, compared);
    EXPECT_TRUE(unmoved.is_small_sort(10)) << compared;
    EXPECT_FALSE(unmoved.is_small_sort(many)) << compared;
    EXPECT_FALSE(unmoved.is_small_merge(many)) << compared;
    EXPECT_LE(unmoved.stretch(many, 2), many / 4) << compared;
    EXPECT_GE(unmoved.stretch(many, 2), 500u) << compared;
    EXPECT_TRUE(unmoved.is_cheap()) << compared;
    EXPECT_FALSE(unmoved.is_dear()) << compared;
  }
}

TEST(SortCost, ALookAtTheClockIsNoPartOfAComparison) {
  using dozer::detail::without_the_clock;
  EXPECT_EQ(without_the_clock(30 * ns, 20 * ns), 10 * ns);
  EXPECT_EQ(without_the_clock(20 * ns, 20 * ns), dozer::detail::ticks_per_us / 500) << "the clock did move";
  EXPECT_EQ(without_the_clock(1, 20 * ns), dozer::detail::ticks_per_us / 500) << "by less than any comparison takes";
  EXPECT_EQ(without_the_clock(0, 0), 0u) << "it did not";
  EXPECT_EQ(without_the_clock(0, 20 * ns), 0u);
  constexpr std::uint64_t long_ago = 1'000'000 * ns, dear = 5'000'000 * ns;
  EXPECT_GE(without_the_clock(dear, long_ago), dear - 100 * ns) << "the thread was interrupted between the two looks";
}

/// The compiler must not leave out a comparison whose result only the clock waits for.
TEST(SortCost, AComparisonThatHasNoEffectsIsTimed) {
  const auto hash = [](std::uint64_t x) {
    for (int i = 0; i < 20'000; ++i) {
      x = x * 6364136223846793005u + 1442695040888963407u;
    }
    return x;
  };
  const std::vector<std::uint64_t> two{1, 2};
  const auto cost =
      dozer::detail::first_cost(two.begin(), [&](std::uint64_t a, std::uint64_t b) { return hash(a) < hash(b); });
  EXPECT_TRUE(cost.is_dear());
}

TEST(SortCost, OfOneComparisonIsMuchTheSameWhetherTheClockTookAStepOrNot) {
  // A comparison of some nanoseconds, and a clock with steps of 52.
  const sort_cost unmoved(0, 1), moved(52 * ns, 1);
  for (const sort_cost cost : {unmoved, moved}) {
    EXPECT_TRUE(cost.is_small_sort(20));
    EXPECT_FALSE(cost.is_small_sort(200));
    EXPECT_TRUE(cost.is_small_merge(200));
    EXPECT_FALSE(cost.is_small_merge(2000));
  }
}

TEST(SortCost, OfManyComparisonsSaysMoreThanThatOfOne) {
  // The clock took a step of a millisecond in the first comparison: it seems to be dear.
  const sort_cost first(many * ns, 1);
  EXPECT_FALSE(first.is_cheap());
  EXPECT_FALSE(first.is_small_sort(2));
  EXPECT_EQ(first.stretch(many, 2), 1u);
  // It does not move while a pivot is chosen, and moves as it should in a partition.
  const sort_cost pivot = first.at_most(sort_cost(0, 8)), partition(2 * many * ns, many);
  for (const sort_cost cost : {pivot, partition}) {
    EXPECT_TRUE(cost.is_cheap());
    EXPECT_TRUE(cost.is_small_sort(200));
    EXPECT_FALSE(cost.is_small_sort(2000));
    EXPECT_LE(cost.stretch(many, 2), many / 4);
  }
}

TEST(Sort, DearComparisonsOfFewElementsRunAtOnce) {
  dozer::thread_pool pool(2);
  for (const std::size_t size : {4u, 10u, 64u}) {
    const auto numbers = any_numbers(size, 3, 1000, 0);
    for (const int kind : {0, 1, 2, 3}) {
      two_at_once two;
      const std::function<bool(int, int)> less = [&](int a, int b) {
        two.wait();
        return a < b;
      };
      auto v = numbers;
      pool.install([&] {
        if (kind == 0) {
          dozer::sort(v, comparison(less));
        } else if (kind == 1) {
          dozer::stable_sort(v, comparison(less));
        } else if (kind == 2) {
          dozer::nth_element(v, v.begin() + 2, comparison(less));
        } else {
          dozer::partial_sort(v, v.begin() + 2, comparison(less));
        }
      });
      EXPECT_TRUE(two.met()) << "kind " << kind << " of " << size;
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
