#include <execution>

#include "../tbb_arena.hpp"
#include "algorithms.hpp"

namespace {

using namespace bench;

struct with_stdpar : has_none {
  static double for_each(doubles& a) {
    std::for_each(std::execution::par, a.begin(), a.end(), halve);
    return a[0];
  }
  static double transform(const doubles& a, doubles& out) {
    std::transform(std::execution::par, a.begin(), a.end(), out.begin(), half);
    return out[0];
  }
  static double transform2(const doubles& a, const doubles& b, doubles& out) {
    std::transform(std::execution::par, a.begin(), a.end(), b.begin(), out.begin(), mix);
    return out[0];
  }
  static double reduce(const doubles& a) { return std::reduce(std::execution::par, a.begin(), a.end(), 0.0); }
  static double transform_reduce(const doubles& a) {
    return std::transform_reduce(std::execution::par, a.begin(), a.end(), 0.0, std::plus<>(), square);
  }
  static double dot(const doubles& a, const doubles& b) {
    return std::transform_reduce(std::execution::par, a.begin(), a.end(), b.begin(), 0.0);
  }
  static double inclusive_scan(const doubles& a, doubles& out) {
    std::inclusive_scan(std::execution::par, a.begin(), a.end(), out.begin());
    return out.back();
  }
  static double exclusive_scan(const doubles& a, doubles& out) {
    std::exclusive_scan(std::execution::par, a.begin(), a.end(), out.begin(), 0.0);
    return out.back();
  }
  static double transform_inclusive_scan(const doubles& a, doubles& out) {
    std::transform_inclusive_scan(std::execution::par, a.begin(), a.end(), out.begin(), std::plus<>(), square);
    return out.back();
  }
  static double transform_exclusive_scan(const doubles& a, doubles& out) {
    std::transform_exclusive_scan(std::execution::par, a.begin(), a.end(), out.begin(), 0.0, std::plus<>(), square);
    return out.back();
  }
  static double inclusive_scan_closure(const doubles& a, doubles& out) {
    std::inclusive_scan(std::execution::par, a.begin(), a.end(), out.begin(), add);
    return out.back();
  }
  static double reduce_closure(const doubles& a) {
    return std::reduce(std::execution::par, a.begin(), a.end(), 0.0, add);
  }
  static double flat(const doubles& a) { return reduce(a); }
  static double nested(const doubles& a) {
    return sum_of_rows(a, [](auto first, auto last) { return std::reduce(std::execution::par, first, last, 0.0); });
  }
  static double flat_closure(const doubles& a) { return transform_reduce(a); }
  static double nested_closure(const doubles& a) {
    return sum_of_rows(a, [](auto first, auto last) {
      return std::transform_reduce(std::execution::par, first, last, 0.0, std::plus<>(), square);
    });
  }
  /// The sum of each row, by a loop over the rows.
  template <class Row>
  static double sum_of_rows(const doubles& a, const Row& of_row) {
    std::vector<double> sums(a.size() / columns);
    std::for_each(std::execution::par, sums.begin(), sums.end(), [&](double& sum) {
      const auto first = a.begin() + (&sum - sums.data()) * static_cast<std::ptrdiff_t>(columns);
      sum = of_row(first, first + columns);
    });
    return std::reduce(std::execution::par, sums.begin(), sums.end(), 0.0);
  }
  static double minmax_element(const doubles& a) {
    const auto [least, most] = std::minmax_element(std::execution::par, a.begin(), a.end());
    return *least + *most;
  }
  static std::size_t find(const longs& a, long x) {
    return place(a, std::find(std::execution::par, a.begin(), a.end(), x));
  }
  static std::size_t find_if(const longs& a, long x) {
    return place(a, std::find_if(std::execution::par, a.begin(), a.end(), [x](long y) { return y == x; }));
  }
  static std::size_t find_if_not(const longs& a, long x) {
    return place(a, std::find_if_not(std::execution::par, a.begin(), a.end(), [x](long y) { return y != x; }));
  }
  static bool any_of(const longs& a, long x) {
    return std::any_of(std::execution::par, a.begin(), a.end(), [x](long y) { return y == x; });
  }
  static bool all_of(const longs& a, long x) {
    return std::all_of(std::execution::par, a.begin(), a.end(), [x](long y) { return y != x; });
  }
  static bool none_of(const longs& a, long x) {
    return std::none_of(std::execution::par, a.begin(), a.end(), [x](long y) { return y == x; });
  }
  static long min_element(const longs& a) { return *std::min_element(std::execution::par, a.begin(), a.end()); }
  static long max_element(const longs& a) { return *std::max_element(std::execution::par, a.begin(), a.end()); }
  static long min_element_closure(const longs& a) {
    return *std::min_element(std::execution::par, a.begin(), a.end(), is_less);
  }
  static std::size_t count(const longs& a, long x) {
    return static_cast<std::size_t>(std::count(std::execution::par, a.begin(), a.end(), x));
  }
  static std::size_t count_if(const longs& a) {
    return static_cast<std::size_t>(std::count_if(std::execution::par, a.begin(), a.end(), is_odd));
  }
  static bool equal(const longs& a, const longs& b) {
    return std::equal(std::execution::par, a.begin(), a.end(), b.begin());
  }
  static bool equal_closure(const longs& a, const longs& b) {
    return std::equal(std::execution::par, a.begin(), a.end(), b.begin(), is_same);
  }
  static std::size_t mismatch(const longs& a, const longs& b) {
    return place(a, std::mismatch(std::execution::par, a.begin(), a.end(), b.begin()).first);
  }
  static long fill(longs& out) {
    std::fill(std::execution::par, out.begin(), out.end(), 7);
    return out[0];
  }
  static long generate(longs& out) {
    std::generate(std::execution::par, out.begin(), out.end(), seven);
    return out[0];
  }
  static long copy(const longs& a, longs& out) {
    std::copy(std::execution::par, a.begin(), a.end(), out.begin());
    return out[0];
  }
  static std::size_t copy_if(const longs& a, longs& out) {
    return place(out, std::copy_if(std::execution::par, a.begin(), a.end(), out.begin(), is_odd));
  }
  static std::size_t remove_if(longs& a) {
    return place(a, std::remove_if(std::execution::par, a.begin(), a.end(), is_odd));
  }
  static std::size_t partition(longs& a) {
    return place(a, std::partition(std::execution::par, a.begin(), a.end(), is_odd));
  }
  static std::size_t stable_partition(longs& a) {
    return place(a, std::stable_partition(std::execution::par, a.begin(), a.end(), is_odd));
  }
  static std::size_t unique(longs& a) { return place(a, std::unique(std::execution::par, a.begin(), a.end())); }
  static std::size_t unique_closure(longs& a) {
    return place(a, std::unique(std::execution::par, a.begin(), a.end(), is_same));
  }
  static long reverse(longs& a) {
    std::reverse(std::execution::par, a.begin(), a.end());
    return a[0];
  }
  static bool is_sorted(const longs& a) { return std::is_sorted(std::execution::par, a.begin(), a.end()); }
  static bool is_sorted_closure(const longs& a) {
    return std::is_sorted(std::execution::par, a.begin(), a.end(), is_less);
  }
  static long merge(const longs& a, longs& out) {
    std::merge(std::execution::par, a.begin(), middle_of(a), middle_of(a), a.end(), out.begin());
    return out[0];
  }
  static long merge_closure(const longs& a, longs& out) {
    std::merge(std::execution::par, a.begin(), middle_of(a), middle_of(a), a.end(), out.begin(), is_less);
    return out[0];
  }
  static long nth_element(longs& a) {
    std::nth_element(std::execution::par, a.begin(), middle_of(a), a.end());
    return *middle_of(a);
  }
  static long nth_element_closure(longs& a) {
    std::nth_element(std::execution::par, a.begin(), middle_of(a), a.end(), is_less);
    return *middle_of(a);
  }
  static double partial_sort(longs& a) {
    std::partial_sort(std::execution::par, a.begin(), front_end(a), a.end());
    return front_sum(a);
  }
};

}  // namespace

int main(int argc, char** argv) {
  bench::tbb_arena arena(argc, argv);
  return bench::measure_algorithm(
      argc, argv, [&](auto&& f) { arena->execute(f); }, with_stdpar());
}
