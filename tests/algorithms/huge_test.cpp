// Every algorithm over a huge range, in which threads meet many times: the same as in std, wherever it is called, with
// and without a grain.
#include "support.hpp"

#include <dozer/algorithm.hpp>

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace {

using numbers = std::vector<int>;

/// What an algorithm leaves in a range, and what it returns: a value, or the number of an element.
struct outcome {
  numbers elements;
  long result = 0;
  friend bool operator==(const outcome&, const outcome&) = default;
};

/// What the algorithms are called with now. Ranges are made when they are needed: most processes of this program run
/// another test.
struct input {
  std::size_t size = 0;
  std::ptrdiff_t early = 0;  // where algorithms cut the range
  std::ptrdiff_t late = 0;   // where the other range differs
  dozer::loop_options options;
  std::optional<numbers> in, other, rising, two_runs;
};
input given;
const dozer::loop_options& options = given.options;

/// A number stands for a function modulo the prime, x -> (n / prime) x + n % prime. To compose two is associative, but
/// not commutative.
constexpr int prime = 181, lowest = prime, highest = prime + 999;
constexpr auto compose = [](int f, int g) {
  const int slope = g / prime;
  return f / prime * slope % prime * prime + (f % prime * slope + g) % prime;
};

template <class Make>
const numbers& made(std::optional<numbers>& range, const Make& make) {
  if (!range) {
    range = make();
  }
  return *range;
}

/// From `lowest` to `highest`; two neighbours are often equal.
const numbers& in() {
  return made(given.in, [] {
    std::minstd_rand random(7);
    numbers all(given.size);
    int n = lowest;
    for (int& each : all) {
      each = n = random() % 3 == 0 ? n : lowest + static_cast<int>(random() % 1000);
    }
    return all;
  });
}
/// The same but for one element near the end.
const numbers& other() {
  return made(given.other, [] {
    numbers all = in();
    all[static_cast<std::size_t>(given.late)] = -1;
    return all;
  });
}
const numbers& rising() {
  return made(given.rising, [] {
    numbers all = in();
    std::sort(all.begin(), all.end());
    return all;
  });
}
/// Sorted up to `early`, and from there on.
const numbers& two_runs() {
  return made(given.two_runs, [] {
    numbers all = in();
    std::sort(all.begin(), all.begin() + given.early);
    std::sort(all.begin() + given.early, all.end());
    return all;
  });
}

constexpr auto twice = [](int n) { return 2 * n; };
constexpr auto is_odd = [](int n) { return n % 2 != 0; };
constexpr auto is_low = [](int n) { return n <= highest; };
constexpr auto is_negative = [](int n) { return n < 0; };
constexpr auto same_tens = [](int a, int b) { return a / 10 == b / 10; };
constexpr auto less_tens = [](int a, int b) { return a / 10 < b / 10; };  // shows what is stable
constexpr auto less = [](int a, int b) { return a < b; };

outcome at(const numbers& range, numbers::const_iterator i) { return {{}, i - range.begin()}; }
outcome places(std::pair<numbers::const_iterator, numbers::const_iterator> two) {
  return {{static_cast<int>(two.first - in().begin())}, two.second - in().begin()};
}
/// Calls f for a new range; it returns where the results end.
template <class F>
outcome written(const F& f) {
  numbers out(given.size, -1);
  const auto end = f(out.begin());
  return {out, end - out.begin()};
}
/// Calls f for a copy of the input. It returns where the results end; what stands behind may be anything.
template <class F>
outcome cut(const F& f) {
  numbers all = in();
  all.erase(f(all), all.end());
  return {all};
}
/// The same, with the elements on both sides in any order.
template <class F>
outcome divided(const F& f) {
  numbers all = in();
  const auto middle = f(all);
  std::sort(all.begin(), middle);
  std::sort(middle, all.end());
  return {all, middle - all.begin()};
}
template <class F>
outcome changed(const F& f) {
  numbers all = in();
  f(all);
  return {all};
}

/// The input, those of the first group first and in their order. (Clang warns of what is in libstdc++'s stable_sort.)
numbers in_groups(std::size_t count, int (*group_of)(int)) {
  std::vector<numbers> groups(count);
  for (const int n : in()) {
    groups[static_cast<std::size_t>(group_of(n))].push_back(n);
  }
  numbers all;
  for (const numbers& group : groups) {
    all.insert(all.end(), group.begin(), group.end());
  }
  return all;
}

struct algorithm {
  const char* name;
  outcome (*serial)();
  outcome (*parallel)();
};

numbers::const_iterator b() { return in().begin(); }
numbers::const_iterator e() { return in().end(); }
numbers::iterator nth(numbers& v) { return v.begin() + given.early; }

const algorithm visiting[] = {
    {"for_each", [] { return changed([](auto& v) { std::for_each(v.begin(), v.end(), [](int& n) { n *= 2; }); }); },
     [] {
       return changed([](auto& v) {
         dozer::for_each(
             v, [](int& n) { n *= 2; }, options);
       });
     }},
    {"transform", [] { return written([](auto out) { return std::transform(b(), e(), out, twice); }); },
     [] { return written([](auto out) { return dozer::transform(in(), out, twice, options); }); }},
    {"transform of two",
     [] { return written([](auto out) { return std::transform(b(), e(), other().begin(), out, compose); }); },
     [] { return written([](auto out) { return dozer::transform(in(), other(), out, compose, options); }); }},
    {"copy", [] { return written([](auto out) { return std::copy(b(), e(), out); }); },
     [] { return written([](auto out) { return dozer::copy(in(), out, options); }); }},
    {"fill", [] { return changed([](auto& v) { std::fill(v.begin(), v.end(), 5); }); },
     [] { return changed([](auto& v) { dozer::fill(v, 5, options); }); }},
    {"generate", [] { return changed([](auto& v) { std::generate(v.begin(), v.end(), [] { return 6; }); }); },
     [] {
       return changed([](auto& v) {
         dozer::generate(
             v, [] { return 6; }, options);
       });
     }},
    {"reverse", [] { return changed([](auto& v) { std::reverse(v.begin(), v.end()); }); },
     [] { return changed([](auto& v) { dozer::reverse(v, options); }); }},
};
const algorithm reducing[] = {
    {"reduce",
     [] {
       return outcome{{}, std::reduce(b(), e(), 3L)};
     },
     [] {
       return outcome{{}, dozer::reduce(in(), 3L, options)};
     }},
    {"transform_reduce",
     [] {
       return outcome{{}, std::accumulate(b(), e(), 3, [](int a, int n) { return compose(a, twice(n)); })};
     },
     [] {
       return outcome{{}, dozer::transform_reduce(in(), 3, compose, twice, options)};
     }},
    {"transform_reduce of two",
     [] {
       return outcome{{}, std::transform_reduce(b(), e(), other().begin(), 3L)};
     },
     [] {
       return outcome{{}, dozer::transform_reduce(in(), other(), 3L, options)};
     }},
    {"reduce_deterministic",
     [] {
       return outcome{{}, std::reduce(b(), e(), 3L)};
     },
     [] {
       return outcome{{}, dozer::reduce_deterministic(in(), 3L, options)};
     }},
    {"count",
     [] {
       return outcome{{}, std::count(b(), e(), 187)};
     },
     [] {
       return outcome{{}, dozer::count(in(), 187, options)};
     }},
    {"count_if",
     [] {
       return outcome{{}, std::count_if(b(), e(), is_odd)};
     },
     [] {
       return outcome{{}, dozer::count_if(in(), is_odd, options)};
     }},
    {"min_element", [] { return at(in(), std::min_element(b(), e(), less)); },
     [] { return at(in(), dozer::min_element(in(), less, options)); }},
    {"max_element", [] { return at(in(), std::max_element(b(), e(), less)); },
     [] { return at(in(), dozer::max_element(in(), less, options)); }},
    {"minmax_element", [] { return places(std::minmax_element(b(), e(), less)); },
     [] { return places(dozer::minmax_element(in(), less, options)); }},
    {"histogram",
     [] {
       numbers counts(highest + 1);
       std::for_each(b(), e(), [&](int n) { ++counts[static_cast<std::size_t>(n)]; });
       return outcome{counts};
     },
     [] {
       const auto counts = dozer::histogram(in(), highest + 1, std::identity(), options);
       return outcome{numbers(counts.begin(), counts.end())};
     }},
};
const algorithm searching[] = {
    {"find", [] { return at(other(), std::find(other().begin(), other().end(), -1)); },
     [] { return at(other(), dozer::find(other(), -1, options)); }},
    {"find_if", [] { return at(other(), std::find_if(other().begin(), other().end(), is_negative)); },
     [] { return at(other(), dozer::find_if(other(), is_negative, options)); }},
    {"find_if_not", [] { return at(in(), std::find_if_not(b(), e(), is_low)); },
     [] { return at(in(), dozer::find_if_not(in(), is_low, options)); }},
    {"any_of",
     [] {
       return outcome{{}, std::any_of(other().begin(), other().end(), is_negative)};
     },
     [] {
       return outcome{{}, dozer::any_of(other(), is_negative, options)};
     }},
    {"all_of",
     [] {
       return outcome{{}, std::all_of(b(), e(), is_low)};
     },
     [] {
       return outcome{{}, dozer::all_of(in(), is_low, options)};
     }},
    {"none_of",
     [] {
       return outcome{{}, std::none_of(other().begin(), other().end(), is_negative)};
     },
     [] {
       return outcome{{}, dozer::none_of(other(), is_negative, options)};
     }},
    {"equal",
     [] {
       return outcome{{}, std::equal(b(), e(), other().begin())};
     },
     [] {
       return outcome{{}, dozer::equal(in(), other(), options)};
     }},
    {"mismatch", [] { return at(in(), std::mismatch(b(), e(), other().begin()).first); },
     [] { return at(in(), dozer::mismatch(in(), other(), options).first); }},
    {"is_sorted",
     [] {
       return outcome{{}, std::is_sorted(rising().begin(), rising().end(), less)};
     },
     [] {
       return outcome{{}, dozer::is_sorted(rising(), less, options)};
     }},
};
const algorithm scanning[] = {
    {"inclusive_scan", [] { return written([](auto out) { return std::inclusive_scan(b(), e(), out, compose); }); },
     [] { return written([](auto out) { return dozer::inclusive_scan(in(), out, compose, options); }); }},
    {"exclusive_scan", [] { return written([](auto out) { return std::exclusive_scan(b(), e(), out, 3, compose); }); },
     [] { return written([](auto out) { return dozer::exclusive_scan(in(), out, 3, compose, options); }); }},
    {"transform_inclusive_scan",
     [] { return written([](auto out) { return std::transform_inclusive_scan(b(), e(), out, compose, twice); }); },
     [] {
       return written([](auto out) { return dozer::transform_inclusive_scan(in(), out, compose, twice, options); });
     }},
    {"transform_exclusive_scan",
     [] { return written([](auto out) { return std::transform_exclusive_scan(b(), e(), out, 3, compose, twice); }); },
     [] {
       return written([](auto out) { return dozer::transform_exclusive_scan(in(), out, 3, compose, twice, options); });
     }},
};
const algorithm packing[] = {
    {"copy_if", [] { return written([](auto out) { return std::copy_if(b(), e(), out, is_odd); }); },
     [] { return written([](auto out) { return dozer::copy_if(in(), out, is_odd, options); }); }},
    {"remove_if", [] { return cut([](auto& v) { return std::remove_if(v.begin(), v.end(), is_odd); }); },
     [] { return cut([](auto& v) { return dozer::remove_if(v, is_odd, options); }); }},
    {"unique", [] { return cut([](auto& v) { return std::unique(v.begin(), v.end(), same_tens); }); },
     [] { return cut([](auto& v) { return dozer::unique(v, same_tens, options); }); }},
    {"partition", [] { return divided([](auto& v) { return std::partition(v.begin(), v.end(), is_odd); }); },
     [] { return divided([](auto& v) { return dozer::partition(v, is_odd, options); }); }},
    {"stable_partition", [] { return outcome{in_groups(2, [](int n) { return is_odd(n) ? 0 : 1; })}; },
     [] { return changed([](auto& v) { dozer::stable_partition(v, is_odd, options); }); }},
};
const algorithm sorting[] = {
    {"sort by digits", [] { return outcome{rising()}; },
     [] { return changed([](auto& v) { dozer::sort(v, options); }); }},
    {"sort", [] { return outcome{rising()}; }, [] { return changed([](auto& v) { dozer::sort(v, less, options); }); }},
    {"stable_sort", [] { return outcome{in_groups(highest / 10 + 1, [](int n) { return n / 10; })}; },
     [] { return changed([](auto& v) { dozer::stable_sort(v, less_tens, options); }); }},
    {"nth_element",
     [] { return divided([](auto& v) { return std::nth_element(v.begin(), nth(v), v.end(), less), nth(v); }); },
     [] { return divided([](auto& v) { return dozer::nth_element(v, nth(v), less, options), nth(v); }); }},
    {"partial_sort",
     [] {
       return outcome{{rising().begin(), rising().begin() + given.early}};
     },
     [] { return cut([](auto& v) { return dozer::partial_sort(v, nth(v), less, options), nth(v); }); }},
    {"merge",
     [] {
       const numbers& v = two_runs();
       return written([&](auto out) {
         return std::merge(v.begin(), v.begin() + given.early, v.begin() + given.early, v.end(), out, less_tens);
       });
     },
     [] {
       const numbers& v = two_runs();
       return written([&](auto out) {
         return dozer::merge(v.begin(), v.begin() + given.early, v.begin() + given.early, v.end(), out, less_tens,
                             options);
       });
     }},
};

input any_input(std::mt19937_64& random, bool odd) {
  constexpr std::size_t about = dozer_test::under_tsan || dozer_test::under_asan ? 100'000 : 1'000'000;
  input chosen;
  chosen.size = (about - about / 10 + random() % (about / 5)) / 2 * 2 + (odd ? 1 : 0);
  chosen.early = static_cast<std::ptrdiff_t>(random() % (chosen.size + 1));
  chosen.late = static_cast<std::ptrdiff_t>(chosen.size - 1 - random() % 20);
  return chosen;
}

/// Often none. No tiny one: that would be as many forks.
std::size_t any_grain(std::mt19937_64& random) {
  const std::size_t below = std::size_t{128} << random() % 14;
  return random() % 2 == 0 ? 0 : 64 + random() % below;
}

template <std::size_t n>
void expect_like_std(const algorithm (&all)[n]) {
  static dozer::thread_pool one(1), two(2), eight(8);
  static dozer::thread_pool* const places[] = {nullptr, &one, &two, &eight};  // the first one: from outside
  std::mt19937_64 random(dozer_test::seed());
  for (const bool odd : {false, true}) {
    given = any_input(random, odd);
    for (const algorithm& each : all) {
      const outcome expected = each.serial();
      for (dozer::thread_pool* const pool : places) {
        given.options.grain = any_grain(random);
        const outcome found = pool != nullptr ? pool->install(each.parallel) : each.parallel();
        EXPECT_TRUE(found == expected) << each.name << " of " << given.size << ", split at " << given.early
                                       << ", with a grain of " << options.grain << ", with "
                                       << (pool != nullptr ? pool->threads() : 0) << " threads";
      }
    }
  }
}

TEST(Huge, RangesAreVisitedLikeInStd) { expect_like_std(visiting); }
TEST(Huge, RangesAreReducedLikeInStd) { expect_like_std(reducing); }
TEST(Huge, RangesAreSearchedLikeInStd) { expect_like_std(searching); }
TEST(Huge, RangesAreScannedLikeInStd) { expect_like_std(scanning); }
TEST(Huge, RangesArePackedLikeInStd) { expect_like_std(packing); }
TEST(Huge, RangesAreSortedLikeInStd) { expect_like_std(sorting); }

}  // namespace
