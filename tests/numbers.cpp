// Sums and extremes of numbers of each type, beside those of std: see with_flags_test. Both are written for the
// vectoriser, and one of GCC's has made wrong sums of a loop that was right.
#include <dozer/algorithm/min_element.hpp>
#include <dozer/algorithm/reduce.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

namespace {

/// Not inlined: the compiler must not know the numbers.
template <class T>
[[gnu::noinline]] bool are_right(const std::vector<T>& numbers) {
  const T sum = std::accumulate(numbers.begin(), numbers.end(), T(3));
  return dozer::reduce(numbers, T(3)) == sum &&
         dozer::min_element(numbers) == std::min_element(numbers.begin(), numbers.end()) &&
         dozer::max_element(numbers) == std::max_element(numbers.begin(), numbers.end()) &&
         dozer::minmax_element(numbers) == std::minmax_element(numbers.begin(), numbers.end());
}

/// Small ones, many of which are equal: their sums are exact in each type that wraps or has enough digits.
template <class T>
int wrong_ones(const char* type) {
  std::mt19937 random(1);
  int wrong = 0;
  for (std::size_t size = 0; size < 10'000; size += size < 300 ? 1 : 997) {
    std::vector<T> numbers(size);
    std::generate(numbers.begin(), numbers.end(), [&] { return static_cast<T>(random() % 100); });
    wrong += are_right(numbers) ? 0 : 1;
  }
  if (wrong != 0) {
    std::printf("%s: %d ranges are wrong\n", type, wrong);
  }
  return wrong;
}

}  // namespace

int main() {
  const int wrong = wrong_ones<signed char>("signed char") + wrong_ones<short>("short") +
                    wrong_ones<unsigned>("unsigned") + wrong_ones<long>("long") + wrong_ones<float>("float") +
                    wrong_ones<double>("double");
  std::printf("%d wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}
