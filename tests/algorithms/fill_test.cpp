// fill, generate, copy, reverse: what only writes.
#include "support.hpp"

#include <dozer/algorithm/copy.hpp>
#include <dozer/algorithm/fill.hpp>
#include <dozer/algorithm/reverse.hpp>

#include <algorithm>
#include <deque>
#include <functional>
#include <numeric>
#include <ranges>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using dozer_test::any_numbers;
using dozer_test::any_options;
using dozer_test::any_size;
using dozer_test::counted;
using dozer_test::failures_everywhere;

TEST(Fill, EveryElementAndNothingElse) {
  EXPECT_TRUE(dozer_test::check([] {
    const auto size = any_size();
    const auto options = any_options();
    const auto check = [&]<class C>(C made, const auto& value) {
      dozer::fill(made, value, options);
      const bool all = std::all_of(made.begin(), made.end(), [&](const auto& e) { return e == value; });
      if (size >= 2) {
        using element = typename C::value_type;
        dozer::fill(made.begin() + 1, made.end() - 1, element(), options);
        return all && made.front() == value && made.back() == value &&
               std::all_of(made.begin() + 1, made.end() - 1, [](const auto& e) { return e == element(); });
      }
      return all;
    };
    RC_ASSERT(failures_everywhere([&] {
                return check(std::vector<int>(size), 7) && check(std::vector<char>(size), 'x') &&
                       check(std::deque<double>(size), 1.5f) && check(std::vector<std::string>(size), "seven") &&
                       check(std::vector<dozer_test::over_aligned>(size), dozer_test::over_aligned{3});
              }) == 0);
  }));
}

TEST(Generate, OneCallForEachElement) {
  EXPECT_TRUE(dozer_test::check([] {
    const auto size = any_size();
    const auto options = any_options();
    RC_ASSERT(failures_everywhere([&] {
                std::atomic<int> next{0};
                std::vector<int> numbers(size, -1);
                dozer::generate(
                    numbers, [&] { return next++; }, options);
                std::sort(numbers.begin(), numbers.end());
                std::deque<dozer_test::move_only> unique(size);
                dozer::generate(
                    unique.begin(), unique.end(), [] { return dozer_test::move_only(3); }, options);
                return next.load() == static_cast<int>(size) &&
                       std::ranges::equal(numbers, std::views::iota(0, next.load())) &&
                       std::all_of(unique.begin(), unique.end(), [](const auto& e) { return e.value == 3; });
              }) == 0);
  }));
}

TEST(Generate, AnExceptionLeavesElementsValid) {
  const long before = counted::alive;
  {
    std::vector<counted> made(3000);
    const dozer_test::throws_at at(1234);
    EXPECT_THROW(dozer::generate(made, [&] { return (at(), counted(1)); }), std::runtime_error);
    EXPECT_TRUE(std::all_of(made.begin(), made.end(), [](const counted& c) { return c.value == 0 || c.value == 1; }));
  }
  EXPECT_EQ(counted::alive, before);
}

TEST(Copy, LikeStd) {
  EXPECT_TRUE(dozer_test::check([] {
    const auto from = any_numbers(any_size(), 1000);
    const auto options = any_options();
    const auto half = from | std::views::transform([](int n) { return n / 2; });
    RC_ASSERT(failures_everywhere([&] {
                std::vector<int> to(from.size() + 1, -1);
                std::deque<long> chunks(from.size() + 1, -1);
                std::vector<int> halves(from.size());
                return dozer::copy(from, to.begin(), options) == to.end() - 1 && to.back() == -1 &&
                       std::equal(from.begin(), from.end(), to.begin()) &&
                       dozer::copy(from.begin(), from.end(), chunks.begin(), options) == chunks.end() - 1 &&
                       chunks.back() == -1 && std::equal(from.begin(), from.end(), chunks.begin()) &&
                       dozer::copy(half, halves.begin(), options) == halves.end() && std::ranges::equal(half, halves);
              }) == 0);
  }));
}

TEST(Copy, CopiesOnceAndMovesNothing) {
  const std::vector<counted> from(5000);
  std::vector<counted> to(5000);
  const long copies = counted::copies, moves = counted::moves;
  dozer::copy(from, to.begin());
  EXPECT_EQ(counted::copies - copies, 5000);
  EXPECT_EQ(counted::moves - moves, 0);
}

TEST(Reverse, LikeStd) {
  EXPECT_TRUE(dozer_test::check([] {
    const auto numbers = any_numbers(any_size(), 1000);
    const auto options = any_options();
    const std::vector<int> expected(numbers.rbegin(), numbers.rend());
    RC_ASSERT(failures_everywhere([&] {
                auto plain = numbers;
                std::deque<int> chunks(numbers.begin(), numbers.end());
                std::vector<dozer_test::move_only> unique;
                for (const int n : numbers) {
                  unique.emplace_back(n);
                }
                dozer::reverse(plain, options);
                dozer::reverse(chunks.begin(), chunks.end(), options);
                dozer::reverse(unique, options);
                return plain == expected && std::equal(expected.begin(), expected.end(), chunks.begin()) &&
                       std::equal(expected.begin(), expected.end(), unique.begin(),
                                  [](int n, const auto& e) { return n == e.value; });
              }) == 0);
  }));
}

