// The algorithms of the standard library on one thread: what all others are compared with, and checked against.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

namespace bench {

using doubles = std::vector<double>;
using longs = std::vector<long>;

constexpr auto halve = [](double& x) { x = 0.5 * x + 1; };
constexpr auto half = [](double x) { return 0.5 * x + 1; };
constexpr auto mix = [](double x, double y) { return 0.5 * x + y; };
constexpr auto square = [](double x) { return x * x; };
constexpr auto add = [](double x, double y) { return x + y; };
constexpr auto is_odd = [](long x) { return x % 2 != 0; };
constexpr auto is_same = [](long x, long y) { return x == y; };
constexpr auto is_less = [](long x, long y) { return x < y; };
constexpr auto seven = [] { return 7L; };
constexpr std::size_t bins = 256;
constexpr auto bin_of = [](long x) { return static_cast<std::size_t>(x) % bins; };
constexpr std::size_t columns = 1000;

/// How much of the range partial_sort sorts.
inline std::size_t front_of(const longs& a) { return a.size() / 10; }
template <class Array, class I>
std::size_t place(const Array& a, I i) {
  return static_cast<std::size_t>(i - a.begin());
}

/// What a runtime returns for an algorithm that it does not have. A runtime inherits this and hides what it has.
struct missing {};
struct has_none {
  static missing for_each(doubles&) { return {}; }
  static missing transform(const doubles&, doubles&) { return {}; }
  static missing transform2(const doubles&, const doubles&, doubles&) { return {}; }
  static missing reduce(const doubles&) { return {}; }
  static missing transform_reduce(const doubles&) { return {}; }
  static missing dot(const doubles&, const doubles&) { return {}; }
  static missing reduce_deterministic(const doubles&) { return {}; }
  static missing reduce_deterministic_closure(const doubles&) { return {}; }
  static missing inclusive_scan(const doubles&, doubles&) { return {}; }
  static missing exclusive_scan(const doubles&, doubles&) { return {}; }
  static missing transform_inclusive_scan(const doubles&, doubles&) { return {}; }
  static missing transform_exclusive_scan(const doubles&, doubles&) { return {}; }
  static missing inclusive_scan_closure(const doubles&, doubles&) { return {}; }
  static missing reduce_closure(const doubles&) { return {}; }
  static missing minmax_element(const doubles&) { return {}; }
  static missing flat(const doubles&) { return {}; }
  static missing nested(const doubles&) { return {}; }
  static missing flat_closure(const doubles&) { return {}; }
  static missing nested_closure(const doubles&) { return {}; }
  static missing find(const longs&, long) { return {}; }
  static missing find_if(const longs&, long) { return {}; }
  static missing any_of(const longs&, long) { return {}; }
  static missing find_if_not(const longs&, long) { return {}; }
  static missing all_of(const longs&, long) { return {}; }
  static missing none_of(const longs&, long) { return {}; }
  static missing min_element(const longs&) { return {}; }
  static missing max_element(const longs&) { return {}; }
  static missing count(const longs&, long) { return {}; }
  static missing min_element_closure(const longs&) { return {}; }
  static missing count_if(const longs&) { return {}; }
  static missing equal(const longs&, const longs&) { return {}; }
  static missing equal_closure(const longs&, const longs&) { return {}; }
  static missing mismatch(const longs&, const longs&) { return {}; }
  static missing fill(longs&) { return {}; }
  static missing generate(longs&) { return {}; }
  static missing copy(const longs&, longs&) { return {}; }
  static missing copy_if(const longs&, longs&) { return {}; }
  static missing remove_if(longs&) { return {}; }
  static missing partition(longs&) { return {}; }
  static missing stable_partition(longs&) { return {}; }
  static missing unique(longs&) { return {}; }
  static missing unique_closure(longs&) { return {}; }
  static missing reverse(longs&) { return {}; }
  static missing is_sorted(const longs&) { return {}; }
  static missing is_sorted_closure(const longs&) { return {}; }
  static missing merge(const longs&, longs&) { return {}; }
  static missing merge_closure(const longs&, longs&) { return {}; }
  static missing sort(longs&) { return {}; }
  static missing sort_closure(longs&) { return {}; }
  static missing stable_sort(longs&) { return {}; }
  static missing stable_sort_closure(longs&) { return {}; }
  static missing nth_element_closure(longs&) { return {}; }
  static missing nth_element(longs&) { return {}; }
  static missing partial_sort(longs&) { return {}; }
  static missing histogram(const longs&) { return {}; }
};

inline auto middle_of(auto& a) { return a.begin() + static_cast<std::ptrdiff_t>(a.size() / 2); }
inline auto front_end(longs& a) { return a.begin() + static_cast<std::ptrdiff_t>(front_of(a)); }
/// Of the sorted front: differs if it is in another order.
inline double front_sum(const longs& a) {
  return static_cast<double>(a[0] + 3 * a[front_of(a) / 2] + 5 * a[front_of(a) - 1]);
}

struct serial {
  static double for_each(doubles& a) {
    std::for_each(a.begin(), a.end(), halve);
    return a[0];
  }
  static double transform(const doubles& a, doubles& out) {
    std::transform(a.begin(), a.end(), out.begin(), half);
    return out[0];
  }
  static double transform2(const doubles& a, const doubles& b, doubles& out) {
    std::transform(a.begin(), a.end(), b.begin(), out.begin(), mix);
    return out[0];
  }
  static double reduce(const doubles& a) { return std::reduce(a.begin(), a.end(), 0.0); }
  static double transform_reduce(const doubles& a) {
    return std::transform_reduce(a.begin(), a.end(), 0.0, std::plus<>(), square);
  }
  static double dot(const doubles& a, const doubles& b) {
    return std::transform_reduce(a.begin(), a.end(), b.begin(), 0.0);
  }
  static double reduce_deterministic(const doubles& a) { return reduce(a); }
  static double reduce_deterministic_closure(const doubles& a) { return std::reduce(a.begin(), a.end(), 0.0, add); }
  static double inclusive_scan(const doubles& a, doubles& out) {
    std::inclusive_scan(a.begin(), a.end(), out.begin());
    return out.back();
  }
  static double exclusive_scan(const doubles& a, doubles& out) {
    std::exclusive_scan(a.begin(), a.end(), out.begin(), 0.0);
    return out.back();
  }
  static double transform_inclusive_scan(const doubles& a, doubles& out) {
    std::transform_inclusive_scan(a.begin(), a.end(), out.begin(), std::plus<>(), square);
    return out.back();
  }
  static double transform_exclusive_scan(const doubles& a, doubles& out) {
    std::transform_exclusive_scan(a.begin(), a.end(), out.begin(), 0.0, std::plus<>(), square);
    return out.back();
  }
  static double inclusive_scan_closure(const doubles& a, doubles& out) {
    std::inclusive_scan(a.begin(), a.end(), out.begin(), add);
    return out.back();
  }
  static double reduce_closure(const doubles& a) { return std::reduce(a.begin(), a.end(), 0.0, add); }
  static double minmax_element(const doubles& a) {
    const auto [least, most] = std::minmax_element(a.begin(), a.end());
    return *least + *most;
  }
  static double flat(const doubles& a) { return reduce(a); }
  static double nested(const doubles& a) {
    return sum_of_rows(a, [](auto first, auto last) { return std::reduce(first, last, 0.0); });
  }
  static double flat_closure(const doubles& a) { return transform_reduce(a); }
  static double nested_closure(const doubles& a) {
    return sum_of_rows(
        a, [](auto first, auto last) { return std::transform_reduce(first, last, 0.0, std::plus<>(), square); });
  }
  template <class Row>
  static double sum_of_rows(const doubles& a, const Row& of_row) {
    double sum = 0;
    for (std::size_t row = 0; row + columns <= a.size(); row += columns) {
      const auto first = a.begin() + static_cast<std::ptrdiff_t>(row);
      sum += of_row(first, first + columns);
    }
    return sum;
  }
  static std::size_t find(const longs& a, long x) { return place(a, std::find(a.begin(), a.end(), x)); }
  static std::size_t find_if(const longs& a, long x) {
    return place(a, std::find_if(a.begin(), a.end(), [x](long y) { return y == x; }));
  }
  static bool any_of(const longs& a, long x) {
    return std::any_of(a.begin(), a.end(), [x](long y) { return y == x; });
  }
  static std::size_t find_if_not(const longs& a, long x) {
    return place(a, std::find_if_not(a.begin(), a.end(), [x](long y) { return y != x; }));
  }
  static bool all_of(const longs& a, long x) {
    return std::all_of(a.begin(), a.end(), [x](long y) { return y != x; });
  }
  static bool none_of(const longs& a, long x) {
    return std::none_of(a.begin(), a.end(), [x](long y) { return y == x; });
  }
  static long min_element(const longs& a) { return *std::min_element(a.begin(), a.end()); }
  static long max_element(const longs& a) { return *std::max_element(a.begin(), a.end()); }
  static std::size_t count(const longs& a, long x) {
    return static_cast<std::size_t>(std::count(a.begin(), a.end(), x));
  }
  static long min_element_closure(const longs& a) { return *std::min_element(a.begin(), a.end(), is_less); }
  static std::size_t count_if(const longs& a) {
    return static_cast<std::size_t>(std::count_if(a.begin(), a.end(), is_odd));
  }
  static bool equal(const longs& a, const longs& b) { return std::equal(a.begin(), a.end(), b.begin()); }
  static bool equal_closure(const longs& a, const longs& b) {
    return std::equal(a.begin(), a.end(), b.begin(), is_same);
  }
  static std::size_t mismatch(const longs& a, const longs& b) {
    return place(a, std::mismatch(a.begin(), a.end(), b.begin()).first);
  }
  static long fill(longs& out) {
    std::fill(out.begin(), out.end(), 7);
    return out[0];
  }
  static long generate(longs& out) {
    std::generate(out.begin(), out.end(), seven);
    return out[0];
  }
  static long copy(const longs& a, longs& out) {
    std::copy(a.begin(), a.end(), out.begin());
    return out[0];
  }
  static std::size_t copy_if(const longs& a, longs& out) {
    return place(out, std::copy_if(a.begin(), a.end(), out.begin(), is_odd));
  }
  static std::size_t remove_if(longs& a) { return place(a, std::remove_if(a.begin(), a.end(), is_odd)); }
  static std::size_t partition(longs& a) { return place(a, std::partition(a.begin(), a.end(), is_odd)); }
  static std::size_t stable_partition(longs& a) { return place(a, std::stable_partition(a.begin(), a.end(), is_odd)); }
  static std::size_t unique(longs& a) { return place(a, std::unique(a.begin(), a.end())); }
  static std::size_t unique_closure(longs& a) { return place(a, std::unique(a.begin(), a.end(), is_same)); }
  static long reverse(longs& a) {
    std::reverse(a.begin(), a.end());
    return a[0];
  }
  static bool is_sorted(const longs& a) { return std::is_sorted(a.begin(), a.end()); }
  static bool is_sorted_closure(const longs& a) { return std::is_sorted(a.begin(), a.end(), is_less); }
  static long merge(const longs& a, longs& out) {
    std::merge(a.begin(), middle_of(a), middle_of(a), a.end(), out.begin());
    return out[0];
  }
  static long merge_closure(const longs& a, longs& out) {
    std::merge(a.begin(), middle_of(a), middle_of(a), a.end(), out.begin(), is_less);
    return out[0];
  }
  static long sort(longs& a) {
    std::sort(a.begin(), a.end());
    return a[0];
  }
  static long sort_closure(longs& a) {
    std::sort(a.begin(), a.end(), is_less);
    return a[0];
  }
  static long stable_sort(longs& a) {
    std::stable_sort(a.begin(), a.end());
    return a[0];
  }
  static long stable_sort_closure(longs& a) {
    std::stable_sort(a.begin(), a.end(), is_less);
    return a[0];
  }
  static long nth_element_closure(longs& a) {
    std::nth_element(a.begin(), middle_of(a), a.end(), is_less);
    return *middle_of(a);
  }
  static long nth_element(longs& a) {
    std::nth_element(a.begin(), middle_of(a), a.end());
    return *middle_of(a);
  }
  static double partial_sort(longs& a) {
    std::partial_sort(a.begin(), front_end(a), a.end());
    return front_sum(a);
  }
  static double histogram(const longs& a) {
    std::vector<std::uint64_t> counts(bins);
    for (const long x : a) {
      ++counts[bin_of(x)];
    }
    return static_cast<double>(counts[0] + 3 * counts[100] + 5 * counts[255]);
  }
};

}  // namespace bench
