// The algorithms of Dozer.
#pragma once

#include <dozer/dozer.hpp>

#include "algorithms.hpp"

namespace bench {

struct with_dozer : has_none {
  static double for_each(doubles& a) {
    dozer::for_each(a, halve);
    return a[0];
  }
  static double transform(const doubles& a, doubles& out) {
    dozer::transform(a, out.begin(), half);
    return out[0];
  }
  static double transform2(const doubles& a, const doubles& b, doubles& out) {
    dozer::transform(a, b, out.begin(), mix);
    return out[0];
  }
  static double reduce(const doubles& a) { return dozer::reduce(a, 0.0); }
  static double transform_reduce(const doubles& a) { return dozer::transform_reduce(a, 0.0, std::plus<>(), square); }
  static double dot(const doubles& a, const doubles& b) { return dozer::transform_reduce(a, b, 0.0); }
  static double reduce_deterministic(const doubles& a) { return dozer::reduce_deterministic(a, 0.0); }
  static double reduce_deterministic_closure(const doubles& a) { return dozer::reduce_deterministic(a, 0.0, add); }
  static double inclusive_scan(const doubles& a, doubles& out) {
    dozer::inclusive_scan(a, out.begin());
    return out.back();
  }
  static double exclusive_scan(const doubles& a, doubles& out) {
    dozer::exclusive_scan(a, out.begin(), 0.0);
    return out.back();
  }
  static double transform_inclusive_scan(const doubles& a, doubles& out) {
    dozer::transform_inclusive_scan(a, out.begin(), std::plus<>(), square);
    return out.back();
  }
  static double transform_exclusive_scan(const doubles& a, doubles& out) {
    dozer::transform_exclusive_scan(a, out.begin(), 0.0, std::plus<>(), square);
    return out.back();
  }
  static double inclusive_scan_closure(const doubles& a, doubles& out) {
    dozer::inclusive_scan(a, out.begin(), add);
    return out.back();
  }
  static double reduce_closure(const doubles& a) { return dozer::reduce(a, 0.0, add); }
  static double minmax_element(const doubles& a) {
    const auto [least, most] = dozer::minmax_element(a);
    return *least + *most;
  }
  static double flat(const doubles& a) { return reduce(a); }
  static double nested(const doubles& a) {
    return sum_of_rows(a, [](auto first, auto last) { return dozer::reduce(first, last, 0.0); });
  }
  static double flat_closure(const doubles& a) { return transform_reduce(a); }
  static double nested_closure(const doubles& a) {
    return sum_of_rows(
        a, [](auto first, auto last) { return dozer::transform_reduce(first, last, 0.0, std::plus<>(), square); });
  }
  /// The sum of each row, by a loop over the rows.
  template <class Row>
  static double sum_of_rows(const doubles& a, const Row& of_row) {
    std::vector<double> sums(a.size() / columns);
    dozer::parallel_for(std::size_t{0}, sums.size(), [&](std::size_t row) {
      const auto first = a.begin() + static_cast<std::ptrdiff_t>(row * columns);
      sums[row] = of_row(first, first + columns);
    });
    return dozer::reduce(sums, 0.0);
  }
  static std::size_t find(const longs& a, long x) { return place(a, dozer::find(a, x)); }
  static std::size_t find_if(const longs& a, long x) {
    return place(a, dozer::find_if(a, [x](long y) { return y == x; }));
  }
  static bool any_of(const longs& a, long x) {
    return dozer::any_of(a, [x](long y) { return y == x; });
  }
  static std::size_t find_if_not(const longs& a, long x) {
    return place(a, dozer::find_if_not(a, [x](long y) { return y != x; }));
  }
  static bool all_of(const longs& a, long x) {
    return dozer::all_of(a, [x](long y) { return y != x; });
  }
  static bool none_of(const longs& a, long x) {
    return dozer::none_of(a, [x](long y) { return y == x; });
  }
  static long min_element(const longs& a) { return *dozer::min_element(a); }
  static long max_element(const longs& a) { return *dozer::max_element(a); }
  static std::size_t count(const longs& a, long x) { return static_cast<std::size_t>(dozer::count(a, x)); }
  static long min_element_closure(const longs& a) { return *dozer::min_element(a, is_less); }
  static std::size_t count_if(const longs& a) { return static_cast<std::size_t>(dozer::count_if(a, is_odd)); }
  static bool equal(const longs& a, const longs& b) { return dozer::equal(a, b); }
  static bool equal_closure(const longs& a, const longs& b) { return dozer::equal(a, b, is_same); }
  static std::size_t mismatch(const longs& a, const longs& b) { return place(a, dozer::mismatch(a, b).first); }
  static long fill(longs& out) {
    dozer::fill(out, 7);
    return out[0];
  }
  static long generate(longs& out) {
    dozer::generate(out, seven);
    return out[0];
  }
  static long copy(const longs& a, longs& out) {
    dozer::copy(a, out.begin());
    return out[0];
  }
  static std::size_t copy_if(const longs& a, longs& out) { return place(out, dozer::copy_if(a, out.begin(), is_odd)); }
  static std::size_t remove_if(longs& a) { return place(a, dozer::remove_if(a, is_odd)); }
  static std::size_t partition(longs& a) { return place(a, dozer::partition(a, is_odd)); }
  static std::size_t stable_partition(longs& a) { return place(a, dozer::stable_partition(a, is_odd)); }
  static std::size_t unique(longs& a) { return place(a, dozer::unique(a)); }
  static std::size_t unique_closure(longs& a) { return place(a, dozer::unique(a, is_same)); }
  static long reverse(longs& a) {
    dozer::reverse(a);
    return a[0];
  }
  static bool is_sorted(const longs& a) { return dozer::is_sorted(a); }
  static bool is_sorted_closure(const longs& a) { return dozer::is_sorted(a, is_less); }
  static long merge(const longs& a, longs& out) {
    dozer::merge(a.begin(), middle_of(a), middle_of(a), a.end(), out.begin());
    return out[0];
  }
  static long merge_closure(const longs& a, longs& out) {
    dozer::merge(a.begin(), middle_of(a), middle_of(a), a.end(), out.begin(), is_less);
    return out[0];
  }
  static long sort(longs& a) {
    dozer::sort(a);
    return a[0];
  }
  static long sort_closure(longs& a) {
    dozer::sort(a, is_less);
    return a[0];
  }
  static long stable_sort(longs& a) {
    dozer::stable_sort(a);
    return a[0];
  }
  static long stable_sort_closure(longs& a) {
    dozer::stable_sort(a, is_less);
    return a[0];
  }
  static long nth_element_closure(longs& a) {
    dozer::nth_element(a, middle_of(a), is_less);
    return *middle_of(a);
  }
  static long nth_element(longs& a) {
    dozer::nth_element(a, middle_of(a));
    return *middle_of(a);
  }
  static double partial_sort(longs& a) {
    dozer::partial_sort(a, front_end(a));
    return front_sum(a);
  }
  static double histogram(const longs& a) {
    const auto counts = dozer::histogram(a, bins, bin_of);
    return static_cast<double>(counts[0] + 3 * counts[100] + 5 * counts[255]);
  }
};

}  // namespace bench
