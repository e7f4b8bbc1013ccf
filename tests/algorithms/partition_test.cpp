// partition, stable_partition: the elements for which a predicate holds first, and none lost.
#include "support.hpp"

#include <dozer/algorithm/partition.hpp>

#include <algorithm>
#include <atomic>
#include <deque>
#include <functional>
#include <iterator>
#include <numeric>
#include <random>
#include <vector>

namespace {

using dozer_test::any_options;
using dozer_test::any_size;
using dozer_test::counted;
using dozer_test::everywhere;

/// A number with what the predicate says of it; it may not be copied, and its moves may throw as far as the type says.
template <bool safe_moves>
struct item {
  int number = -1;
  bool holds = false;
  item(int n, bool h) : number(n), holds(h) {}
  item(item&& other) noexcept(safe_moves) : number(std::exchange(other.number, -1)), holds(other.holds) {}
  item& operator=(item&& other) noexcept(safe_moves) {
    EXPECT_NE(this, &other);
    number = std::exchange(other.number, -1);
    holds = other.holds;
    return *this;
  }
};

template <class Range>
bool is_a_permutation(const Range& range, std::size_t n) {
  std::vector<char> seen(n, 0);
  for (const auto& i : range) {
    const auto k = static_cast<std::size_t>(i.number);
    if (k >= n || std::exchange(seen[k], 1) != 0) {
      return false;
    }
  }
  return range.size() == n;
}

/// What holds is known for each number: nearly none, some, half, nearly all.
std::vector<bool> some_choice() {
  const auto n = any_size();
  const auto percent = *rc::gen::element<std::uint64_t>(0, 1, 10, 50, 99, 100);
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  std::vector<bool> holds(n);
  for (std::size_t i = 0; i < n; ++i) {
    holds[i] = random() % 100 < percent;
  }
  return holds;
}

template <class Range>
Range items(const std::vector<bool>& holds) {
  Range all;
  for (std::size_t i = 0; i < holds.size(); ++i) {
    all.emplace_back(static_cast<int>(i), holds[i]);
  }
  return all;
}

template <class Range>
bool is_stable(const Range& range, std::ptrdiff_t middle) {
  const auto increases = [](const auto& a, const auto& b) { return a.number < b.number; };
  return std::is_sorted(range.begin(), range.begin() + middle, increases) &&
         std::is_sorted(range.begin() + middle, range.end(), increases);
}

TEST(Partition, ThoseThatHoldComeFirstAndNoneIsLost) {
  EXPECT_TRUE(dozer_test::check([] {
    const auto holds = some_choice();
    const auto options = any_options();
    const auto held = std::ranges::count(holds, true);
    std::atomic<int> wrong{0};
    const auto check = [&](auto all, const auto& partition, bool stable) {
      std::atomic<std::size_t> calls{0};
      const auto middle = partition(all, calls) - all.begin();
      wrong += middle != held || calls != holds.size() || !is_a_permutation(all, holds.size());
      wrong += !std::is_partitioned(all.begin(), all.end(), [](const auto& i) { return i.holds; });
      wrong += stable && !is_stable(all, middle);
    };
    const auto in_any_order = [&](auto& all, auto& calls) {
      return dozer::partition(
          all, [&](const auto& i) { return ++calls, i.holds; }, options);
    };
    const auto in_order = [&](auto& all, auto& calls) {
      return dozer::stable_partition(
          all.begin(), all.end(), [&](const auto& i) { return ++calls, i.holds; }, options);
    };
    everywhere([&] {
      check(items<std::vector<item<true>>>(holds), in_any_order, false);
      check(items<std::deque<item<true>>>(holds), in_any_order, false);
      check(items<std::vector<item<true>>>(holds), in_order, true);
      check(items<std::deque<item<true>>>(holds), in_order, true);
    });
    check(items<std::vector<item<false>>>(holds), in_order, true);
    RC_ASSERT(wrong.load() == 0);
  }));
}

TEST(Partition, OfNumbersLikeStd) {
  EXPECT_TRUE(dozer_test::check([] {
    const auto holds = some_choice();
    const auto options = any_options();
    std::vector<int> in(holds.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
      in[i] = static_cast<int>(2 * i) + (holds[i] ? 1 : 0);
    }
    const auto odd = [](int n) { return n % 2 != 0; };
    std::vector<int> expected;
    std::ranges::copy_if(in, std::back_inserter(expected), odd);
    const auto middle = std::ssize(expected);
    std::ranges::copy_if(in, std::back_inserter(expected), std::not_fn(odd));
    std::atomic<int> wrong{0};
    everywhere([&] {
      auto here = in;
      wrong += dozer::stable_partition(here, odd, options) - here.begin() != middle || here != expected;
      here = in;
      wrong += dozer::partition(
                   here, [](bool b) { return b; }, odd, options) -
                   here.begin() !=
               middle;
      wrong += !std::is_partitioned(here.begin(), here.end(), odd);
      std::ranges::sort(here);
      wrong += here != in;
    });
    RC_ASSERT(wrong.load() == 0);
  }));
}

TEST(Partition, IfThePredicateThrowsTheSameElementsAreThere) {
  std::vector<bool> holds(3000);
  for (std::size_t i = 0; i < holds.size(); ++i) {
    holds[i] = i % 3 == 0 || i > 2500;
  }
  for (const long k : {1, 2, 100, 1500, 2999}) {
    for (const std::size_t grain : {0u, 1u, 300u}) {
      everywhere([&] {
        const auto check = [&](auto all, const auto& partition) {
          const dozer_test::throws_at at(k);
          EXPECT_THROW(partition(all, [&](const auto& i) { return at(), i.holds; }), std::runtime_error);
          EXPECT_TRUE(is_a_permutation(all, holds.size()));
        };
        check(items<std::vector<item<true>>>(holds),
              [&](auto& all, const auto& pred) { dozer::partition(all, pred, {.grain = grain}); });
        check(items<std::vector<item<true>>>(holds),
              [&](auto& all, const auto& pred) { dozer::stable_partition(all, pred, {.grain = grain}); });
      });
    }
    auto all = items<std::vector<item<false>>>(holds);
    const dozer_test::throws_at at(k);
    EXPECT_THROW(dozer::stable_partition(all, [&](const auto& i) { return at(), i.holds; }), std::runtime_error);
    EXPECT_TRUE(is_a_permutation(all, holds.size()));
  }
}

/// While one element is looked at, all behind it is prepared by the other thread; then it throws, or not.
TEST(Partition, AnElementThatTakesLongHoldsUpNoOtherThread) {
  dozer::thread_pool pool({.threads = 2});
  constexpr int n = 2000;
  for (const bool fails : {false, true}) {
    for (const std::size_t grain : {1u, 40u}) {
      pool.install([&] {
        std::atomic<int> seen{0};
        std::vector<bool> holds(n);
        for (int i = 0; i < n; ++i) {
          holds[static_cast<std::size_t>(i)] = i % 3 == 0;
        }
        auto all = items<std::vector<item<true>>>(holds);
        const auto pred = [&](const item<true>& i) {
          if (i.number == n / 2) {
            EXPECT_TRUE(dozer_test::eventually([&] { return seen.load() >= n - 200; })) << seen.load();
            if (fails) {
              throw std::runtime_error("in the middle");
            }
          }
          ++seen;
          return i.holds;
        };
        if (fails) {
          EXPECT_THROW(dozer::stable_partition(all, pred, {.grain = grain}), std::runtime_error);
        } else {
          EXPECT_TRUE(is_stable(all, dozer::stable_partition(all, pred, {.grain = grain}) - all.begin()));
        }
        EXPECT_TRUE(is_a_permutation(all, n));
      });
    }
  }
}

TEST(Partition, NothingLeaks) {
  const long before = counted::alive;
  for (const long k : {1, 700, 5000}) {
    everywhere([&] {
      std::vector<counted> all(2000);
      for (int i = 0; i < 2000; ++i) {
        all[static_cast<std::size_t>(i)].value = i;
      }
      const dozer_test::throws_at at(k);
      try {
        dozer::stable_partition(all, [&](const counted& c) { return at(), c.value % 2 == 0; });
      } catch (const std::runtime_error&) {
      }
    });
  }
  EXPECT_EQ(counted::alive.load(), before);
}

TEST(Partition, MovesAreFew) {
  everywhere([] {
    for (const bool stable : {false, true}) {
      struct moved {
        int value = 0;
        std::atomic<long>* moves = nullptr;
        moved(int v, std::atomic<long>* m) : value(v), moves(m) {}
        moved(moved&& o) noexcept : value(o.value), moves(o.moves) { ++*moves; }
        moved& operator=(moved&& o) noexcept {
          value = o.value;
          ++*moves;
          return *this;
        }
      };
      constexpr int n = 20'000;
      std::atomic<long> moves{0};
      std::vector<moved> all;
      all.reserve(n);
      for (int i = 0; i < n; ++i) {
        all.emplace_back(i * 7919 % n, &moves);
      }
      moves = 0;
      const auto low = [](const moved& m) { return m.value < n / 2; };
      static_cast<void>(stable ? dozer::stable_partition(all, low) : dozer::partition(all, low));
      EXPECT_LE(moves.load(), 4 * n);
    }
  });
}

TEST(Partition, StoppedWhatWasNotLookedAtCountsAsNotHeld) {
  everywhere([] {
    for (const bool stable : {false, true}) {
      std::stop_source source;
      std::atomic<int> calls{0}, held{0};
      std::vector<int> all(20'000);
      std::iota(all.begin(), all.end(), 0);
      const auto even = [&](int i) {
        if (++calls == 500) {
          source.request_stop();
        }
        held += i % 2 == 0;
        return i % 2 == 0;
      };
      const dozer::loop_options options{.stop = source.get_token()};
      const auto middle = stable ? dozer::stable_partition(all, even, options) : dozer::partition(all, even, options);
      EXPECT_EQ(middle - all.begin(), held);
      EXPECT_TRUE(std::all_of(all.begin(), middle, [](int i) { return i % 2 == 0; }));
      if (stable) {
        EXPECT_TRUE(std::is_sorted(all.begin(), middle) && std::is_sorted(middle, all.end()));
      }
      std::ranges::sort(all);
      for (int i = 0; i < 20'000; ++i) {
        ASSERT_EQ(all[static_cast<std::size_t>(i)], i);
      }
    }
  });
}

TEST(Partition, TwoLongCallsRunAtOnce) {
  dozer::thread_pool pool({.threads = 2});
  pool.install([] {
    for (const bool stable : {false, true}) {
      dozer_test::rendezvous two(2);
      const auto waits = [&](int n) {
        two.arrive();
        EXPECT_TRUE(dozer_test::eventually([&] { return two.all_here(); }));
        return n == 2;
      };
      std::vector<int> v{1, 2};
      const auto middle = stable ? dozer::stable_partition(v, waits) : dozer::partition(v, waits);
      EXPECT_EQ(middle - v.begin(), 1);
      EXPECT_EQ(v, (std::vector<int>{2, 1}));
    }
  });
}

}  // namespace
