// Algorithms that are broken off: from outside by a stop token, from inside by an exception.
#include <dozer/dozer.hpp>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <ranges>
#include <stdexcept>
#include <stop_token>
#include <vector>

int main() {
  const auto numbers = std::views::iota(0, 1'000'000);

  // After a stop nothing more is begun, and the call returns as usual: here how many were looked at and counted.
  std::stop_source enough;
  std::atomic<long> calls{0};
  const auto odd = [&](int n) { return ++calls == 1000 && enough.request_stop(), n % 2 != 0; };
  const auto odds = dozer::count_if(numbers, odd, {.stop = enough.get_token()});
  bool right = calls >= 1000 && calls < 1'000'000 && odds <= calls;

  // A scan that is stopped has done a front part, and returns where that ends.
  std::stop_source half;
  std::vector<long> sums(1'000'000, -1);
  const auto add = [&](long a, long b) { return b == 500 && half.request_stop(), a + b; };
  const auto end = dozer::inclusive_scan(numbers, sums.begin(), add, 0L, {.stop = half.get_token()});
  for (long i = 0; i < 1'000'000; ++i) {
    right = right && sums[static_cast<std::size_t>(i)] == (i < end - sums.begin() ? i * (i + 1) / 2 : -1);
  }

  // An exception leaves the call, as it would leave a loop. With an execution policy of std it would end the program.
  try {
    dozer::for_each(numbers, [](int n) { n == 777 ? throw std::runtime_error("777 is not allowed") : void(); });
    right = false;
  } catch (const std::runtime_error& e) {
    std::printf("caught: %s\n", e.what());
  }

  // A sort that is broken off loses no element: the range holds the same ones in some order.
  std::vector<long> mixed(20'000), expected(numbers.begin(), numbers.begin() + 20'000);
  dozer::transform(numbers | std::views::take(20'000), mixed.begin(), [](int n) { return n * 7919L % 20'000; });
  std::atomic<int> left{50'000};
  const auto less = [&](long a, long b) { return --left == 0 ? throw std::runtime_error("in the middle") : a < b; };
  try {
    dozer::sort(mixed, less);
    right = false;
  } catch (const std::runtime_error&) {
    right = right && !dozer::is_sorted(mixed);
    std::sort(mixed.begin(), mixed.end());
    right = right && mixed == expected;
  }

  std::printf("counted %td of %ld, summed %td, %s\n", odds, calls.load(), end - sums.begin(),
              right ? "as in serial" : "WRONG");
  return right ? 0 : 1;
}
