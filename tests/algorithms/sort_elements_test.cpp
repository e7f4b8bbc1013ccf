// Sorts of elements that are hard to handle, and of strings; and every way to call a sort.
#include "sort_support.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace dozer_test;

template <class T>
class SortOf : public ::testing::Test {};
using hard_elements = ::testing::Types<move_only, over_aligned, counted>;
TYPED_TEST_SUITE(SortOf, hard_elements);

TYPED_TEST(SortOf, ElementsThatAreHardToHandle) {
  for (const std::size_t size : {3u, 40u, 500u, dozer_test::under_tsan || dozer_test::under_asan ? 3000u : 20'000u}) {
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
        if constexpr (std::is_same_v<TypeParam, move_only>) {  // one kind is enough for projections
          dozer::sort(x, {}, &TypeParam::value, {.grain = grain});
        } else {
          dozer::sort(x, {.grain = grain});
        }
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
    std::shuffle(v.begin(), v.end(), std::mt19937(2));
    dozer::nth_element(v, v.begin() + 5);
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

TEST(Sort, OfARangeBackwardsAndOfAPartOfIt) {
  for (const std::size_t size : {1u, 50u, under_tsan || under_asan ? 3000u : 20'000u}) {
    const auto numbers = any_numbers(size, size, 1000, 0);
    const auto part = static_cast<std::ptrdiff_t>(size / 2);
    auto expected = numbers, with_part = numbers;
    std::sort(expected.begin(), expected.end(), std::greater<>());
    std::sort(with_part.begin(), with_part.begin() + part);
    everywhere([&] {
      auto v = numbers, w = numbers, x = numbers;
      dozer::sort(v.rbegin(), v.rend());
      EXPECT_EQ(v, expected);
      dozer::stable_sort(w | std::views::reverse, by_comparison);
      EXPECT_EQ(w, expected);
      dozer::sort(x | std::views::take(part));
      EXPECT_EQ(x, with_part);
    });
  }
}

TEST(Sort, EveryWayToPassOptionsCompiles) {
  std::vector<entry> v{{2, 0}, {1, 1}};
  std::vector<int> n{2, 1};
  const dozer::loop_options options{.grain = 4};
  dozer::sort(n, {.grain = 4});
  dozer::sort(n, options);
  dozer::sort(n.begin(), n.end(), {.grain = 4});
  dozer::sort(n.begin(), n.end(), std::ranges::less(), {.grain = 4});
  dozer::sort(n, std::ranges::less(), options);
  dozer::sort(v, {}, &entry::key);
  dozer::sort(v, {}, &entry::key, options);
  dozer::sort(v, {}, &entry::key, {.grain = 4});
  dozer::stable_sort(n, {.grain = 4});
  dozer::stable_sort(n, std::ranges::less(), {.grain = 4});
  dozer::stable_sort(n.begin(), n.end(), options);
  dozer::nth_element(n, n.begin(), {.grain = 4});
  dozer::nth_element(v, v.begin(), {}, &entry::key, {.grain = 4});
  dozer::partial_sort(n, n.begin() + 1, {.grain = 4});
  dozer::partial_sort(n.begin(), n.begin() + 1, n.end(), std::ranges::less(), {.grain = 4});
  int array[] = {2, 1};
  dozer::sort(array);
  EXPECT_EQ(array[0], 1);
  EXPECT_EQ(v[0].key, 1);
}

}  // namespace
