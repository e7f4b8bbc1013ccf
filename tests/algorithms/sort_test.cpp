// sort, stable_sort, nth_element, partial_sort: what comes out, what it costs, and what is left if it is broken off.
#include "support.hpp"

#include <dozer/algorithm.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <ranges>
#include <string>
#include <vector>

namespace {

using dozer_test::any_options;
using dozer_test::any_size;
using dozer_test::counted;
using dozer_test::everywhere;
using dozer_test::move_only;
using dozer_test::over_aligned;

struct entry {
  int key;
  std::size_t place;
  friend bool operator==(const entry&, const entry&) = default;
};

/// Numbers below `range`, random or with patterns that sorts treat in a special way.
std::vector<int> any_numbers(std::size_t size, std::uint64_t seed, int range, int pattern) {
  std::mt19937_64 random(seed);
  std::vector<int> numbers(size);
  for (auto& n : numbers) {
    n = static_cast<int>(random() % static_cast<std::uint64_t>(range)) - range / 2;
  }
  switch (pattern) {
    case 1:
      std::sort(numbers.begin(), numbers.end());
      break;
    case 2:
      std::sort(numbers.begin(), numbers.end(), std::greater<>());
      break;
    case 3:
      std::sort(numbers.begin(), numbers.end());
      for (std::size_t i = 0; i < size / 50 + 1 && size != 0; ++i) {
        std::swap(numbers[random() % size], numbers[random() % size]);
      }
      break;
    case 4:
      std::sort(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(size / 2));
      std::sort(numbers.begin() + static_cast<std::ptrdiff_t>(size / 2), numbers.end(), std::greater<>());
      break;
    default:
      break;
  }
  return numbers;
}
std::vector<int> any_numbers() {
  const auto range = *rc::gen::element(1, 2, 10, 1000, 2'000'000'000);
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  return any_numbers(any_size(), seed, range, *rc::gen::inRange(0, 5));
}
std::vector<entry> numbered(const std::vector<int>& numbers) {
  std::vector<entry> entries;
  for (const int n : numbers) {
    entries.push_back({n, entries.size()});
  }
  return entries;
}
template <class T>
std::vector<T> sorted(std::vector<T> v) {
  std::sort(v.begin(), v.end());
  return v;
}
/// An element that is copied as bytes are, but has no digits.
struct plain {
  int value;
};
constexpr auto by_key = [](const entry& a, const entry& b) { return a.key < b.key; };

/// What a stable sort by key makes of numbered entries.
constexpr auto in_order = [](const entry& a, const entry& b) {
  return a.key != b.key ? a.key < b.key : a.place < b.place;
};

/// For properties: enough runs to meet each pattern, fewer where each takes long.
bool check(const std::function<void()>& property) {
  const char* const given = std::getenv("RC_PARAMS");
  if (given == nullptr) {
    setenv("RC_PARAMS", dozer_test::under_tsan || dozer_test::under_asan ? "max_success=8" : "max_success=50", 1);
  }
  const bool right = rc::check(property);
  if (given == nullptr) {
    unsetenv("RC_PARAMS");
  }
  return right;
}

// ---- what comes out -----------------------------------------------------------------------------

TEST(Sort, NumbersByDigitsAndByComparisonsLikeStd) {
  EXPECT_TRUE(check([] {
    const auto numbers = any_numbers();
    const auto options = any_options();
    const auto expected = sorted(numbers);
    const std::vector<int> downward(expected.rbegin(), expected.rend());
    std::atomic<int> wrong{0};
    everywhere([&] {
      auto v = numbers;
      dozer::sort(v, options);
      wrong += v != expected;
      dozer::sort(v, std::greater<>(), options);
      wrong += v != downward;
      v = numbers;
      dozer::sort(
          v.begin(), v.end(), [](int a, int b) { return a > b; }, options);
      wrong += v != downward;
      std::deque<int> d(numbers.begin(), numbers.end());
      dozer::sort(d, {}, {}, options);
      wrong += !std::equal(d.begin(), d.end(), expected.begin(), expected.end());
    });
    RC_ASSERT(wrong.load() == 0);
  }));
}

TEST(StableSort, KeepsTheOrderOfEqualElements) {
  EXPECT_TRUE(check([] {
    const auto entries = numbered(any_numbers());
    const auto options = any_options();
    auto expected = entries, downward = entries;
    std::sort(expected.begin(), expected.end(), in_order);
    std::sort(downward.begin(), downward.end(),
              [](auto& a, auto& b) { return a.key != b.key ? a.key > b.key : a.place < b.place; });
    std::atomic<int> wrong{0};
    everywhere([&] {
      auto v = entries;
      dozer::stable_sort(v, by_key, options);
      wrong += v != expected;
      v = entries;
      dozer::stable_sort(v, {}, &entry::key, options);
      wrong += v != expected;
      v = entries;
      dozer::stable_sort(v, std::greater<>(), &entry::key, options);
      wrong += v != downward;
      std::deque<entry> d(entries.begin(), entries.end());
      dozer::stable_sort(d.begin(), d.end(), {}, &entry::key, options);
      wrong += !std::equal(d.begin(), d.end(), expected.begin(), expected.end());
    });
    RC_ASSERT(wrong.load() == 0);
  }));
}

TEST(NthElement, IsWhereItWouldBeIfTheRangeWereSorted) {
  EXPECT_TRUE(check([] {
    const auto numbers = any_numbers();
    RC_PRE(!numbers.empty());
    const auto options = any_options();
    const auto n = *rc::gen::inRange<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(numbers.size()));
    const auto expected = sorted(numbers);
    std::atomic<int> wrong{0};
    everywhere([&] {
      auto v = numbers;
      dozer::nth_element(v, v.begin() + n, options);
      const int nth = v[static_cast<std::size_t>(n)];
      wrong += nth != expected[static_cast<std::size_t>(n)];
      wrong += !std::all_of(v.begin(), v.begin() + n, [&](int x) { return x <= nth; });
      wrong += !std::all_of(v.begin() + n, v.end(), [&](int x) { return x >= nth; });
      wrong += sorted(v) != expected;
      dozer::nth_element(v.begin(), v.end(), v.end());
      wrong += sorted(v) != expected;
    });
    RC_ASSERT(wrong.load() == 0);
  }));
}

TEST(PartialSort, TheFrontIsSortedAndTheRestIsBehind) {
  EXPECT_TRUE(check([] {
    const auto numbers = any_numbers();
    const auto options = any_options();
    const auto n = *rc::gen::inRange<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(numbers.size()) + 1);
    const auto expected = sorted(numbers);
    std::atomic<int> wrong{0};
    everywhere([&] {
      auto v = numbers;
      dozer::partial_sort(v.begin(), v.begin() + n, v.end(), {}, {}, options);
      wrong += !std::equal(v.begin(), v.begin() + n, expected.begin());
      wrong += sorted(v) != expected;
      v = numbers;
      dozer::partial_sort(
          v, v.begin() + n, [](int a, int b) { return a < b; }, options);
      wrong += !std::equal(v.begin(), v.begin() + n, expected.begin());
      wrong += sorted(v) != expected;
    });
    RC_ASSERT(wrong.load() == 0);
  }));
}

