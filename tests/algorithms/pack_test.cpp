// copy_if, remove_if, unique: some elements of a range, in order.
#include "support.hpp"

#include <dozer/algorithm/copy_if.hpp>
#include <dozer/algorithm/remove.hpp>
#include <dozer/algorithm/unique.hpp>

#include <algorithm>
#include <atomic>
#include <deque>
#include <functional>
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

/// Numbers below 100, with runs of equal ones; and a bound, so that few, half or nearly all are below it.
struct some_numbers {
  some_numbers() : bound(*rc::gen::element(0, 1, 3, 50, 97, 99, 100)) {
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
    const auto run = *rc::gen::element<std::uint64_t>(1, 2, 50, 1000);
    values.resize(any_size());
    int value = 0;
    for (auto& v : values) {
      v = value = random() % run == 0 ? static_cast<int>(random() % 100) : value;
    }
  }
  std::vector<int> values;
  int bound;
};

template <class T, class From>
T made_of(const From& values) {
  T all;
  for (const int v : values) {
    all.emplace_back(v);
  }
  return all;
}

template <class T>
void cut(T& range, typename T::iterator end) {
  range.resize(static_cast<std::size_t>(end - range.begin()));
}

TEST(CopyIf, LikeStd) {
  EXPECT_TRUE(dozer_test::check([] {
    const some_numbers in;
    const auto options = any_options();
    const auto small = [bound = in.bound](int n) { return n < bound; };
    std::vector<int> expected;
    std::ranges::copy_if(in.values, std::back_inserter(expected), small);
    std::deque<std::string> strings;
    std::ranges::transform(in.values, std::back_inserter(strings), [](int n) { return std::to_string(n); });
    std::atomic<int> wrong{0};
    everywhere([&] {
      std::vector<int> out(expected.size());  // nothing may be written behind it
      wrong += dozer::copy_if(in.values, out.begin(), small, options) != out.end() || out != expected;
      const auto doubled = in.values | std::views::transform([](int n) { return 2 * n; });
      std::deque<long> far(expected.size());
      const auto half = [](int n) { return n / 2; };
      wrong += dozer::copy_if(doubled, far.begin(), small, half, options) != far.end();
      wrong += !std::ranges::equal(far, expected, {}, [](long n) { return n / 2; });
      const auto small_text = [&](const std::string& text) { return std::stoi(text) < in.bound; };
      std::deque<std::string> texts(expected.size());
      wrong += dozer::copy_if(strings.begin(), strings.end(), texts.begin(), small_text, options) != texts.end();
      wrong += !std::ranges::equal(texts, expected, {}, [](const std::string& text) { return std::stoi(text); });
    });
    RC_ASSERT(wrong.load() == 0);
  }));
}

TEST(CopyIf, CallsThePredicateOnceForEachElementAndCopiesOnlyHits) {
  everywhere([] {
    constexpr int n = 3000;
    std::vector<std::atomic<int>> asked(n);
    const auto numbers = std::views::iota(0, n);
    std::vector<int> hits(n / 3);
    const auto third = [&](int i) {
      ++asked[static_cast<std::size_t>(i)];
      return i % 3 == 0;
    };
    EXPECT_EQ(dozer::copy_if(numbers, hits.begin(), third), hits.end());
    EXPECT_TRUE(std::ranges::all_of(asked, [](const auto& times) { return times == 1; }));
    EXPECT_EQ(hits.back(), n - 3);
  });
}

TEST(CopyIf, CopiesEachHitOnce) {
  std::vector<counted> in(5000), out(5000);
  for (int i = 0; i < 5000; ++i) {
    in[static_cast<std::size_t>(i)].value = i % 7;
  }
  const long before = counted::copies;
  const auto end = dozer::copy_if(in, out.begin(), [](const counted& c) { return c.value == 3; });
  EXPECT_EQ(counted::copies - before, end - out.begin());
}

