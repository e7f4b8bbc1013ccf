// A sum, a dot product and prefix sums.
#include <dozer/dozer.hpp>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <numeric>
#include <ranges>
#include <vector>

int main() {
  std::vector<std::int64_t> a(1'000'000), b(a.size());
  std::iota(a.begin(), a.end(), 1);
  dozer::transform(a, b.begin(), [](std::int64_t n) { return n % 1000; });

  const std::int64_t sum = dozer::reduce(a);
  const std::int64_t dot = dozer::transform_reduce(a, b, std::int64_t{0});
  bool right = sum == std::reduce(a.begin(), a.end()) &&
               dot == std::transform_reduce(a.begin(), a.end(), b.begin(), std::int64_t{0});

  // The elements need not be stored: a view makes them.
  const auto squares = std::views::iota(std::int64_t{0}, std::int64_t{1000}) |
                       std::views::transform([](std::int64_t n) { return n * n; });
  right = right && dozer::reduce(squares) == 332'833'500;

  // Where each of several groups begins, if they are stored one after the other: b says how large they are.
  std::vector<std::int64_t> begins(b.size()), expected(b.size());
  dozer::exclusive_scan(b, begins.begin(), std::int64_t{0});
  std::exclusive_scan(b.begin(), b.end(), expected.begin(), std::int64_t{0});
  right = right && begins == expected;

  // The highest so far, in place.
  const auto larger = [](std::int64_t x, std::int64_t y) { return x < y ? y : x; };
  std::inclusive_scan(b.begin(), b.end(), expected.begin(), larger);
  dozer::inclusive_scan(b, b.begin(), larger);
  right = right && b == expected;

  // Floating-point sums depend on how terms are grouped. This one is the same, to the last bit, in any pool.
  const std::vector<float> tenths(1'000'000, 0.1f);
  dozer::thread_pool three(3);
  const float here = dozer::reduce_deterministic(tenths);
  right = right && here == three.install([&] { return dozer::reduce_deterministic(tenths); });

  std::printf("sum %lld, dot product %lld, %s\n", static_cast<long long>(sum), static_cast<long long>(dot),
              right ? "as in serial" : "WRONG");
  return right ? 0 : 1;
}
