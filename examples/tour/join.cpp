// join: the same code forks, or calls one closure after the other.
#include "compare.hpp"
#include "tour.hpp"

#include <dozer/dozer.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

namespace tour {

namespace {

struct fork_both {
  template <class F, class G>
  static auto of(const F& f, const G& g) {
    return dozer::join(f, g);
  }
};
struct call_both {
  template <class F, class G>
  static auto of(const F& f, const G& g) {
    if constexpr (std::is_void_v<decltype(f())>) {
      f();
      g();
    } else {
      const auto first = f();
      return std::pair(first, g());
    }
  }
};

long serial_fib(int n) { return n < 2 ? n : serial_fib(n - 1) + serial_fib(n - 2); }

/// Both sides of the comparison run the same instructions below 16. GCC inlines the recursion differently in each
/// caller, and serial_fib(35) alone takes 1.19 times as long as calls that end in serial_fib below 16.
[[gnu::noinline]] long small_fib(int n) { return serial_fib(n); }

template <class Both>
long fib(int n) {
  if (n < 16) {
    return small_fib(n);
  }
  const auto [a, b] = Both::of([n] { return fib<Both>(n - 1); }, [n] { return fib<Both>(n - 2); });
  return a + b;
}

template <class Both>
void quicksort(std::uint32_t* first, std::uint32_t* last) {
  if (last - first < 4096) {
    std::sort(first, last);
    return;
  }
  const std::uint32_t pivot = first[(last - first) / 2];
  std::uint32_t* const middle = std::partition(first, last, [pivot](std::uint32_t x) { return x < pivot; });
  std::uint32_t* const upper = std::partition(middle, last, [pivot](std::uint32_t x) { return x == pivot; });
  Both::of([=] { quicksort<Both>(first, middle); }, [=] { quicksort<Both>(upper, last); });
}

}  // namespace

long forked_fib(int n) { return fib<fork_both>(n); }

void show_join() {
  headline("join: two closures, perhaps at the same time");
  volatile long sink = 0;
  compare(
      "fib(35), forks down to 16", [&] { sink = fib<call_both>(35); }, [&] { sink = fib<fork_both>(35); });

  std::vector<std::uint32_t> numbers(2'000'000);
  std::mt19937 chance(1);
  std::generate(numbers.begin(), numbers.end(), chance);
  auto copy = numbers;
  std::uint32_t* const first = copy.data();
  std::uint32_t* const last = first + copy.size();
  compare(
      "a quicksort of 2,000,000 numbers", [&] { quicksort<call_both>(first, last); },
      [&] { quicksort<fork_both>(first, last); }, [&] { std::copy(numbers.begin(), numbers.end(), first); });
}

}  // namespace tour
