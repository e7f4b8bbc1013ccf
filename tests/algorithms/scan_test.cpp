// inclusive_scan, exclusive_scan and their transforming forms: as in std, in any number of threads.
#include "support.hpp"

#include <dozer/algorithm/scan.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <numeric>
#include <ranges>
#include <string>
#include <thread>
#include <vector>

namespace {

using dozer_test::any_options;
using dozer_test::any_size;
using dozer_test::everywhere;

/// x -> a x + b modulo 2^64: the composition is associative, but not commutative.
struct affine {
  std::uint64_t a = 1, b = 0;
  friend bool operator==(const affine&, const affine&) = default;
};
constexpr auto compose = [](const affine& f, const affine& g) { return affine{f.a * g.a, f.b * g.a + g.b}; };

std::vector<affine> some_affine(std::size_t n) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  std::mt19937_64 random(seed);
  std::vector<affine> all(n);
  for (auto& f : all) {
    f = {random() | 1, random()};
  }
  return all;
}

TEST(Scan, AllFormsLikeStdForAnOperationThatIsNotCommutative) {
  EXPECT_TRUE(dozer_test::check([] {
    const auto in = some_affine(any_size());
    const std::deque<affine> elsewhere(in.begin(), in.end());
    const auto options = any_options();
    const affine init{5, 7};
    const auto twice = [](const affine& f) { return compose(f, f); };
    std::vector<affine> i1(in.size()), i2(in.size()), e1(in.size()), t1(in.size()), t2(in.size()), t3(in.size());
    std::inclusive_scan(in.begin(), in.end(), i1.begin(), compose);
    std::inclusive_scan(in.begin(), in.end(), i2.begin(), compose, init);
    std::exclusive_scan(in.begin(), in.end(), e1.begin(), init, compose);
    std::transform_inclusive_scan(in.begin(), in.end(), t1.begin(), compose, twice);
    std::transform_inclusive_scan(in.begin(), in.end(), t2.begin(), compose, twice, init);
    std::transform_exclusive_scan(in.begin(), in.end(), t3.begin(), init, compose, twice);
    std::atomic<int> wrong{0};
    everywhere([&] {
      std::vector<affine> out(in.size());
      const auto check = [&](const std::vector<affine>& expected, auto end) {
        wrong += out != expected || end != out.end();
        std::ranges::fill(out, affine{});
      };
      check(i1, dozer::inclusive_scan(in, out.begin(), compose, options));
      check(i2, dozer::inclusive_scan(elsewhere.begin(), elsewhere.end(), out.begin(), compose, init, options));
      check(e1, dozer::exclusive_scan(elsewhere, out.begin(), init, compose, options));
      check(t1, dozer::transform_inclusive_scan(in, out.begin(), compose, twice, options));
      check(t2, dozer::transform_inclusive_scan(in.begin(), in.end(), out.begin(), compose, twice, init, options));
      check(t3, dozer::transform_exclusive_scan(in, out.begin(), init, compose, twice, options));
      const auto begin = elsewhere.begin(), end = elsewhere.end();
      check(t1, dozer::transform_inclusive_scan(begin, end, out.begin(), compose, twice, options));
      check(t2, dozer::transform_inclusive_scan(elsewhere, out.begin(), compose, twice, init, options));
      check(t3, dozer::transform_exclusive_scan(begin, end, out.begin(), init, compose, twice, options));
    });
    RC_ASSERT(wrong.load() == 0);
  }));
}