template <class K>
void sorts_like_std(std::vector<K> values) {
  auto expected = values;
  std::sort(expected.begin(), expected.end());
  dozer::sort(values);
  EXPECT_TRUE(std::equal(values.begin(), values.end(), expected.begin(), expected.end()));
  dozer::sort(values, std::greater<K>());
  EXPECT_TRUE(std::equal(values.begin(), values.end(), expected.rbegin(), expected.rend()));
}
template <class K>
std::vector<K> numbers_of(std::size_t size, unsigned bits) {
  std::mt19937_64 random(size + bits);
  std::vector<K> values(size);
  for (auto& v : values) {
    v = static_cast<K>(random() >> (64 - bits));
  }
  return values;
}

TEST(Sort, EveryKindOfNumber) {
  for (const std::size_t size : {std::size_t{10}, std::size_t{100}, std::size_t{3000}, std::size_t{70'000}}) {
    for (const unsigned bits : {1u, 5u, 13u, 40u, 64u}) {
      sorts_like_std(numbers_of<std::uint64_t>(size, bits));
      sorts_like_std(numbers_of<std::int64_t>(size, bits));
      sorts_like_std(numbers_of<std::int32_t>(size, bits));
      sorts_like_std(numbers_of<std::int16_t>(size, bits));
      sorts_like_std(numbers_of<unsigned char>(size, bits));
      sorts_like_std(numbers_of<char>(size, bits));
    }
  }
}

TEST(Sort, NumbersOfWhichMostAreAlikeInTheirHighDigits) {
  auto values = numbers_of<std::uint64_t>(200'000, 20);
  for (std::size_t i = 0; i < values.size(); i += 100) {
    values[i] = values[i] << 40;
  }
  sorts_like_std(values);
}

TEST(Sort, FloatingPointNumbersWithInfinitiesAndBothZeros) {
  std::mt19937_64 random(1);
  for (const std::size_t size : {std::size_t{50}, std::size_t{5000}, std::size_t{50'000}}) {
    std::vector<double> values(size);
    for (auto& v : values) {
      v = std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), static_cast<int>(random() % 100) - 100);
    }
    values[1] = 0.0;
    values[2] = -0.0;
    values[3] = std::numeric_limits<double>::infinity();
    values[4] = -std::numeric_limits<double>::infinity();
    values[5] = std::numeric_limits<double>::denorm_min();
    sorts_like_std(values);
    sorts_like_std(std::vector<float>(values.begin(), values.end()));
  }
}

TEST(StableSort, ZerosOfEitherSignAreEqual) {
  struct item {
    double key;
    int place;
  };
  std::vector<item> items;
  for (int i = 0; i < 1000; ++i) {
    items.push_back({i % 2 == 0 ? 0.0 : -0.0, i});
  }
  items.push_back({-1.0, -1});
  dozer::stable_sort(items, {}, &item::key);
  for (int i = 0; i < 1001; ++i) {
    ASSERT_EQ(items[static_cast<std::size_t>(i)].place, i - 1);
  }
}

TEST(Sort, RangesThatAreSortedOneWayOrTheOther) {
  for (const int size : {2, 3, 24, 25, 1000, 100'000}) {
    std::vector<int> expected(static_cast<std::size_t>(size));
    std::iota(expected.begin(), expected.end(), 0);
    for (const bool falling : {false, true}) {
      std::atomic<long> compared{0};
      auto v = expected;
      if (falling) {
        std::reverse(v.begin(), v.end());
      }
      auto w = v;
      dozer::sort(v, [&](int a, int b) { return ++compared, a < b; });
      dozer::stable_sort(w, [](int a, int b) { return a < b; });
      EXPECT_EQ(v, expected);
      EXPECT_EQ(w, expected);
      EXPECT_LE(compared.load(), size < 1000 ? 1000 : 3L * size);
    }
  }
}

// ---- elements -----------------------------------------------------------------------------------

template <class T>
std::vector<T> elements_of(const std::vector<int>& numbers) {
  std::vector<T> elements;
  elements.reserve(numbers.size());
  for (const int n : numbers) {
    if constexpr (std::is_constructible_v<T, int>) {
      elements.emplace_back(n);
    } else {
      elements.push_back(T{n});
    }
  }
  return elements;
}

template <class T>
class SortOf : public ::testing::Test {};
using hard_elements = ::testing::Types<move_only, over_aligned, counted>;
TYPED_TEST_SUITE(SortOf, hard_elements);

TYPED_TEST(SortOf, ElementsThatAreHardToHandle) {
  for (const std::size_t size : {3u, 40u, 500u, dozer_test::under_tsan ? 3000u : 20'000u}) {
    const auto numbers = any_numbers(size, size, 1000, 0);
    const auto expected = sorted(numbers);
    const auto same = [&](const auto& v) {
      return std::equal(v.begin(), v.end(), expected.begin(), [](const auto& a, int b) { return a.value == b; });
    };
    everywhere([&] {
      for (const std::size_t grain : {0u, 16u}) {
        auto v = elements_of<TypeParam>(numbers), w = elements_of<TypeParam>(numbers),
             x = elements_of<TypeParam>(numbers);
        dozer::sort(v, {.grain = grain});
        dozer::stable_sort(w, {.grain = grain});
        dozer::partial_sort(x, x.begin() + 1, {.grain = grain});
        dozer::sort(x, {}, &TypeParam::value, {.grain = grain});
        if (!same(v) || !same(w) || !same(x)) {
          ADD_FAILURE() << "of " << size << " with grain " << grain;
        }
      }
    });
  }
}

TEST(StableSort, CopiesNothingAndLeaksNothing) {
  const long alive = counted::alive, copies = counted::copies;
  {
    auto v = elements_of<counted>(any_numbers(30'000, 1, 1000, 0));
    dozer::sort(v);
    std::shuffle(v.begin(), v.end(), std::mt19937(1));
    dozer::stable_sort(v);
    dozer::nth_element(v, v.begin() + 5, std::greater<>());
  }
  EXPECT_EQ(counted::alive, alive);
  EXPECT_EQ(counted::copies, copies);
}

/// Strings of `letters` letters, from a NUL to one that is negative as a char, behind the same beginning.
std::vector<std::string> any_strings(std::size_t size, std::size_t most, unsigned letters,
                                     const std::string& beginning) {
  std::mt19937 random(static_cast<unsigned>(size + letters));
  std::vector<std::string> strings(size, beginning);
  for (auto& s : strings) {
    for (std::size_t left = random() % (most + 1); left != 0; --left) {
      s += static_cast<char>(random() % letters * (letters < 4 ? 100 : 1));
    }
  }
  return strings;
}

TEST(Sort, StringsByTheirLettersLikeStd) {
  for (const std::size_t size : {2u, 300u, 10'000u}) {
    for (const std::string beginning : {"", "http://a.long.beginning/"}) {
      for (const std::size_t most : {0u, 3u, 12u, 40u}) {
        for (const unsigned letters : {2u, 3u, 256u}) {
          const auto strings = any_strings(size, most, letters, beginning);
          const auto expected = sorted(strings);
          auto v = strings;
          dozer::sort(v);
          ASSERT_EQ(v, expected) << size << ' ' << most << ' ' << letters;
          dozer::stable_sort(v, std::greater<>());
          ASSERT_TRUE(std::equal(v.begin(), v.end(), expected.rbegin())) << size << ' ' << most << ' ' << letters;
          std::vector<std::string_view> views(strings.begin(), strings.end());
          dozer::sort(views);
          ASSERT_TRUE(std::equal(views.begin(), views.end(), expected.begin()))
              << size << ' ' << most << ' ' << letters;
        }
      }
    }
  }
}

TEST(StableSort, ElementsWithTheSameStringKeepTheirOrder) {
  struct item {
    std::string key;
    std::unique_ptr<std::size_t> place;  // cannot be copied
  };
  for (const bool downward : {false, true}) {
    std::deque<item> items;
    for (auto& s : any_strings(5000, 10, 2, "")) {
      items.push_back({std::move(s), std::make_unique<std::size_t>(items.size())});
    }
    if (downward) {
      dozer::stable_sort(items, std::greater<>(), &item::key);
    } else {
      dozer::stable_sort(items, {}, &item::key);
    }
    EXPECT_TRUE(std::is_sorted(items.begin(), items.end(), [&](const item& a, const item& b) {
      return a.key != b.key ? (a.key < b.key) != downward : *a.place < *b.place;
    }));
  }
}

TEST(Sort, StringsWithAComparisonOfTheUsers) {
  auto strings = any_strings(20'000, 20, 256, "");
  const auto expected = sorted(strings);
  auto stable = strings;
  const auto less = [](const std::string& a, const std::string& b) { return a < b; };
  dozer::sort(strings, less);
  dozer::stable_sort(stable, less);
  EXPECT_EQ(strings, expected);
  EXPECT_EQ(stable, expected);
}

TEST(Sort, EveryWayToPassOptionsCompiles) {
  std::vector<entry> v{{2, 0}, {1, 1}};
  std::vector<int> n{2, 1};
  const dozer::loop_options options{.grain = 4};
  dozer::sort(n, {.grain = 4});
  dozer::sort(n, options);
  dozer::sort(n.begin(), n.end(), {.grain = 4});
  dozer::sort(n.begin(), n.end(), std::less<int>(), {.grain = 4});
  dozer::sort(v, by_key, options);
  dozer::sort(v, {}, &entry::key);
  dozer::sort(v, {}, &entry::key, options);
  dozer::sort(v, {}, &entry::key, {.grain = 4});
  dozer::stable_sort(n, {.grain = 4});
  dozer::stable_sort(v, by_key, {.grain = 4});
  dozer::stable_sort(n.begin(), n.end(), options);
  dozer::nth_element(n, n.begin(), {.grain = 4});
  dozer::nth_element(v, v.begin(), {}, &entry::key, {.grain = 4});
  dozer::partial_sort(n, n.begin() + 1, {.grain = 4});
  dozer::partial_sort(v.begin(), v.begin() + 1, v.end(), by_key, {.grain = 4});
  int array[] = {2, 1};
  dozer::sort(array);
  EXPECT_EQ(array[0], 1);
  EXPECT_EQ(v[0].key, 1);
}

// ---- broken off ---------------------------------------------------------------------------------

/// Breaks each kind of sort off at every power of two of comparisons; `less` does it.
template <class T, class Break>
void keeps_a_permutation(std::size_t size, const Break& break_at) {
  const auto numbers = any_numbers(size, size, 10'000, 0);
  const auto expected = sorted(numbers);
  for (const std::size_t grain : {0u, 1u, 30u}) {
    for (long at = 1; at < 40 * static_cast<long>(size); at = at * 3 / 2 + 1) {
      for (const int kind : {0, 1, 2, 3}) {
        auto v = elements_of<T>(numbers);
        const long alive = counted::alive;
        break_at(at, [&](const auto& less, std::stop_token stop) {
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
  keeps_a_permutation<T>(size, [](long at, const auto& sort) {
    const dozer_test::throws_at less(at);
    try {
      sort(less, {});
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
      keeps_a_permutation<counted>(size, [](long at, const auto& sort) {
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
  dozer::sort(v, [](int a, int b) { return a < b; }, {.stop = source.get_token()});
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

// ---- what it costs ------------------------------------------------------------------------------

template <class Sort>
long comparisons(std::vector<int> v, const Sort& sort) {
  std::atomic<long> count{0};
  sort(v, [&](int a, int b) {
    count.fetch_add(1, std::memory_order_relaxed);
    return a < b;
  });
  return count;
}
double n_log_n(std::size_t n) { return static_cast<double>(n) * std::log2(static_cast<double>(n)); }

TEST(Sort, ComparisonsAreFew) {
  const auto unstable = [](auto& v, const auto& less) { dozer::sort(v, less); };
  const auto stable = [](auto& v, const auto& less) { dozer::stable_sort(v, less); };
  const auto nth = [](auto& v, const auto& less) {
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

TEST(Sort, AnAdversaryMakesItNoWorseThanHeapSort) {
  // McIlroy's killer: values are decided as late as possible, so that every pivot is among the least.
  constexpr int size = 5000;
  for (const bool is_sort : {true, false}) {
    std::vector<int> places(size), values(size, size);
    std::iota(places.begin(), places.end(), 0);
    std::mutex mutex;
    int decided = 0, candidate = 0;
    long compared = 0;
    const auto less = [&](int a, int b) {
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
      dozer::sort(places, less);
    } else {
      dozer::nth_element(places, places.begin() + size / 2, less);
    }
    EXPECT_LE(static_cast<double>(compared), 6 * n_log_n(size));
  }
}

// ---- on two threads -----------------------------------------------------------------------------

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
      const two_at_once less;
      auto v = numbers;
      pool.install([&] {
        if (kind == 0) {
          dozer::sort(v, std::ref(less));
        } else if (kind == 1) {
          dozer::stable_sort(v, std::ref(less));
        } else {
          dozer::nth_element(v, v.begin() + 2, std::ref(less));
        }
      });
      EXPECT_TRUE(less.met()) << "kind " << kind << " of " << size;
    }
  }
}

TEST(Sort, DearComparisonsAreShared) {
  dozer::thread_pool pool(2);
  const auto numbers = any_numbers(64, 5, 1000, 0);
  for (const bool stable : {false, true}) {
    std::atomic<int> calls{0};
    const auto less = [&](int a, int b) {
      ++calls;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return a < b;
    };
    auto v = numbers;
    const auto start = std::chrono::steady_clock::now();
    pool.install([&] { stable ? dozer::stable_sort(v, less) : dozer::sort(v, less); });
    const auto took = std::chrono::steady_clock::now() - start;
    EXPECT_TRUE(std::is_sorted(v.begin(), v.end()));
    std::printf("%s: %d comparisons of 1 ms in %.0f ms\n", stable ? "stable_sort" : "sort", calls.load(),
                std::chrono::duration<double, std::milli>(took).count());
    EXPECT_LE(calls.load(), 64 * 6 * 3 / 2);
  }
}

}  // namespace
