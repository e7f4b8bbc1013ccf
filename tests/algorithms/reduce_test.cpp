// reduce, transform_reduce: every element once, in order.
#include "support.hpp"

#include <dozer/algorithm/reduce.hpp>

#include <deque>
#include <memory>
#include <numeric>
#include <ranges>
#include <string>
#include <vector>

namespace {

using dozer_test::any_numbers;
using dozer_test::any_options;
using dozer_test::any_size;
using dozer_test::counted;
using dozer_test::everywhere;
using dozer_test::failures_everywhere;

TEST(Reduce, SumsLikeStd) {
  EXPECT_TRUE(dozer_test::check([] {
    const auto numbers = any_numbers(any_size(), 1000);
    const std::deque<int> chunks(numbers.begin(), numbers.end());
    const std::vector<double> floats(numbers.begin(), numbers.end());  // whole ones: sums are exact
    const std::vector<unsigned char> bytes(numbers.begin(), numbers.end());
    const auto options = any_options();
    const int sum = std::reduce(numbers.begin(), numbers.end());
    const auto byte = std::reduce(bytes.begin(), bytes.end());
    const auto add = [](int a, int b) { return a + b; };
    RC_ASSERT(failures_everywhere([&] {
                return dozer::reduce(numbers, options) == sum && dozer::reduce(numbers, 5, options) == sum + 5 &&
                       dozer::reduce(chunks, options) == sum && dozer::reduce(floats, 0.5, options) == sum + 0.5 &&
                       dozer::reduce(floats.begin(), floats.end()) == sum && dozer::reduce(bytes, options) == byte &&
                       dozer::reduce(numbers, 0L, options) == sum &&
                       dozer::reduce(numbers, 0.25, options) == sum + 0.25 &&
                       dozer::reduce(numbers, 7, add, options) == sum + 7 &&
                       dozer::reduce(chunks.begin(), chunks.end(), 7, add, options) == sum + 7;
              }) == 0);
  }));
}

TEST(Reduce, KeepsTheOrderOfTheElements) {
  EXPECT_TRUE(dozer_test::check([] {
    const auto numbers = any_numbers(any_size(), 26);
    std::vector<std::string> letters;
    std::string expected = ">";
    for (const int n : numbers) {
      letters.emplace_back(1, static_cast<char>('a' + n));
      expected += letters.back();
    }
    const auto options = any_options();
    // Of affine functions modulo a prime: associative, not commutative, and small.
    using affine = std::pair<std::uint32_t, std::uint32_t>;
    const auto compose = [](affine f, affine g) {
      constexpr std::uint64_t prime = 65'521;
      return affine(f.first * std::uint64_t{g.first} % prime, (g.first * std::uint64_t{f.second} + g.second) % prime);
    };
    const auto function = [](int n) { return affine(n + 2, n * n + 1); };
    affine composed(1, 0);
    for (const int n : numbers) {
      composed = compose(composed, function(n));
    }
    RC_ASSERT(failures_everywhere([&] {
                return dozer::reduce(letters, std::string(">"), options) == expected &&
                       dozer::transform_reduce(numbers, affine(1, 0), compose, function, options) == composed;
              }) == 0);
  }));
}

TEST(TransformReduce, LikeStd) {
  EXPECT_TRUE(dozer_test::check([] {
    const auto a = any_numbers(any_size(), 100);
    const auto b = any_numbers(a.size() + 3, 100);
    const std::deque<int> chunks(b.begin(), b.end());
    const auto options = any_options();
    const auto twice = [](int n) { return 2 * n; };
    const auto minus = [](int x, int y) { return x - y; };
    const int dot = std::transform_reduce(a.begin(), a.end(), b.begin(), 3);
    const int doubled = std::transform_reduce(a.begin(), a.end(), 3, std::plus<>(), twice);
    const int differences = std::transform_reduce(a.begin(), a.end(), b.begin(), 3, std::plus<>(), minus);
    RC_ASSERT(failures_everywhere([&] {
                return dozer::transform_reduce(a, b, 3, options) == dot &&
                       dozer::transform_reduce(a, chunks, 3) == dot &&
                       dozer::transform_reduce(chunks, a, 3, options) == dot &&
                       dozer::transform_reduce(a.begin(), a.end(), chunks.begin(), 3, options) == dot &&
                       dozer::transform_reduce(a, 3, std::plus<>(), twice, options) == doubled &&
                       dozer::transform_reduce(a.begin(), a.end(), 3, std::plus<>(), twice) == doubled &&
                       dozer::transform_reduce(a, b, 3, std::plus<>(), minus, options) == differences &&
                       dozer::transform_reduce(a.begin(), a.end(), b.begin(), 3, std::plus<>(), minus, options) ==
                           differences;
              }) == 0);
  }));
}

TEST(Reduce, OneOperationForEachElement) {
  EXPECT_TRUE(dozer_test::check([] {
    const auto numbers = any_numbers(any_size(), 100);
    const auto size = static_cast<long>(numbers.size());
    const auto options = any_options();
    RC_ASSERT(failures_everywhere([&] {
                std::atomic<long> operations{0}, transforms{0};
                const auto add = [&](long x, long y) { return (++operations, x + y); };
                const auto same = [&](int n) { return (++transforms, n); };
                static_cast<void>(dozer::transform_reduce(numbers, 0L, add, same, options));
                static_cast<void>(dozer::transform_reduce(numbers, 0L, std::plus<>(), same, options));
                const auto times = [&](int x, int y) { return (++transforms, x * y); };
                static_cast<void>(dozer::transform_reduce(numbers, numbers, 0L, add, times, options));
                return operations.load() == 2 * size && transforms.load() == 3 * size;
              }) == 0);
  }));
}

/// Neither its copy nor a value of an element can be made.
struct sum_of_unique {
  long value = 0;
  explicit sum_of_unique(long v) : value(v) {}
  sum_of_unique(sum_of_unique&&) = default;
  sum_of_unique& operator=(sum_of_unique&&) = default;
};
struct add_unique {
  static long of(const sum_of_unique& s) { return s.value; }
  static long of(const dozer_test::move_only& e) { return e.value; }
  sum_of_unique operator()(const auto& a, const auto& b) const { return sum_of_unique(of(a) + of(b)); }
};

TEST(Reduce, ElementsAndResultsNeedNotBeCopied) {
  EXPECT_TRUE(dozer_test::check([] {
    const auto size = any_size();
    const auto options = any_options();
    std::vector<dozer_test::move_only> elements(size);
    std::vector<int> numbers(size);
    long expected = 4;
    for (std::size_t i = 0; i < size; ++i) {
      numbers[i] = elements[i].value = static_cast<int>(i);
      expected += elements[i].value;
    }
    using pointer = std::unique_ptr<long>;
    const auto add = [](pointer a, pointer b) { return (*a += *b, std::move(a)); };
    RC_ASSERT(failures_everywhere([&] {
                const auto make = [](int n) { return std::make_unique<long>(n); };
                return dozer::reduce(elements, sum_of_unique(4), add_unique(), options).value == expected &&
                       *dozer::transform_reduce(numbers, make(4), add, make, options) == expected;
              }) == 0);
  }));
}

TEST(Reduce, ResultsMayBeOverAligned) {
  const std::vector<int> numbers(3000, 2);
  const auto add = [](dozer_test::over_aligned a, dozer_test::over_aligned b) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&a) % alignof(dozer_test::over_aligned), 0u);
    return dozer_test::over_aligned{a.value + b.value};
  };
  everywhere([&] {
    const auto make = [](int n) { return dozer_test::over_aligned{n}; };
    EXPECT_EQ(dozer::transform_reduce(numbers, dozer_test::over_aligned{1}, add, make).value, 6001);
  });
}

