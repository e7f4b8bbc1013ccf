// merge: two sorted ranges become one, those of the first one first.
#include "support.hpp"

#include <dozer/algorithm/merge.hpp>

#include <algorithm>
#include <deque>
#include <random>
#include <ranges>
#include <utility>
#include <vector>

namespace {

using dozer_test::any_options;
using dozer_test::any_size;
using dozer_test::counted;
using dozer_test::everywhere;

struct entry {
  int key;
  int place;
  friend bool operator==(const entry&, const entry&) = default;
};
constexpr auto by_key = [](const entry& a, const entry& b) { return a.key < b.key; };

/// Sorted by key; places say from where.
std::vector<entry> sorted_entries(std::size_t size, std::uint64_t seed, unsigned range, int first_place) {
  std::mt19937_64 random(seed);
  std::vector<entry> entries(size);
  for (auto& e : entries) {
    e.key = static_cast<int>(random() % range);
  }
  std::sort(entries.begin(), entries.end(), by_key);
  for (auto& e : entries) {
    e.place = first_place++;
  }
  return entries;
}

TEST(Merge, StableLikeStd) {
  EXPECT_TRUE(dozer_test::check([] {
    const auto range = *rc::gen::element(1u, 2u, 50u, 1'000'000u);
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const auto a = sorted_entries(any_size(), seed, range, 0);
    const auto b = sorted_entries(any_size(), ~seed, range, 1'000'000);
    const std::deque<entry> as_deque(b.begin(), b.end());
    const auto options = any_options();
    std::vector<entry> expected(a.size() + b.size());
    std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin(), by_key);
    std::atomic<int> wrong{0};
    everywhere([&] {
      std::vector<entry> out(expected.size());
      wrong += dozer::merge(a, b, out.begin(), by_key, options) != out.end();
      wrong += out != expected;
      std::deque<entry> into(expected.size());
      dozer::merge(a.begin(), a.end(), as_deque.begin(), as_deque.end(), into.begin(), {}, &entry::key, &entry::key,
                   options);
      wrong += !std::equal(into.begin(), into.end(), expected.begin(), expected.end());
    });
    RC_ASSERT(wrong.load() == 0);
  }));
}

TEST(Merge, RangesThatMakeTheirElements) {
  const auto even = std::views::iota(0, 5000) | std::views::transform([](int i) { return 2 * i; });
  std::vector<long> out(6000), expected(6000);
  std::ranges::merge(even, std::views::iota(0, 1000), expected.begin());
  dozer::merge(even, std::views::iota(0, 1000), out.begin());
  EXPECT_EQ(out, expected);
  dozer::merge(even, std::views::iota(0, 1000), out.begin(), {.grain = 100});
  EXPECT_EQ(out, expected);
}

TEST(Merge, EachRangeWithItsOwnProjection) {
  const std::vector<entry> a = sorted_entries(1000, 1, 100, 0);
  std::vector<std::pair<int, int>> b;
  for (int i = 0; i < 100; ++i) {
    b.emplace_back(-1, i);
  }
  struct made {
    int key = 0;
    made() = default;
    made& operator=(const entry& e) { return key = e.key, *this; }
    made& operator=(const std::pair<int, int>& p) { return key = p.second, *this; }
    made& operator=(int n) { return key = n, *this; }
  };
  std::vector<made> out(1100);
  dozer::merge(a, b, out.begin(), std::less<>(), &entry::key, &std::pair<int, int>::second);
  const auto less = [](const made& x, const made& y) { return x.key < y.key; };
  EXPECT_TRUE(std::is_sorted(out.begin(), out.end(), less));
  // Options may follow the first projection, too.
  const std::vector<int> c(100, 50);
  dozer::merge(a, c, out.begin(), {}, &entry::key, {.grain = 64});
  EXPECT_TRUE(std::is_sorted(out.begin(), out.end(), less));
  dozer::merge(a.begin(), a.end(), c.begin(), c.end(), out.begin(), {}, &entry::key, {.grain = 16});
  EXPECT_TRUE(std::is_sorted(out.begin(), out.end(), less));
}

TEST(Merge, CopiesEachElementOnceAndComparesEachAboutOnce) {
  std::vector<counted> a, b, out(40'000);
  for (int i = 0; i < 20'000; ++i) {
    a.emplace_back(i);
    b.emplace_back(i * 7 % 30'000);
  }
  std::sort(b.begin(), b.end());
  dozer::thread_pool pool(2);
  pool.install([&] {
    const long copies = counted::copies;
    std::atomic<long> compared{0};
    dozer::merge(a, b, out.begin(), [&](const counted& x, const counted& y) { return ++compared, x < y; });
    EXPECT_EQ(counted::copies - copies, 40'000);
    EXPECT_LE(compared.load(), 44'000);
    EXPECT_TRUE(std::is_sorted(out.begin(), out.end()));
  });
}

TEST(Merge, WhatAComparisonThrowsLeaves) {
  const auto a = sorted_entries(3000, 1, 1000, 0), b = sorted_entries(2000, 2, 1000, 5000);
  std::vector<entry> out(5000);
  for (const long at : {1, 2, 100, 2000}) {
    const dozer_test::throws_at call(at);
    EXPECT_THROW(dozer::merge(a, b, out.begin(), [&](const entry& x, const entry& y) { return call(), x.key < y.key; }),
                 std::runtime_error);
  }
}

TEST(Merge, AfterAStopNothingIsBegun) {
  const auto a = sorted_entries(3000, 1, 1000, 0), b = sorted_entries(2000, 2, 1000, 5000);
  std::vector<entry> out(5000, entry{-1, -1});
  const auto before = out;
  std::stop_source source;
  source.request_stop();
  EXPECT_EQ(dozer::merge(a, b, out.begin(), by_key, {.stop = source.get_token()}), out.end());
  EXPECT_EQ(out, before);
}

TEST(Merge, TwoComparisonsRunAtOnce) {
  dozer::thread_pool pool(2);
  dozer_test::rendezvous both(2);
  std::atomic<int> calls{0};
  const std::vector<int> a{1, 3}, b{2, 4};
  std::vector<int> out(4);
  pool.install([&] {
    dozer::merge(a, b, out.begin(), [&](int x, int y) {
      if (calls.fetch_add(1) < 2) {
        both.arrive_and_wait();
      }
      return x < y;
    });
  });
  EXPECT_EQ(out, (std::vector<int>{1, 2, 3, 4}));
}

}  // namespace
