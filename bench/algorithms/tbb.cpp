#include <tbb/blocked_range.h>
#include <tbb/combinable.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>

#include <limits>

#include "../tbb_arena.hpp"
#include "algorithms.hpp"

namespace {

using namespace bench;
using range = tbb::blocked_range<std::size_t>;

template <class F>
void for_range(std::size_t count, F&& f) {
  tbb::parallel_for(range(0, count), [&](const range& r) { f(r.begin(), r.end()); });
}
/// The sum of f(i).
template <class T, class F>
T sum_of(std::size_t count, F f) {
  return tbb::parallel_reduce(
      range(0, count), T(),
      [&](const range& r, T sum) {
        for (std::size_t i = r.begin(); i != r.end(); ++i) {
          sum += f(i);
        }
        return sum;
      },
      std::plus<>());
}
template <bool inclusive>
double scan(const doubles& a, doubles& out) {
  tbb::parallel_scan(
      range(0, a.size()), 0.0,
      [&](const range& r, double sum, bool is_final) {
        for (std::size_t i = r.begin(); i != r.end(); ++i) {
          const double before = sum;
          sum += a[i];
          if (is_final) {
            out[i] = inclusive ? sum : before;
          }
        }
        return sum;
      },
      std::plus<>());
  return out.back();
}

struct with_tbb : has_none {
  static double for_each(doubles& a) {
    for_range(a.size(),
              [p = a.data()](std::size_t first, std::size_t last) { std::for_each(p + first, p + last, halve); });
    return a[0];
  }
  static double transform(const doubles& a, doubles& out) {
    for_range(a.size(), [p = a.data(), o = out.data()](std::size_t first, std::size_t last) {
      std::transform(p + first, p + last, o + first, half);
    });
    return out[0];
  }
  static double transform2(const doubles& a, const doubles& b, doubles& out) {
    for_range(a.size(), [p = a.data(), q = b.data(), o = out.data()](std::size_t first, std::size_t last) {
      std::transform(p + first, p + last, q + first, o + first, mix);
    });
    return out[0];
  }
  static double reduce(const doubles& a) {
    return sum_of<double>(a.size(), [p = a.data()](std::size_t i) { return p[i]; });
  }
  static double transform_reduce(const doubles& a) {
    return sum_of<double>(a.size(), [p = a.data()](std::size_t i) { return square(p[i]); });
  }
  static double dot(const doubles& a, const doubles& b) {
    return sum_of<double>(a.size(), [p = a.data(), q = b.data()](std::size_t i) { return p[i] * q[i]; });
  }
  static double reduce_deterministic(const doubles& a) {
    constexpr std::size_t grain = 4096;
    return tbb::parallel_deterministic_reduce(
        range(0, a.size(), grain), 0.0,
        [p = a.data()](const range& r, double sum) { return std::accumulate(p + r.begin(), p + r.end(), sum); },
        std::plus<>());
  }
  static double inclusive_scan(const doubles& a, doubles& out) { return scan<true>(a, out); }
  static double exclusive_scan(const doubles& a, doubles& out) { return scan<false>(a, out); }
  static double minmax_element(const doubles& a) {
    struct both {
      double least = std::numeric_limits<double>::max(), most = std::numeric_limits<double>::lowest();
    };
    const auto join = [](both x, both y) { return both{std::min(x.least, y.least), std::max(x.most, y.most)}; };
    const both found = tbb::parallel_reduce(
        range(0, a.size()), both(),
        [&](const range& r, both b) {
          for (std::size_t i = r.begin(); i != r.end(); ++i) {
            b = join(b, {a[i], a[i]});
          }
          return b;
        },
        join);
    return found.least + found.most;
  }
  static std::size_t count_if(const longs& a) {
    return sum_of<std::size_t>(a.size(), [p = a.data()](std::size_t i) { return is_odd(p[i]) ? 1u : 0u; });
  }
  static long fill(longs& out) {
    for_range(out.size(), [p = out.data()](std::size_t first, std::size_t last) { std::fill(p + first, p + last, 7); });
    return out[0];
  }
  static long generate(longs& out) {
    for_range(out.size(),
              [p = out.data()](std::size_t first, std::size_t last) { std::generate(p + first, p + last, seven); });
    return out[0];
  }
  static long copy(const longs& a, longs& out) {
    for_range(a.size(), [p = a.data(), o = out.data()](std::size_t first, std::size_t last) {
      std::copy(p + first, p + last, o + first);
    });
    return out[0];
  }
  static double histogram(const longs& a) {
    tbb::combinable<std::vector<std::uint64_t>> parts([] { return std::vector<std::uint64_t>(bins); });
    for_range(a.size(), [&](std::size_t first, std::size_t last) {
      auto& mine = parts.local();
      for (; first != last; ++first) {
        ++mine[bin_of(a[first])];
      }
    });
    std::vector<std::uint64_t> counts(bins);
    parts.combine_each([&](const std::vector<std::uint64_t>& part) {
      std::transform(part.begin(), part.end(), counts.begin(), counts.begin(), std::plus<>());
    });
    return static_cast<double>(counts[0] + 3 * counts[100] + 5 * counts[255]);
  }
};

}  // namespace

int main(int argc, char** argv) {
  bench::tbb_arena arena(argc, argv);
  return bench::measure_algorithm(
      argc, argv, [&](auto&& f) { arena->execute(f); }, with_tbb());
}