TEST(Fill, AfterAStopNothingIsWritten) {
  std::stop_source stop;
  stop.request_stop();
  const dozer::loop_options stopped{.stop = stop.get_token()};
  for (const std::size_t size : {10u, 100'000u}) {
    std::vector<int> numbers(size), to(size);
    std::iota(numbers.begin(), numbers.end(), 1);
    const auto before = numbers;
    dozer::fill(numbers, 5, stopped);
    dozer::generate(
        numbers, [] { return 5; }, stopped);
    dozer::reverse(numbers, stopped);
    EXPECT_EQ(numbers, before);
    EXPECT_EQ(dozer::copy(numbers, to.begin(), stopped), to.end());
    EXPECT_EQ(to, std::vector<int>(size));
  }
}

TEST(Generate, TwoDearElementsAtOnce) {
  std::vector<int> two(2);
  dozer_test::expect_two_at_once([&](const auto& meet) { dozer::generate(two, [&] { return (meet(), 1); }); });
}

/// Assigning it, or swapping it, throws at the k-th time.
struct hard_to_assign {
  int value = 0;
  static inline std::atomic<long> left{0};
  static void count() {
    if (--left == 0) {
      throw std::runtime_error("the k-th assignment");
    }
  }
  hard_to_assign() = default;
  explicit hard_to_assign(int v) : value(v) {}
  hard_to_assign(const hard_to_assign&) = default;
  hard_to_assign& operator=(const hard_to_assign& other) {
    count();
    value = other.value;
    return *this;
  }
  friend void swap(hard_to_assign& a, hard_to_assign& b) {
    count();
    std::swap(a.value, b.value);
  }
};

TEST(Fill, OneAssignmentForEachElement) {
  std::vector<counted> made(5000);
  const long copies = counted::copies, moves = counted::moves;
  dozer::fill(made, counted(3));
  EXPECT_EQ(counted::copies - copies, 5000);
  EXPECT_EQ(counted::moves - moves, 0);
}

/// Counts assignments from one that is a part of what is assigned to.
struct read_from {
  int value = 0;
  std::atomic<long>* from_itself = nullptr;
  const read_from *begin = nullptr, *end = nullptr;

  read_from() = default;
  read_from(const read_from&) = default;
  read_from& operator=(const read_from& other) {
    if (begin <= &other && &other < end) {
      ++*from_itself;
    }
    value = other.value;
    return *this;
  }
};

TEST(Fill, WithAnElementOfTheRangeReadsNoneThatIsWritten) {
  for (const std::size_t size : {1u, 2u, 5000u}) {
    std::atomic<long> from_itself{0};
    std::vector<read_from> v(size);
    for (read_from& each : v) {
      each.from_itself = &from_itself, each.begin = v.data(), each.end = v.data() + size;
    }
    v.back().value = 7;
    dozer::fill(v, v.back());
    EXPECT_TRUE(std::ranges::all_of(v, [](const read_from& each) { return each.value == 7; }));
    v.front().value = 8;
    dozer::fill(v | std::views::reverse, v.front());
    EXPECT_TRUE(std::ranges::all_of(v, [](const read_from& each) { return each.value == 8; }));
    EXPECT_EQ(from_itself, 0);
  }
}

TEST(Fill, AnExceptionOfAnAssignmentLeaves) {
  for (const long k : {1L, 100L, 2500L}) {
    std::vector<hard_to_assign> from(5000), to(5000);
    for (int i = 0; i < 5000; ++i) {
      from[static_cast<std::size_t>(i)].value = i;
    }
    hard_to_assign::left = k;
    EXPECT_THROW(dozer::fill(to, hard_to_assign(1)), std::runtime_error);
    hard_to_assign::left = k;
    EXPECT_THROW(dozer::copy(from, to.begin()), std::runtime_error);
    hard_to_assign::left = k;
    EXPECT_THROW(dozer::reverse(from), std::runtime_error);
    std::ranges::sort(from, {}, &hard_to_assign::value);
    EXPECT_TRUE(std::ranges::equal(from, std::views::iota(0, 5000), {}, &hard_to_assign::value));
  }
}

struct swapped {
  std::atomic<long>* swaps;
  friend void swap(swapped& a, swapped&) { ++*a.swaps; }
};

TEST(Reverse, OneSwapForTwoElements) {
  dozer_test::everywhere([] {
    std::atomic<long> swaps{0};
    std::vector<swapped> elements(5001, swapped{&swaps});
    dozer::reverse(elements);
    EXPECT_EQ(swaps.load(), 2500);
  });
}

/// Assigning it, or swapping it, calls a function.
struct dear_to_assign {
  static inline std::function<void()> call = [] {};
  dear_to_assign() = default;
  dear_to_assign(const dear_to_assign&) = default;
  dear_to_assign& operator=(const dear_to_assign&) {
    call();
    return *this;
  }
  friend void swap(dear_to_assign&, dear_to_assign&) { call(); }
};

TEST(Fill, TwoDearAssignmentsAtOnce) {
  for (const int kind : {0, 1, 2}) {
    dozer_test::expect_two_at_once([&](const auto& meet) {
      const std::vector<dear_to_assign> from(2);
      std::vector<dear_to_assign> to(2), four(4);
      dear_to_assign::call = [&] { meet(); };
      if (kind == 0) {
        dozer::fill(to, dear_to_assign());
      } else if (kind == 1) {
        dozer::copy(from, to.begin());
      } else {
        dozer::reverse(four);
      }
      dear_to_assign::call = [] {};
    });
  }
}

}  // namespace