TEST(Scan, SumsOfNumbersLikeStdInPlaceToo) {
  EXPECT_TRUE(dozer_test::check([] {
    const auto n = any_size();
    const auto options = any_options();
    const auto numbers = std::views::iota(std::int64_t{3}, static_cast<std::int64_t>(n) + 3);
    const auto square = [](std::int64_t x) { return x * x; };
    const auto squares = numbers | std::views::transform(square);
    std::vector<std::int64_t> in(n), inclusive(n), exclusive(n);
    std::ranges::copy(squares, in.begin());
    std::inclusive_scan(in.begin(), in.end(), inclusive.begin());
    std::exclusive_scan(in.begin(), in.end(), exclusive.begin(), std::int64_t{100});
    std::atomic<int> wrong{0};
    everywhere([&] {
      auto here = in;
      dozer::inclusive_scan(here, here.begin(), options);
      wrong += here != inclusive;
      here = in;
      dozer::exclusive_scan(here.begin(), here.end(), here.begin(), std::int64_t{100}, options);
      wrong += here != exclusive;
      dozer::inclusive_scan(squares, here.begin(), options);
      wrong += here != inclusive;
      dozer::exclusive_scan(squares, here.begin(), std::int64_t{100}, options);
      wrong += here != exclusive;
      std::deque<std::int64_t> far(n);
      dozer::inclusive_scan(squares, far.begin());
      wrong += !std::ranges::equal(far, inclusive);
      dozer::transform_exclusive_scan(numbers, far.begin(), std::int64_t{100}, std::plus<>(), square, options);
      wrong += !std::ranges::equal(far, exclusive);
      dozer::transform_inclusive_scan(numbers, far.begin(), std::plus<>(), square, options);
      wrong += !std::ranges::equal(far, inclusive);
    });
    RC_ASSERT(wrong.load() == 0);
  }));
}

TEST(Scan, ElementsThatAFunctionMakesNumbersOfNeedNotBeCopied) {
  EXPECT_TRUE(dozer_test::check([] {
    const auto numbers = dozer_test::any_numbers(any_size(), 1000);
    const auto options = any_options();
    std::vector<dozer_test::move_only> unique(numbers.begin(), numbers.end());
    std::vector<long> inclusive(numbers.size()), from_init(numbers.size()), exclusive(numbers.size());
    std::inclusive_scan(numbers.begin(), numbers.end(), inclusive.begin(), std::plus<>(), 0L);
    std::inclusive_scan(numbers.begin(), numbers.end(), from_init.begin(), std::plus<>(), 5L);
    std::exclusive_scan(numbers.begin(), numbers.end(), exclusive.begin(), 5L);
    const auto number = [](const dozer_test::move_only& e) { return long{e.value}; };
    std::atomic<int> wrong{0};
    everywhere([&] {
      std::vector<long> out(unique.size());
      dozer::transform_inclusive_scan(unique, out.begin(), std::plus<>(), number, options);
      wrong += out != inclusive;
      dozer::transform_inclusive_scan(unique, out.begin(), std::plus<>(), number, 5L, options);
      wrong += out != from_init;
      dozer::transform_exclusive_scan(unique, out.begin(), 5L, std::plus<>(), number, options);
      wrong += out != exclusive;
    });
    wrong += !std::ranges::equal(unique, numbers, {}, &dozer_test::move_only::value);  // none was moved from
    RC_ASSERT(wrong.load() == 0);
  }));
}

TEST(Scan, ManyChunksOfStringsStayInOrder) {
  std::vector<std::string> in(3000);
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i] = std::string(1, static_cast<char>('a' + i % 26));
  }
  std::vector<std::string> expected(in.size());
  const auto last_ten = [](const std::string& a, const std::string& b) {
    const std::string both = a + b;
    return both.size() <= 10 ? both : both.substr(both.size() - 10);
  };
  std::inclusive_scan(in.begin(), in.end(), expected.begin(), last_ten);
  everywhere([&] {
    std::vector<std::string> out(in.size());
    dozer::inclusive_scan(in, out.begin(), last_ten, {.grain = 3});
    EXPECT_EQ(out, expected);
  });
}

