// Calls with arrays, which are ranges and decay to pointers: each call means one thing.
#include <dozer/algorithm.hpp>
#include <dozer/parallel_for.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>

namespace {

constexpr int size = 10;
[[maybe_unused]] int a[size], b[size], c[size];
const dozer::loop_options options;
constexpr auto visit = [](int) {};
constexpr auto holds = [](int n) { return n > 0; };
constexpr std::plus<> plus;
constexpr std::multiplies<> times;
constexpr std::less<> less;
constexpr std::identity same;

// Only which overload is meant: nothing is instantiated.
static_assert(requires {
  dozer::parallel_for(a, a + size, visit);
  dozer::for_each(a, a + size, visit);
  dozer::for_each(a, a + size, visit, same);
  dozer::for_each(a, a + size, visit, options);
  dozer::transform(a, a + size, b, holds, options);
  dozer::transform(a, b, holds, same);
  dozer::transform(a, b, c, plus, options);
  dozer::transform(a, a + size, b, c, plus, options);
  dozer::copy(a, a + size, b, options);
  dozer::copy(a, b, options);
  dozer::fill(a, a + size, 1, options);
  dozer::generate(a, a + size, std::rand, options);
  dozer::reverse(a, a + size, options);
});
static_assert(requires {
  dozer::reduce(a, a + size);
  dozer::reduce(a, a + size, options);
  dozer::reduce(a, a + size, 0, options);
  dozer::reduce(a, a + size, 0, plus);
  dozer::reduce_deterministic(a, a + size);
  dozer::reduce_deterministic(a, a + size, 0, options);
  dozer::reduce_deterministic(a, a + size, 0, plus);
  dozer::transform_reduce(a, a + size, 0, plus, holds, options);
  dozer::transform_reduce(a, 0, plus, holds, options);
  dozer::transform_reduce(a, b, 0, options);
  dozer::transform_reduce(a, b, 0, plus, times, options);
  dozer::transform_reduce(a, a + size, b, 0, options);
  dozer::transform_reduce(a, a + size, b, 0, plus, times);
  dozer::count(a, a + size, 1);
  dozer::count(a, a + size, 1, options);
  dozer::count_if(a, a + size, holds, options);
  dozer::min_element(a, a + size);
  dozer::max_element(a, a + size, options);
  dozer::minmax_element(a, a + size, less);
  dozer::histogram(a, a + size, 3, holds, options);
});
static_assert(requires {
  dozer::find(a, a + size, 1, same);
  dozer::find(a, a + size, 1, options);
  dozer::find_if(a, a + size, holds, options);
  dozer::find_if_not(a, a + size, holds);
  dozer::any_of(a, a + size, holds);
  dozer::all_of(a, a + size, holds);
  dozer::none_of(a, a + size, holds);
  dozer::equal(a, b, options);
  dozer::equal(a, a + size, b, options);
  dozer::equal(a, a + size, b, b + size, options);
  dozer::mismatch(a, b, options);
  dozer::mismatch(a, a + size, b, options);
  dozer::mismatch(a, a + size, b, b + size, options);
  dozer::is_sorted(a, a + size);
  dozer::is_sorted(a, a + size, options);
});
static_assert(requires {
  dozer::inclusive_scan(a, b, plus, 0);
  dozer::inclusive_scan(a, a + size, b);
  dozer::inclusive_scan(a, a + size, b, options);
  dozer::exclusive_scan(a, b, 0, plus);
  dozer::exclusive_scan(a, a + size, b, 0, options);
  dozer::transform_inclusive_scan(a, a + size, b, plus, holds);
  dozer::transform_exclusive_scan(a, a + size, b, 0, plus, holds);
  dozer::copy_if(a, b, holds, same);
  dozer::copy_if(a, a + size, b, holds, options);
  dozer::remove_if(a, a + size, holds, options);
  dozer::unique(a, a + size);
  dozer::unique(a, a + size, options);
  dozer::partition(a, a + size, holds);
  dozer::stable_partition(a, a + size, holds, options);
});
static_assert(requires {
  dozer::sort(a, a + size);
  dozer::sort(a, a + size, options);
  dozer::sort(a, a + size, less, same);
  dozer::stable_sort(a, a + size);
  dozer::stable_sort(a, a + size, less);
  dozer::nth_element(a, a + 3, options);
  dozer::nth_element(a, a + 3, a + size);
  dozer::nth_element(a, a + 3, a + size, less);
  dozer::partial_sort(a, a + 3, options);
  dozer::partial_sort(a, a + 3, a + size, options);
  dozer::merge(a, b, c, options);
  dozer::merge(a, a + size, b, b + size, c, options);
});

TEST(Arrays, AreRangesAlsoIfThereAreTwo) {
  const int ones[] = {1, 2, 3}, tens[] = {10, 20, 30};
  int out[3] = {};
  EXPECT_EQ(dozer::transform(ones, tens, out, plus), out + 3);
  EXPECT_EQ(std::to_array(out), (std::array{11, 22, 33}));
  EXPECT_EQ(dozer::transform_reduce(ones, tens, 0), 140);
}

TEST(Arrays, WithAPointerBehindThemAreTwoIterators) {
  int v[] = {3, 1, 2, 0};
  int sums[] = {-1, -1, -1, -1};
  EXPECT_EQ(dozer::find(v, v + 3, 0), v + 3);
  EXPECT_EQ(dozer::reduce(v, v + 2), 4);
  EXPECT_EQ(dozer::exclusive_scan(v, v + 3, sums, 0), sums + 3);
  EXPECT_EQ(std::to_array(sums), (std::array{0, 3, 4, -1}));
  dozer::sort(v, v + 3);
  EXPECT_EQ(std::to_array(v), (std::array{1, 2, 3, 0}));
}

TEST(Arrays, OfPointersAreNotEndedByAPointerThatIsLookedFor) {
  void* const pointers[] = {a, b, nullptr, b};
  void* const wanted = b;
  EXPECT_EQ(dozer::count(pointers, wanted, same), 2);
  EXPECT_EQ(dozer::count(pointers, nullptr, options), 1);
}

TEST(Arrays, ThatAreLiteralsHaveTheZeroAtTheirEnd) {
  EXPECT_EQ(dozer::count("hello", 'l'), 2);
  EXPECT_TRUE(dozer::equal("hello", std::string("hello\0", 6)));
  const std::string names[] = {"one", "two"};
  EXPECT_EQ(dozer::find(names, "two"), names + 1);
}

}  // namespace
