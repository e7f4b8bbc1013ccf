// histogram: how many elements are in each bin.
#include "support.hpp"

#include <dozer/algorithm/histogram.hpp>

#include <atomic>
#include <deque>
#include <random>
#include <ranges>
#include <string>
#include <vector>

namespace {

using dozer_test::any_options;
using dozer_test::any_size;
using dozer_test::everywhere;

TEST(Histogram, LikeALoop) {
  EXPECT_TRUE(dozer_test::check([] {
    const auto bins = *rc::gen::element<std::size_t>(1, 2, 10, 256, 5000, 100'000);
    const auto options = any_options();
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
    std::deque<std::uint32_t> in(any_size());
    std::vector<std::uint64_t> expected(bins);
    for (auto& n : in) {
      n = static_cast<std::uint32_t>(random());
      ++expected[n % bins];
    }
    const std::vector<std::uint32_t> vector(in.begin(), in.end());
    const auto bin_of = [bins](std::uint32_t n) { return n % bins; };
    std::atomic<int> wrong{0};
    everywhere([&] {
      wrong += dozer::histogram(in, bins, bin_of, options) != expected;
      wrong += dozer::histogram(vector.begin(), vector.end(), bins, bin_of) != expected;
    });
    RC_ASSERT(wrong.load() == 0);
  }));
}

TEST(Histogram, ABinThatDoesNotExistIsAClearError) {
  everywhere([] {
    for (const int n : {1, 50, 5000}) {
      for (const int wrong : {-1, 10, 1 << 30}) {
        const auto bin_of = [&](int i) { return i == n - 1 ? wrong : i % 10; };
        try {
          static_cast<void>(dozer::histogram(std::views::iota(0, n), 10, bin_of));
          ADD_FAILURE() << wrong;
        } catch (const std::out_of_range& e) {
          EXPECT_NE(std::string(e.what()).find(std::to_string(wrong) + ", but there are 10 bins"), std::string::npos)
              << e.what();
        }
      }
    }
  });
  EXPECT_THROW(static_cast<void>(dozer::histogram(std::vector<int>{1}, 0, [](int) { return 0u; })), std::out_of_range);
}

TEST(Histogram, TakesElementsThatCannotBeCopied) {
  std::vector<dozer_test::move_only> unique(1000);
  unique[700].value = 1;
  EXPECT_EQ(dozer::histogram(unique, 2, [](const auto& e) { return e.value; }), (std::vector<std::uint64_t>{999, 1}));
}

TEST(Histogram, CallsBinOfOnceForEachElement) {
  everywhere([] {
    for (const std::size_t bins : {3u, 100'000u}) {
      std::atomic<int> calls{0};
      const auto counts = dozer::histogram(std::views::iota(0, 3000), bins, [&](int i) { return ++calls, i % 3; });
      EXPECT_EQ(calls.load(), 3000);
      EXPECT_EQ(counts.size(), bins);
      EXPECT_EQ(counts[1], 1000u);
    }
  });
}

TEST(Histogram, StoppedItCountsWhatItHasLookedAt) {
  everywhere([] {
    for (const std::size_t bins : {1u, 20'000u}) {
      std::stop_source source;
      std::atomic<std::uint64_t> calls{0};
      const auto counts =
          dozer::histogram(std::views::iota(0, 20'000), bins,
                           [&](int) {
                             if (const auto call = ++calls; call == 500) {
                               source.request_stop();
                             } else if (call > 500) {  // the one that asks may be held up
                               EXPECT_TRUE(dozer_test::eventually([&] { return source.stop_requested(); }));
                             }
                             return 0;
                           },
                           {.stop = source.get_token()});
      EXPECT_EQ(counts[0], calls.load());
      EXPECT_LT(counts[0], 20'000u);
    }
  });
}

TEST(Histogram, TwoLongCallsRunAtOnce) {
  dozer::thread_pool pool({.threads = 2});
  pool.install([] {
    dozer_test::rendezvous two(2);
    const auto counts = dozer::histogram(std::vector<int>{0, 1}, 2, [&](int n) {
      two.arrive();
      EXPECT_TRUE(dozer_test::eventually([&] { return two.all_here(); }));
      return n;
    });
    EXPECT_EQ(counts, (std::vector<std::uint64_t>{1, 1}));
  });
}

}  // namespace