TEST(Scan, TheTypeOfInitIsTheTypeOfTheSum) {
  const std::vector<int> in(20'000, 1 << 30);
  std::vector<std::int64_t> out(in.size());
  dozer::exclusive_scan(in, out.begin(), std::int64_t{0});
  EXPECT_EQ(out.back(), (std::int64_t{1} << 30) * (static_cast<std::int64_t>(in.size()) - 1));
  dozer::inclusive_scan(in, out.begin(), std::plus<>(), std::int64_t{0}, {.grain = 100});
  EXPECT_EQ(out.back(), (std::int64_t{1} << 30) * static_cast<std::int64_t>(in.size()));
}

/// Two elements take as long as one: the function is called once for each.
TEST(Scan, AFewLargeElementsRunAtOnce) {
  for (const bool inclusive : {true, false}) {
    std::array<std::atomic<int>, 3> calls{};
    const std::vector<int> in{1, 2};
    std::vector<int> out(2);
    dozer_test::expect_two_at_once([&](const auto& meet) {
      const auto dear = [&](int x) { return (++calls[static_cast<std::size_t>(x)], meet(), x); };
      inclusive ? dozer::transform_inclusive_scan(in, out.begin(), std::plus<>(), dear)
                : dozer::transform_exclusive_scan(in, out.begin(), 5, std::plus<>(), dear);
    });
    EXPECT_EQ(out, inclusive ? (std::vector<int>{1, 3}) : (std::vector<int>{5, 6}));
    EXPECT_EQ(calls[1].load(), 1);
    EXPECT_EQ(calls[2].load(), 1);
  }
}

/// The operation itself is called in turn, but inside of chunks.
TEST(Scan, DearOperationsOfTwoChunksRunAtOnce) {
  for (const bool inclusive : {true, false}) {
    dozer_test::expect_two_at_once([&](const auto& meet) {
      const auto dear = [&](int x, int y) { return (meet(), x + y); };
      std::vector<int> in{1, 2, 3, 4}, out(4);
      inclusive ? dozer::inclusive_scan(in, out.begin(), dear, {.grain = 2})
                : dozer::exclusive_scan(in, out.begin(), 4, dear, {.grain = 2});
      EXPECT_EQ(out.back(), 10);
    });
  }
}

/// Calls f(scan, calls of the operation, calls of the function) after each of the four scans. The first call in each of
/// them may take long, so that another thread begins all the rest before its turn.
template <class F>
void count_calls(std::size_t size, std::size_t grain, std::chrono::milliseconds first_call, const F& f) {
  const std::vector<int> in(size, 1);
  std::vector<int> out(size);
  const dozer::loop_options options{.grain = grain};
  std::atomic<std::size_t> operations{0}, functions{0};
  const auto count = [&](std::atomic<std::size_t>& calls) {
    if (calls.fetch_add(1) == 0) {
      std::this_thread::sleep_for(first_call);
    }
  };
  const auto add = [&](int a, int b) { return (count(operations), a + b); };
  const auto same = [&](int a) { return (count(functions), a); };
  dozer::inclusive_scan(in, out.begin(), add, options);
  f("inclusive_scan", operations.exchange(0), functions.exchange(0));
  dozer::exclusive_scan(in, out.begin(), 1, add, options);
  f("exclusive_scan", operations.exchange(0), functions.exchange(0));
  dozer::transform_inclusive_scan(in, out.begin(), add, same, options);
  f("transform_inclusive_scan", operations.exchange(0), functions.exchange(0));
  dozer::transform_exclusive_scan(in, out.begin(), 1, add, same, options);
  f("transform_exclusive_scan", operations.exchange(0), functions.exchange(0));
}

TEST(Scan, TheOperationIsCalledAtMostTwiceForAnElement) {
  using std::chrono::milliseconds;
  const auto expect_at_most_twice = [](std::size_t n, std::size_t grain, milliseconds first_call) {
    count_calls(n, grain, first_call, [&](const char* scan, std::size_t operations, std::size_t functions) {
      EXPECT_LE(operations, 2 * n) << scan << " of " << n << " with a grain of " << grain;
      EXPECT_LE(functions, 2 * n) << scan << " of " << n << " with a grain of " << grain;
    });
  };
  everywhere([&] { expect_at_most_twice(5000, 0, milliseconds(0)); });
  dozer::thread_pool two(2);
  for (const std::size_t n : {0u, 1u, 2u, 99u, 5000u}) {
    for (const std::size_t grain : {0u, 1u, 3u, 64u}) {
      two.install([&] { expect_at_most_twice(n, grain, milliseconds(1)); });
    }
  }
  dozer::thread_pool one(1);
  one.install([] {
    count_calls(5000, 0, {}, [](const std::string& scan, std::size_t operations, std::size_t functions) {
      EXPECT_EQ(operations, scan.find("inclusive") != std::string::npos ? 4999u : 5000u) << scan;
      EXPECT_EQ(functions, scan.starts_with("transform") ? 5000u : 0u) << scan;
    });
  });
}

TEST(Scan, AnExceptionLeavesAndNothingLeaks) {
  using dozer_test::counted;
  const long before = counted::alive;
  {
    std::vector<counted> in(2000, counted(1)), out(2000);
    const long with_both = counted::alive;
    for (const long k : {1, 2, 100, 700, 1999}) {
      for (const std::size_t grain : {0u, 1u, 50u}) {
        everywhere([&] {
          const dozer_test::throws_at at(k);
          const auto add = [&](const counted& a, const counted& b) {
            at();
            return counted(a.value + b.value);
          };
          std::vector<counted> mine(2000);
          EXPECT_THROW(dozer::inclusive_scan(in, mine.begin(), add, {.grain = grain}), std::runtime_error);
        });
        EXPECT_EQ(counted::alive.load(), with_both);
      }
    }
  }
  EXPECT_EQ(counted::alive.load(), before);
}

TEST(Scan, AnExceptionLeavesTheOtherForms) {
  const std::vector<long> in(5000, 1);
  everywhere([&] {
    std::vector<long> out(in.size());
    const dozer_test::throws_at a(700), b(700), c(700);
    const auto adding = [](const dozer_test::throws_at& at) { return [&at](long x, long y) { return at(), x + y; }; };
    const auto same = [&](long x) { return c(), x; };
    EXPECT_THROW(dozer::exclusive_scan(in, out.begin(), 0L, adding(a)), std::runtime_error);
    EXPECT_THROW(dozer::transform_inclusive_scan(in, out.begin(), adding(b), std::identity()), std::runtime_error);
    EXPECT_THROW(dozer::transform_exclusive_scan(in, out.begin(), 0L, std::plus<>(), same), std::runtime_error);
  });
}

TEST(Scan, StoppedItHasDoneAFrontPart) {
  everywhere([] {
    std::stop_source source;
    constexpr int n = 20'000;
    const std::vector<int> in(n, 1);
    std::vector<int> out(n, -1);
    std::atomic<int> calls{0};
    const auto end = dozer::inclusive_scan(in, out.begin(),
                                           [&](int a, int b) {
                                             if (++calls == 1000) {
                                               source.request_stop();
                                             }
                                             return a + b;
                                           },
                                           {.stop = source.get_token()});
    const auto done = end - out.begin();
    EXPECT_GE(done, 400);
    for (int i = 0; i < n; ++i) {
      ASSERT_EQ(out[static_cast<std::size_t>(i)], i < done ? i + 1 : -1);
    }
    EXPECT_EQ(dozer::inclusive_scan(in, out.begin(), {.stop = source.get_token()}), out.begin());
  });
}

TEST(Scan, AChunkThatTakesLongHoldsUpNoOtherThread) {
  dozer::thread_pool pool({.threads = 2});
  pool.install([] {
    constexpr int n = 1000;
    std::vector<int> in(n), out(n);
    std::iota(in.begin(), in.end(), 0);
    std::atomic<int> seen{0};
    dozer::transform_inclusive_scan(in, out.begin(), std::plus<>(),
                                    [&](int x) {
                                      if (x == n / 2) {
                                        EXPECT_TRUE(dozer_test::eventually([&] { return seen.load() >= n - 20; }))
                                            << seen.load();
                                      }
                                      ++seen;
                                      return x;
                                    },
                                    {.grain = 1});
    EXPECT_EQ(out.back(), n * (n - 1) / 2);
  });
}

}  // namespace
