// One algorithm at one size, as the second and third argument say: `reduce 10000000`. A runtime is a class with a
// function for each algorithm that it has; for the others the program prints {}.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "../harness.hpp"
#include "serial.hpp"

namespace bench {

/// What an algorithm reads, and what it works on or writes to. Doubles are small and whole, so sums of their squares
/// are exact.
enum class given { random, few, rising, two_runs, all_equal };
enum class target { none, output, in_place };
enum class order { as_serial, any };

template <class T>
class algorithm_data {
 public:
  algorithm_data(given what, target to, std::size_t count, bool has_second)
      : what_(what), to_(to), input(std::max<std::size_t>(100'000 / count, 1), std::vector<T>(count)) {
    for (auto& array : input) {
      fill(array);
    }
    second = has_second ? input : std::vector<std::vector<T>>(input.size());
    constexpr std::size_t in_all = 2'000'000;
    const std::size_t arrays = to == target::in_place ? std::max<std::size_t>(in_all / count, 1) : 1;
    work.assign(to == target::none ? 0 : arrays, std::vector<T>(count));
    restore();
  }

  /// Other elements in each batch: how long a search for the middle takes depends on them.
  void restore() {
    if (to_ == target::in_place) {
      for (auto& array : work) {
        fill(array);
      }
    }
  }

 private:
  void fill(std::vector<T>& array) {
    const std::size_t run = array.size() / 2;
    for (std::size_t i = 0; i < array.size(); ++i) {
      state_ = state_ * 6364136223846793005u + 1442695040888963407u;
      const std::uint64_t random = state_ >> (std::is_floating_point_v<T> ? 54 : 44);
      array[i] = static_cast<T>(what_ == given::random     ? random
                                : what_ == given::few      ? random % 4
                                : what_ == given::rising   ? i
                                : what_ == given::two_runs ? (i < run ? 2 * i : 2 * (i - run) + 1)
                                                           : 7);
    }
  }

  given what_;
  target to_;
  std::uint64_t state_ = 1;

 public:
  /// If they are small there are many, all different, or the processor would know all branches by heart.
  std::vector<std::vector<T>> input, second;
  std::vector<std::vector<T>> work;  // in place: one for each call of a batch
};

/// around(f) calls f where the runtime works. `runtime` has the functions.
template <class Runtime, class Around>
class algorithm_bench {
 public:
  algorithm_bench(Runtime runtime, Around around, std::string_view name, std::size_t count)
      : runtime_(runtime), around_(around), name_(name), count_(count) {}

  /// f(runtime, input, second, work) calls the algorithm and returns a number that tells whether it was right.
  template <class T, class F>
  bool offer(std::string_view name, given what, target to, bool has_second, F f, order o = order::as_serial) {
    if (name != name_) {
      return false;
    }
    using array = std::vector<T>;
    if constexpr (std::is_same_v<decltype(f(runtime_, std::declval<const array&>(), std::declval<const array&>(),
                                            std::declval<array&>())),
                                 missing>) {
      std::puts("{}");
    } else {
      algorithm_data<T> data(what, to, count_, has_second);
      check<T>(data, f, o);
      time<T>(data, f);
    }
    return true;
  }

 private:
  template <class T, class F>
  void check(algorithm_data<T>& data, F f, order o) {
    std::vector<T> none;
    std::vector<T>& mine = data.work.empty() ? none : data.work[0];
    std::vector<T> expected = mine;
    const auto right = f(serial(), std::as_const(data.input[0]), std::as_const(data.second[0]), expected);
    auto got = right;
    around_([&] { got = f(runtime_, std::as_const(data.input[0]), std::as_const(data.second[0]), mine); });
    if (got != right || (o == order::as_serial && mine != expected)) {
      std::fprintf(stderr, "wrong: %s %zu\n", name_.data(), count_);
      std::exit(1);
    }
  }
  /// The median of some batches of calls.
  template <class T, class F>
  void time(algorithm_data<T>& data, F f) {
    constexpr std::size_t batches = 5, elements = 5'000'000;
    const std::size_t calls = data.work.size() > 1 ? data.work.size() : std::max<std::size_t>(elements / count_, 1);
    struct result {
      std::uint64_t ns, cpu_ns, switches;
    };
    std::vector<result> results;
    std::vector<T> none;
    for (std::size_t batch = 0; batch != batches + 1; ++batch) {
      data.restore();
      const usage before = usage::now();
      const std::uint64_t start = now_ns();
      around_([&] {
        for (std::size_t call = 0; call != calls; ++call) {
          std::vector<T>& mine = data.work.empty() ? none : data.work[call % data.work.size()];
          const std::vector<T>& input = data.input[call % data.input.size()];
          const std::vector<T>& second = data.second[call % data.input.size()];
          kept_ = static_cast<std::uint64_t>(f(runtime_, input, second, mine));
        }
      });
      const std::uint64_t end = now_ns();
      const usage after = usage::now();
      if (batch != 0) {
        results.push_back(
            {(end - start) * 1000 / calls, after.cpu_ns - before.cpu_ns, after.switches - before.switches});
      }
    }
    std::sort(results.begin(), results.end(), [](const result& a, const result& b) { return a.ns < b.ns; });
    const result& middle = results[batches / 2];
    print(middle.ns, 0, middle.cpu_ns, middle.switches);
  }

