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
  static std::size_t count_if(const longs& a) {
    return static_cast<std::size_t>(std::count_if(std::execution::par, a.begin(), a.end(), is_odd));
  }
  static bool equal(const longs& a, const longs& b) {
    return std::equal(std::execution::par, a.begin(), a.end(), b.begin());
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
  static long nth_element(longs& a) {
    std::nth_element(std::execution::par, a.begin(), middle_of(a), a.end());
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
