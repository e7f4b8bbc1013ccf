// Every algorithm that only reads, over ranges whose elements are stored in pieces, or nowhere.
#include "support.hpp"

#include <dozer/algorithm.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <numeric>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr auto is_odd = [](int i) { return i % 2 != 0; };
constexpr auto is_none = [](int i) { return i < 0; };
constexpr auto twice = [](int i) { return 2 * i; };

/// Says what is not as in std over a vector with the same elements. `other` has the same elements as `numbers`, but for
/// one perhaps.
template <class R>
std::string differences(R&& range, const std::vector<int>& numbers, const std::vector<int>& other, int wanted,
                        const dozer::loop_options& options) {
  std::string wrong;
  const auto expect = [&](bool holds, const char* name) { wrong += holds ? "" : std::string(name) + ' '; };
  const auto first = std::ranges::begin(range);
  const auto b = numbers.begin(), e = numbers.end();
  const auto at = [&](auto here, auto there) { return here - first == there - b; };

  std::vector<int> out(numbers.size()), expected(numbers.size());
  const auto writes = [&](auto&& f, auto&& like, const char* name) {
    const auto end = f(out.begin());
    const auto until = like(expected.begin());
    expect(end - out.begin() == until - expected.begin() && std::equal(out.begin(), end, expected.begin()), name);
  };

  std::atomic<long> visited{0};
  dozer::for_each(
      range, [&](int i) { visited += i; }, options);
  const long sum = std::accumulate(b, e, 0L);
  expect(visited == sum, "for_each");
  expect(dozer::reduce(range, 0L, options) == sum, "reduce");
  expect(dozer::reduce_deterministic(range, 0L, options) == sum, "reduce_deterministic");
  expect(dozer::transform_reduce(range, 0L, std::plus<>(), twice, options) == 2 * sum, "transform_reduce");
  expect(dozer::transform_reduce(range, other, 0L, options) == std::inner_product(b, e, other.begin(), 0L),
         "transform_reduce of two");
  expect(dozer::count(range, wanted, options) == std::count(b, e, wanted), "count");
  expect(dozer::count_if(range, is_odd, options) == std::count_if(b, e, is_odd), "count_if");
  expect(at(dozer::min_element(range, options), std::min_element(b, e)), "min_element");
  expect(at(dozer::max_element(range, options), std::max_element(b, e)), "max_element");
  const auto extremes = dozer::minmax_element(range, options);
  const auto expected_extremes = std::minmax_element(b, e);
  expect(at(extremes.first, expected_extremes.first) && at(extremes.second, expected_extremes.second),
         "minmax_element");
  expect(at(dozer::find(range, wanted, options), std::find(b, e, wanted)), "find");
  expect(at(dozer::find_if(range, is_odd, options), std::find_if(b, e, is_odd)), "find_if");
  expect(at(dozer::find_if_not(range, is_odd, options), std::find_if_not(b, e, is_odd)), "find_if_not");
  expect(dozer::any_of(range, is_odd, options) == std::any_of(b, e, is_odd), "any_of");
  expect(dozer::all_of(range, is_odd, options) == std::all_of(b, e, is_odd), "all_of");
  expect(dozer::none_of(range, is_none, options), "none_of");
  expect(dozer::equal(range, other, options) == (numbers == other), "equal");
  expect(at(dozer::mismatch(range, other, options).first, std::mismatch(b, e, other.begin()).first), "mismatch");
  expect(dozer::is_sorted(range, options) == std::is_sorted(b, e), "is_sorted");
  expect(
      dozer::histogram(
          range, 2, [](int i) { return i % 2; }, options)[1] == static_cast<std::uint64_t>(std::count_if(b, e, is_odd)),
      "histogram");
  writes([&](auto to) { return dozer::copy(range, to, options); }, [&](auto to) { return std::copy(b, e, to); },
         "copy");
  writes([&](auto to) { return dozer::copy_if(range, to, is_odd, options); },
         [&](auto to) { return std::copy_if(b, e, to, is_odd); }, "copy_if");
  writes([&](auto to) { return dozer::transform(range, to, twice, options); },
         [&](auto to) { return std::transform(b, e, to, twice); }, "transform");
  writes([&](auto to) { return dozer::transform(range, other, to, std::plus<>(), options); },
         [&](auto to) { return std::transform(b, e, other.begin(), to, std::plus<>()); }, "transform of two");
  writes([&](auto to) { return dozer::inclusive_scan(range, to, options); },
         [&](auto to) { return std::inclusive_scan(b, e, to); }, "inclusive_scan");
  writes([&](auto to) { return dozer::exclusive_scan(range, to, 7, options); },
         [&](auto to) { return std::exclusive_scan(b, e, to, 7); }, "exclusive_scan");
  return wrong;
}