struct keyed {
  std::string name;
};

TEST(Reduce, TakesViewsWhoseElementsAreNotStored) {
  EXPECT_EQ(dozer::reduce(std::views::iota(0, 1000)), 499'500);
  const auto squares = std::views::iota(0, 1000) | std::views::transform([](int n) { return double(n) * n; });
  EXPECT_EQ(dozer::reduce(squares, 0.0), 332'833'500.0);
  const auto made = std::views::iota(0, 300) | std::views::transform([](int) { return keyed{std::string(40, 'x')}; });
  EXPECT_EQ(dozer::transform_reduce(made, std::string(), std::plus<>(), &keyed::name).size(), 300u * 40);
}

TEST(Reduce, AnExceptionLeavesAndNothingLeaks) {
  const std::vector<int> numbers(3000, 1);
  const long before = counted::alive;
  for (const long k : {1L, 2L, 100L, 1700L, 3000L}) {
    everywhere([&] {
      const dozer_test::throws_at at(k);
      const auto add = [&](counted a, counted b) { return (at(), counted(a.value + b.value)); };
      const auto make = [](int n) { return counted(n); };
      EXPECT_THROW(static_cast<void>(dozer::transform_reduce(numbers, counted(), add, make)), std::runtime_error);
    });
  }
  EXPECT_EQ(counted::alive, before);
}

TEST(Reduce, AfterAStopSomeElementsAreLeftOut) {
  std::stop_source stop;
  const std::vector<int> few(10, 1), many(200'000, 1);
  const auto add = [&](long a, long b) { return (stop.request_stop(), a + b); };
  const dozer::loop_options stops{.stop = stop.get_token()};
  const long sum = dozer::reduce(many, 5L, add, stops);
  EXPECT_GE(sum, 5);
  EXPECT_LT(sum, 150'000);
  EXPECT_EQ(dozer::reduce(few, 5, stops), 5);
  EXPECT_EQ(dozer::reduce(many, 5, stops), 5);
}

TEST(Reduce, TwoDearElementsAtOnce) {
  dozer_test::expect_two_at_once([](const auto& meet) {
    const auto same = [&](int n) { return (meet(), n); };
    EXPECT_EQ(dozer::transform_reduce(std::views::iota(0, 2), 0, std::plus<>(), same), 1);
  });
  dozer_test::expect_two_at_once([](const auto& meet) {
    const auto numbers = std::views::iota(1, 3);
    const auto times = [&](int a, int b) { return (meet(), a * b); };
    EXPECT_EQ(dozer::transform_reduce(numbers, numbers, 0, std::plus<>(), times), 5);
  });
}

/// What two threads have made of their halves is merged while others still work: the operation may be what is dear.
TEST(Reduce, DearOperationsAtOnce) {
  dozer_test::expect_two_at_once([](const auto& meet) {
    const auto add = [&](int a, int b) { return (meet(), a + b); };
    EXPECT_EQ(dozer::reduce(std::views::iota(0, 16), 0, add), 120);
  });
}

TEST(Reduce, NestsInItself) {
  const auto row = [](int i) {
    return dozer::transform_reduce(std::views::iota(0, 300), 0L, std::plus<>(), [=](int j) { return long(i) * j; });
  };
  everywhere(
      [&] { EXPECT_EQ(dozer::transform_reduce(std::views::iota(0, 200), 0L, std::plus<>(), row), 19'900L * 44'850); });
}

}  // namespace