  Runtime runtime_;
  Around around_;
  std::string_view name_;
  std::size_t count_;
  volatile std::uint64_t kept_ = 0;
};

/// Prints the time of 1000 calls.
template <class Runtime, class Around>
int measure_algorithm(int argc, char** argv, Around around, Runtime runtime) {
  const std::size_t count = argc >= 4 ? std::strtoull(argv[3], nullptr, 10) : 0;
  if (count < 100) {
    std::fprintf(stderr, "usage: %s THREADS ALGORITHM SIZE (100 at least)\n", argv[0]);
    return 2;
  }
  algorithm_bench bench(runtime, around, argv[2], count);
  const auto number = [&](std::string_view name, given what, target to, bool two, auto f, order o = order::as_serial) {
    return bench.template offer<double>(
        name, what, to, two, [f](auto r, const doubles& a, const doubles& b, doubles& out) { return f(r, a, b, out); },
        o);
  };
  const auto any = [&](std::string_view name, given what, target to, bool two, auto f, order o = order::as_serial) {
    return bench.template offer<long>(
        name, what, to, two, [f](auto r, const longs& a, const longs& b, longs& out) { return f(r, a, b, out); }, o);
  };
  using enum given;
  using enum target;
  const bool known =
      number("for_each", random, in_place, false, [](auto r, auto&, auto&, auto& out) { return r.for_each(out); }) ||
      number("transform", random, output, false,
             [](auto r, auto& a, auto&, auto& out) { return r.transform(a, out); }) ||
      number("transform2", random, output, true,
             [](auto r, auto& a, auto& b, auto& out) { return r.transform2(a, b, out); }) ||
      number("reduce", random, none, false, [](auto r, auto& a, auto&, auto&) { return r.reduce(a); }) ||
      number("transform_reduce", random, none, false,
             [](auto r, auto& a, auto&, auto&) { return r.transform_reduce(a); }) ||
      number("dot", random, none, true, [](auto r, auto& a, auto& b, auto&) { return r.dot(a, b); }) ||
      number("reduce_deterministic", random, none, false,
             [](auto r, auto& a, auto&, auto&) { return r.reduce_deterministic(a); }) ||
      number("reduce_deterministic_closure", random, none, false,
             [](auto r, auto& a, auto&, auto&) { return r.reduce_deterministic_closure(a); }) ||
      number("inclusive_scan", random, output, false,
             [](auto r, auto& a, auto&, auto& out) { return r.inclusive_scan(a, out); }) ||
      number("exclusive_scan", random, output, false,
             [](auto r, auto& a, auto&, auto& out) { return r.exclusive_scan(a, out); }) ||
      number("transform_inclusive_scan", random, output, false,
             [](auto r, auto& a, auto&, auto& out) { return r.transform_inclusive_scan(a, out); }) ||
      number("transform_exclusive_scan", random, output, false,
             [](auto r, auto& a, auto&, auto& out) { return r.transform_exclusive_scan(a, out); }) ||
      number("inclusive_scan_closure", random, output, false,
             [](auto r, auto& a, auto&, auto& out) { return r.inclusive_scan_closure(a, out); }) ||
      number("reduce_closure", random, none, false,
             [](auto r, auto& a, auto&, auto&) { return r.reduce_closure(a); }) ||
      number("minmax_element", random, none, false,
             [](auto r, auto& a, auto&, auto&) { return r.minmax_element(a); }) ||
      number("flat", random, none, false, [](auto r, auto& a, auto&, auto&) { return r.flat(a); }) ||
      number("nested", random, none, false, [](auto r, auto& a, auto&, auto&) { return r.nested(a); }) ||
      number("flat_closure", random, none, false, [](auto r, auto& a, auto&, auto&) { return r.flat_closure(a); }) ||
      number("nested_closure", random, none, false,
             [](auto r, auto& a, auto&, auto&) { return r.nested_closure(a); }) ||
      any("find", random, none, false, [](auto r, auto& a, auto&, auto&) { return r.find(a, -1); }) ||
      any("find_if", random, none, false, [](auto r, auto& a, auto&, auto&) { return r.find_if(a, -1); }) ||
      any("find_if_1pct", rising, none, false,
          [](auto r, auto& a, auto&, auto&) { return r.find_if(a, static_cast<long>(a.size() / 100)); }) ||
      any("any_of", random, none, false, [](auto r, auto& a, auto&, auto&) { return r.any_of(a, -1); }) ||
      any("find_if_not", random, none, false, [](auto r, auto& a, auto&, auto&) { return r.find_if_not(a, -1); }) ||
      any("all_of", random, none, false, [](auto r, auto& a, auto&, auto&) { return r.all_of(a, -1); }) ||
      any("none_of", random, none, false, [](auto r, auto& a, auto&, auto&) { return r.none_of(a, -1); }) ||
      // The value: of several least ones not all runtimes return the first.
      any("min_element", random, none, false, [](auto r, auto& a, auto&, auto&) { return r.min_element(a); }) ||
      any("max_element", random, none, false, [](auto r, auto& a, auto&, auto&) { return r.max_element(a); }) ||
      any("count", random, none, false, [](auto r, auto& a, auto&, auto&) { return r.count(a, 7); }) ||
      any("min_element_closure", random, none, false,
          [](auto r, auto& a, auto&, auto&) { return r.min_element_closure(a); }) ||
      any("count_if", random, none, false, [](auto r, auto& a, auto&, auto&) { return r.count_if(a); }) ||
      any("equal", random, none, true, [](auto r, auto& a, auto& b, auto&) { return r.equal(a, b); }) ||
      any("equal_closure", random, none, true, [](auto r, auto& a, auto& b, auto&) { return r.equal_closure(a, b); }) ||
      any("mismatch", random, none, true, [](auto r, auto& a, auto& b, auto&) { return r.mismatch(a, b); }) ||
      any("fill", random, output, false, [](auto r, auto&, auto&, auto& out) { return r.fill(out); }) ||
      any("generate", random, output, false, [](auto r, auto&, auto&, auto& out) { return r.generate(out); }) ||
      any("copy", random, output, false, [](auto r, auto& a, auto&, auto& out) { return r.copy(a, out); }) ||
      any("copy_if", random, output, false, [](auto r, auto& a, auto&, auto& out) { return r.copy_if(a, out); }) ||
      any(
          "remove_if", random, in_place, false, [](auto r, auto&, auto&, auto& out) { return r.remove_if(out); },
          order::any) ||
      any(
          "partition", random, in_place, false, [](auto r, auto&, auto&, auto& out) { return r.partition(out); },
          order::any) ||
      any("stable_partition", random, in_place, false,
          [](auto r, auto&, auto&, auto& out) { return r.stable_partition(out); }) ||
      any(
          "unique", few, in_place, false, [](auto r, auto&, auto&, auto& out) { return r.unique(out); }, order::any) ||
      any(
          "unique_closure", few, in_place, false, [](auto r, auto&, auto&, auto& out) { return r.unique_closure(out); },
          order::any) ||
      any("reverse", random, in_place, false, [](auto r, auto&, auto&, auto& out) { return r.reverse(out); }) ||
      any("is_sorted", rising, none, false, [](auto r, auto& a, auto&, auto&) { return r.is_sorted(a); }) ||
      any("is_sorted_closure", rising, none, false,
          [](auto r, auto& a, auto&, auto&) { return r.is_sorted_closure(a); }) ||
      any("merge", two_runs, output, false, [](auto r, auto& a, auto&, auto& out) { return r.merge(a, out); }) ||
      any("merge_closure", two_runs, output, false,
          [](auto r, auto& a, auto&, auto& out) { return r.merge_closure(a, out); }) ||
      any("sort", random, in_place, false, [](auto r, auto&, auto&, auto& out) { return r.sort(out); }) ||
      any("sort_closure", random, in_place, false,
          [](auto r, auto&, auto&, auto& out) { return r.sort_closure(out); }) ||
      any("stable_sort", random, in_place, false, [](auto r, auto&, auto&, auto& out) { return r.stable_sort(out); }) ||
      any("stable_sort_closure", random, in_place, false,
          [](auto r, auto&, auto&, auto& out) { return r.stable_sort_closure(out); }) ||
      any(
          "nth_element_closure", random, in_place, false,
          [](auto r, auto&, auto&, auto& out) { return r.nth_element_closure(out); }, order::any) ||
      any(
          "nth_element", random, in_place, false, [](auto r, auto&, auto&, auto& out) { return r.nth_element(out); },
          order::any) ||
      any(
          "partial_sort", random, in_place, false, [](auto r, auto&, auto&, auto& out) { return r.partial_sort(out); },
          order::any) ||
      any("histogram", random, none, false, [](auto r, auto& a, auto&, auto&) { return r.histogram(a); });
  if (!known) {
    std::fprintf(stderr, "there is no algorithm %s\n", argv[2]);
    return 2;
  }
  return 0;
}

constexpr auto here = [](auto&& f) { f(); };

}  // namespace bench