/// Ranges of `size` elements: i * 5 % 11 for each i.
constexpr auto made = [](int i) { return i * 5 % 11; };

template <class Make>
void expect_like_std(const Make& make) {
  EXPECT_TRUE(dozer_test::check_slow([&] {
    const auto size = static_cast<int>(dozer_test::any_size());
    const auto options = dozer_test::any_options();
    std::vector<int> numbers(static_cast<std::size_t>(size));
    std::generate(numbers.begin(), numbers.end(), [i = 0]() mutable { return made(i++); });
    std::vector<int> other = numbers;
    if (size != 0 && *rc::gen::element(true, false)) {
      other[*rc::gen::inRange<std::size_t>(0, numbers.size())] = 11;
    }
    const auto wanted = *rc::gen::inRange(0, 13);
    std::string wrong;
    std::atomic_flag busy;  // of the string
    dozer_test::everywhere([&] {
      auto&& range = make(numbers);
      if (const std::string here = differences(range, numbers, other, wanted, options); !here.empty()) {
        if (!busy.test_and_set()) {
          wrong = here;
        }
      }
    });
    RC_ASSERT(wrong == "");
  }));
}

TEST(Sources, OfElementsThatAreNotStored) {
  expect_like_std([](const std::vector<int>& numbers) {
    return std::views::iota(0, static_cast<int>(numbers.size())) | std::views::transform(made);
  });
}

TEST(Sources, OfElementsThatAreStoredInPieces) {
  expect_like_std([](const std::vector<int>& numbers) { return std::deque<int>(numbers.begin(), numbers.end()); });
}

TEST(Sources, OfElementsBehindAReverseView) {
  expect_like_std([](const std::vector<int>& numbers) {
    return std::views::iota(0, static_cast<int>(numbers.size())) | std::views::reverse |
           std::views::transform([last = static_cast<int>(numbers.size()) - 1](int i) { return made(last - i); });
  });
}

/// Those that no other test calls with such elements.
TEST(Sources, OfElementsThatCannotBeCopied) {
  using dozer_test::move_only;
  constexpr int size = 1000;
  std::vector<move_only> a;
  for (int i = 0; i < size; ++i) {
    a.emplace_back(i);
  }
  const auto is = [](int wanted) { return [wanted](const move_only& m) { return m.value == wanted; }; };
  const auto value = [](const move_only& m) { return m.value; };
  const auto add = [](const move_only& x, const move_only& y) { return x.value + y.value; };
  dozer_test::everywhere([&] {
    EXPECT_EQ(dozer::find_if(a, is(700)) - a.begin(), 700);
    EXPECT_EQ(dozer::find_if_not(a, is(0)) - a.begin(), 1);
    EXPECT_EQ(dozer::count_if(a, is(700)), 1);
    EXPECT_EQ(dozer::transform_reduce(a, a, 0L, std::plus<>(), add), long{size} * (size - 1));
    std::vector<int> out(size);
    dozer::transform(a, out.begin(), value);
    EXPECT_EQ(out.back(), size - 1);
    dozer::transform(a, a, out.begin(), add);
    EXPECT_EQ(out.back(), 2 * (size - 1));
  });
}

/// As a move_iterator would, which C++20 takes for an input iterator.
TEST(Sources, AreMovedFromByAFunction) {
  const std::string word = "too long to be stored in the string itself";
  std::vector<std::string> words(1000, word), out(words.size());
  dozer::transform(words, out.begin(), [](std::string& each) { return std::move(each); });
  EXPECT_EQ(std::count(words.begin(), words.end(), ""), 1000);
  EXPECT_EQ(std::count(out.begin(), out.end(), word), 1000);
}

}  // namespace
