#include <omp.h>

#include <parallel/algorithm>
#include <parallel/numeric>

#include "algorithms.hpp"

namespace {

using namespace bench;

struct with_gnu : has_none {
  static double for_each(doubles& a) {
    __gnu_parallel::for_each(a.begin(), a.end(), halve);
    return a[0];
  }
  static double transform(const doubles& a, doubles& out) {
    __gnu_parallel::transform(a.begin(), a.end(), out.begin(), half);
    return out[0];
  }
  static double transform2(const doubles& a, const doubles& b, doubles& out) {
    __gnu_parallel::transform(a.begin(), a.end(), b.begin(), out.begin(), mix);
    return out[0];
  }
  static double reduce(const doubles& a) { return __gnu_parallel::accumulate(a.begin(), a.end(), 0.0); }
  static double reduce_closure(const doubles& a) { return __gnu_parallel::accumulate(a.begin(), a.end(), 0.0, add); }
  static double flat(const doubles& a) { return reduce(a); }
  static double nested(const doubles& a) {
    std::vector<double> sums(a.size() / columns);
    __gnu_parallel::for_each(sums.begin(), sums.end(), [&](double& sum) {
      const auto first = a.begin() + (&sum - sums.data()) * static_cast<std::ptrdiff_t>(columns);
      sum = __gnu_parallel::accumulate(first, first + columns, 0.0);
    });
    return reduce(sums);
  }
  static double dot(const doubles& a, const doubles& b) {
    return __gnu_parallel::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  }
  static double inclusive_scan(const doubles& a, doubles& out) {
    __gnu_parallel::partial_sum(a.begin(), a.end(), out.begin());
    return out.back();
  }
  static double inclusive_scan_closure(const doubles& a, doubles& out) {
    __gnu_parallel::partial_sum(a.begin(), a.end(), out.begin(), add);
    return out.back();
  }
  static std::size_t find(const longs& a, long x) { return place(a, __gnu_parallel::find(a.begin(), a.end(), x)); }
  static std::size_t find_if(const longs& a, long x) {
    return place(a, __gnu_parallel::find_if(a.begin(), a.end(), [x](long y) { return y == x; }));
  }
  static long min_element(const longs& a) { return *__gnu_parallel::min_element(a.begin(), a.end()); }
  static long max_element(const longs& a) { return *__gnu_parallel::max_element(a.begin(), a.end()); }
  static long min_element_closure(const longs& a) { return *__gnu_parallel::min_element(a.begin(), a.end(), is_less); }
  static std::size_t count(const longs& a, long x) {
    return static_cast<std::size_t>(__gnu_parallel::count(a.begin(), a.end(), x));
  }
  static std::size_t count_if(const longs& a) {
    return static_cast<std::size_t>(__gnu_parallel::count_if(a.begin(), a.end(), is_odd));
  }
  static bool equal(const longs& a, const longs& b) { return __gnu_parallel::equal(a.begin(), a.end(), b.begin()); }
  static bool equal_closure(const longs& a, const longs& b) {
    return __gnu_parallel::equal(a.begin(), a.end(), b.begin(), is_same);
  }
  static std::size_t mismatch(const longs& a, const longs& b) {
    return place(a, __gnu_parallel::mismatch(a.begin(), a.end(), b.begin()).first);
  }
  static long generate(longs& out) {
    __gnu_parallel::generate(out.begin(), out.end(), seven);
    return out[0];
  }
  static std::size_t partition(longs& a) { return place(a, __gnu_parallel::partition(a.begin(), a.end(), is_odd)); }
  static long merge(const longs& a, longs& out) {
    auto& from = const_cast<longs&>(a);  // it does not compile with iterators of const elements
    __gnu_parallel::merge(from.begin(), middle_of(from), middle_of(from), from.end(), out.begin());
    return out[0];
  }
  static long merge_closure(const longs& a, longs& out) {
    auto& from = const_cast<longs&>(a);
    __gnu_parallel::merge(from.begin(), middle_of(from), middle_of(from), from.end(), out.begin(), is_less);
    return out[0];
  }
  static long nth_element(longs& a) {
    __gnu_parallel::nth_element(a.begin(), middle_of(a), a.end());
    return *middle_of(a);
  }
  static long nth_element_closure(longs& a) {
    __gnu_parallel::nth_element(a.begin(), middle_of(a), a.end(), is_less);
    return *middle_of(a);
  }
  static double partial_sort(longs& a) {
    __gnu_parallel::partial_sort(a.begin(), front_end(a), a.end());
    return front_sum(a);
  }
};

}  // namespace

int main(int argc, char** argv) {
  omp_set_num_threads(static_cast<int>(bench::threads(argc, argv)));
  return bench::measure_algorithm(argc, argv, bench::here, with_gnu());
}