TEST(CopyIf, StoppedItHasCopiedAFrontPart) {
  everywhere([] {
    std::stop_source source;
    std::atomic<int> calls{0};
    std::vector<int> out(20'000, -1);
    const auto even = [&](int i) {
      if (++calls == 500) {
        source.request_stop();
      }
      return i % 2 == 0;
    };
    const auto end = dozer::copy_if(std::views::iota(0, 20'000), out.begin(), even, {.stop = source.get_token()});
    EXPECT_EQ(end - out.begin(), (calls + 1) / 2);
    for (auto i = out.begin(); i != end; ++i) {
      ASSERT_EQ(*i, 2 * (i - out.begin()));
    }
    EXPECT_TRUE(std::all_of(end, out.end(), [](int i) { return i == -1; }));
  });
}

TEST(RemoveIf, LikeStd) {
  EXPECT_TRUE(dozer_test::check([] {
    const some_numbers in;
    const auto options = any_options();
    const auto small = [bound = in.bound](int n) { return n < bound; };
    auto expected = in.values;
    expected.erase(std::ranges::remove_if(expected, small).begin(), expected.end());
    std::atomic<int> wrong{0};
    everywhere([&] {
      auto here = in.values;
      cut(here, dozer::remove_if(here, small, options));
      wrong += here != expected;
      auto movable = made_of<std::deque<move_only>>(in.values);
      cut(movable, dozer::remove_if(movable, small, &move_only::value, options));
      wrong += !std::ranges::equal(movable, expected, {}, &move_only::value);
      std::vector<over_aligned> aligned(in.values.size());
      std::ranges::transform(in.values, aligned.begin(), [](int n) { return over_aligned{n}; });
      cut(aligned, dozer::remove_if(aligned.begin(), aligned.end(), small, &over_aligned::value));
      wrong += !std::ranges::equal(aligned, expected, {}, &over_aligned::value);
    });
    RC_ASSERT(wrong.load() == 0);
  }));
}

TEST(RemoveIf, CallsThePredicateOnceAndMovesNothingOntoItself) {
  struct picky {
    int value;
    explicit picky(int v) : value(v) {}
    picky(picky&&) = default;
    picky& operator=(picky&& other) {
      EXPECT_NE(this, &other);
      value = std::exchange(other.value, -1);
      return *this;
    }
  };
  everywhere([] {
    for (const int step : {2, 97, 4000}) {
      auto all = made_of<std::vector<picky>>(std::views::iota(0, 3000));
      std::vector<std::atomic<int>> asked(all.size());
      const auto end = dozer::remove_if(all, [&](const picky& p) {
        ++asked[static_cast<std::size_t>(p.value)];
        return p.value % step == step - 1;
      });
      EXPECT_TRUE(std::ranges::all_of(asked, [](const auto& times) { return times == 1; }));
      EXPECT_EQ(end - all.begin(), 3000 - 3000 / step);
    }
  });
}

TEST(RemoveIf, WithoutHitsNothingMoves) {
  std::vector<counted> all(5000);
  const long before = counted::moves;
  EXPECT_EQ(dozer::remove_if(all, [](const counted&) { return false; }), all.end());
  EXPECT_EQ(counted::moves, before);
}

TEST(RemoveIf, StoppedItKeepsWhatItHasNotLookedAt) {
  everywhere([] {
    std::stop_source source;
    std::atomic<int> calls{0};
    std::vector<int> all(20'000);
    std::ranges::copy(std::views::iota(0, 20'000), all.begin());
    cut(all, dozer::remove_if(all,
                              [&](int i) {
                                if (++calls == 500) {
                                  source.request_stop();
                                }
                                return i % 2 == 0;
                              },
                              {.stop = source.get_token()}));
    std::vector<int> expected;
    std::ranges::copy_if(std::views::iota(0, 20'000), std::back_inserter(expected),
                         [&](int i) { return i >= calls || i % 2 != 0; });
    EXPECT_EQ(all, expected);
  });
}

TEST(Pack, AnExceptionLeavesAllElementsAlive) {
  const long before = counted::alive;
  for (const long k : {1, 2, 100, 1500}) {
    for (const std::size_t grain : {0u, 1u, 40u}) {
      everywhere([&] {
        auto all = made_of<std::vector<counted>>(std::views::iota(0, 2000));
        std::vector<counted> out(2000);
        const dozer_test::throws_at a(k), b(k), c(k);
        const auto odd = [](const dozer_test::throws_at& at) {
          return [&at](const counted& n) { return at(), n.value % 2 != 0; };
        };
        EXPECT_THROW(dozer::copy_if(all, out.begin(), odd(a), {.grain = grain}), std::runtime_error);
        EXPECT_THROW(static_cast<void>(dozer::remove_if(all, odd(b), {.grain = grain})), std::runtime_error);
        const auto equal = [&](const counted& x, const counted& y) { return c(), x.value / 2 == y.value / 2; };
        EXPECT_THROW(static_cast<void>(dozer::unique(all, equal, {.grain = grain})), std::runtime_error);
      });
    }
  }
  EXPECT_EQ(counted::alive.load(), before);
}

/// While it is looked at, all behind it is prepared by the other thread, and waits for its turn.
TEST(Pack, AnElementThatTakesLongHoldsUpNoOtherThread) {
  dozer::thread_pool pool({.threads = 2});
  for (const std::size_t grain : {1u, 40u}) {
    pool.install([&] {
      constexpr int n = 2000;
      const auto waits = [](std::atomic<int>& seen) {
        return [&seen](int i) {
          if (i == n / 2) {
            EXPECT_TRUE(dozer_test::eventually([&] { return seen.load() >= n - 200; })) << seen.load();
          }
          ++seen;
          return i % 3 == 0;
        };
      };
      std::atomic<int> a{0}, b{0}, c{0};
      std::vector<int> expected, out(n), all(n);
      std::ranges::copy(std::views::iota(0, n), all.begin());
      std::ranges::copy_if(all, std::back_inserter(expected), [](int i) { return i % 3 == 0; });
      cut(out, dozer::copy_if(all, out.begin(), waits(a), {.grain = grain}));
      EXPECT_EQ(out, expected);
      auto left = all;
      cut(left, dozer::remove_if(left, std::not_fn(waits(b)), {.grain = grain}));
      EXPECT_EQ(left, expected);
      const auto third = [](int i) { return (i + 2) / 3; };
      const auto equal = [&, wait = waits(c)](int x, int y) { return wait(y), third(x) == third(y); };
      expected = all;
      expected.erase(std::ranges::unique(expected, {}, third).begin(), expected.end());
      cut(all, dozer::unique(all, equal, {.grain = grain}));
      EXPECT_EQ(all, expected);
    });
  }
}

TEST(Pack, TwoLongCallsRunAtOnce) {
  dozer::thread_pool pool({.threads = 2});
  pool.install([] {
    const auto waits = [](dozer_test::rendezvous& two) {
      return [&two](int n) {
        two.arrive();
        EXPECT_TRUE(dozer_test::eventually([&] { return two.all_here(); }));
        return n == 1;
      };
    };
    dozer_test::rendezvous a(2), b(2), c(2);
    std::vector<int> in{1, 2}, out(1);
    dozer::copy_if(in, out.begin(), waits(a));
    EXPECT_EQ(out.front(), 1);
    cut(in, dozer::remove_if(in, waits(b)));
    EXPECT_EQ(in, std::vector<int>{2});
    in = {3, 3, 4};
    const auto equal = [&](int x, int y) {
      c.arrive();
      EXPECT_TRUE(dozer_test::eventually([&] { return c.all_here(); }));
      return x == y;
    };
    cut(in, dozer::unique(in, equal));
    EXPECT_EQ(in, (std::vector<int>{3, 4}));
  });
}

TEST(Unique, LikeStd) {
  EXPECT_TRUE(dozer_test::check([] {
    const some_numbers in;
    const auto options = any_options();
    auto expected = in.values, by_tens = in.values;
    expected.erase(std::ranges::unique(expected).begin(), expected.end());
    const auto tens = [](int n) { return n / 10; };
    by_tens.erase(std::ranges::unique(by_tens, {}, tens).begin(), by_tens.end());
    std::atomic<int> wrong{0};
    everywhere([&] {
      auto here = in.values;
      cut(here, dozer::unique(here, options));
      wrong += here != expected;
      here = in.values;
      cut(here, dozer::unique(here, {}, tens, options));
      wrong += here != by_tens;
      here = in.values;
      cut(here, dozer::unique(
                    here.begin(), here.end(), [&](int a, int b) { return tens(a) == tens(b); }, options));
      wrong += here != by_tens;
      auto movable = made_of<std::deque<move_only>>(in.values);
      cut(movable, dozer::unique(movable, std::equal_to<>(), options));
      wrong += !std::ranges::equal(movable, expected, {}, &move_only::value);
    });
    RC_ASSERT(wrong.load() == 0);
  }));
}

TEST(Unique, ComparesOneTimeLessThanThereAreElements) {
  everywhere([] {
    for (const std::size_t grain : {0u, 1u, 7u}) {
      for (const std::size_t n : {1u, 2u, 99u, 3000u}) {
        std::vector<int> all(n, 5);
        std::atomic<std::size_t> calls{0};
        const auto end = dozer::unique(all, [&](int a, int b) { return ++calls, a == b; }, {.grain = grain});
        EXPECT_EQ(end - all.begin(), 1);
        EXPECT_EQ(calls.load(), n - 1);
      }
    }
  });
}

TEST(Unique, StoppedItKeepsWhatItHasNotLookedAt) {
  everywhere([] {
    std::stop_source source;
    std::atomic<int> calls{0};
    std::vector<int> all(20'000, 5);
    const auto equal = [&](int a, int b) {
      if (const int call = ++calls; call == 500) {
        source.request_stop();
      } else if (call > 500) {  // the one that asks may be held up
        EXPECT_TRUE(dozer_test::eventually([&] { return source.stop_requested(); }));
      }
      return a == b;
    };
    const auto end = dozer::unique(all, equal, {.stop = source.get_token()});
    EXPECT_EQ(end - all.begin(), 20'000 - calls);
    EXPECT_LT(calls.load(), 19'999);
  });
}

TEST(Pack, OptionsFollowWhateverWasGiven) {
  std::vector<int> v{1, 2, 2, 3}, out(4);
  const auto even = [](int i) { return i % 2 == 0; };
  const dozer::loop_options options{.grain = 2};
  EXPECT_EQ(dozer::copy_if(v, out.begin(), even, {.grain = 4}) - out.begin(), 2);
  EXPECT_EQ(dozer::copy_if(v, out.begin(), even, {}, options) - out.begin(), 2);
  EXPECT_EQ(dozer::unique(v, {.grain = 4}) - v.begin(), 3);
  EXPECT_EQ(dozer::unique(v.begin(), v.begin() + 3, {.grain = 4}) - v.begin(), 3);
  EXPECT_EQ(dozer::unique(v.begin(), v.begin() + 3, {}, std::negate<>()) - v.begin(), 3);
  EXPECT_EQ(dozer::remove_if(v.begin(), v.begin() + 3, even, {.grain = 4}) - v.begin(), 2);
  int array[]{1, 2, 3};
  EXPECT_EQ(dozer::copy_if(array, out.begin(), even) - out.begin(), 1);
  EXPECT_EQ(dozer::remove_if(array, even, std::identity(), options) - array, 2);
}

}  // namespace
