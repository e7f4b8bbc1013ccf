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
/// The sum of f(first, last) over all blocks.
template <class T, class F>
T sum_of(std::size_t count, F f) {
  return tbb::parallel_reduce(
      range(0, count), T(), [&](const range& r, T sum) { return sum + f(r.begin(), r.end()); }, std::plus<>());
}
/// The place of the first element that comes before all others.
template <class Before>
std::size_t first_of_all(const longs& a, Before before) {
  const auto better = [&, p = a.data()](std::size_t i, std::size_t j) {
    return before(p[j], p[i]) || (j < i && !before(p[i], p[j])) ? j : i;
  };
  return tbb::parallel_reduce(
      range(0, a.size()), std::size_t{0},
      [&, p = a.data()](const range& r, std::size_t best) {
        const auto found = std::min_element(p + r.begin(), p + r.end(), before);
        return better(best, static_cast<std::size_t>(found - p));
      },
      better);
}
/// The sum of each row, by a loop over the rows.
template <class Row>
double sum_of_rows(const doubles& a, const Row& of_row) {
  std::vector<double> sums(a.size() / columns);
  tbb::parallel_for(std::size_t{0}, sums.size(), [&](std::size_t row) { sums[row] = of_row(&a[row * columns]); });
  return std::reduce(sums.begin(), sums.end(), 0.0);
}
template <bool inclusive, class Un = std::identity>
double scan(const doubles& a, doubles& out, Un un = {}) {
  tbb::parallel_scan(
      range(0, a.size()), 0.0,
      [&](const range& r, double sum, bool is_final) {
        for (std::size_t i = r.begin(); i != r.end(); ++i) {
          const double before = sum;
          sum += un(a[i]);
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
    return sum_of<double>(a.size(), [p = a.data()](std::size_t first, std::size_t last) {
      return std::reduce(p + first, p + last, 0.0);
    });
  }
  static double reduce_closure(const doubles& a) {
    return tbb::parallel_reduce(
        range(0, a.size()), 0.0,
        [p = a.data()](const range& r, double sum) { return std::reduce(p + r.begin(), p + r.end(), sum, add); }, add);
  }
  static double transform_reduce(const doubles& a) {
    return sum_of<double>(a.size(), [p = a.data()](std::size_t first, std::size_t last) {
      return std::transform_reduce(p + first, p + last, 0.0, std::plus<>(), square);
    });
  }
  static double dot(const doubles& a, const doubles& b) {
    return sum_of<double>(a.size(), [p = a.data(), q = b.data()](std::size_t first, std::size_t last) {
      return std::transform_reduce(p + first, p + last, q + first, 0.0);
    });
  }
  static double flat(const doubles& a) { return reduce(a); }
  static double nested(const doubles& a) {
    return sum_of_rows(a, [](const double* row) {
      return sum_of<double>(
          columns, [=](std::size_t first, std::size_t last) { return std::reduce(row + first, row + last, 0.0); });
    });
  }
  static double flat_closure(const doubles& a) { return transform_reduce(a); }
  static double nested_closure(const doubles& a) {
    return sum_of_rows(a, [](const double* row) {
      return sum_of<double>(columns, [=](std::size_t first, std::size_t last) {
        return std::transform_reduce(row + first, row + last, 0.0, std::plus<>(), square);
      });
    });
  }
  static double reduce_deterministic(const doubles& a) { return deterministic(a, std::plus<>()); }
  static double reduce_deterministic_closure(const doubles& a) { return deterministic(a, add); }
  template <class Op>
  static double deterministic(const doubles& a, Op op) {
    constexpr std::size_t grain = 4096;
    return tbb::parallel_deterministic_reduce(
        range(0, a.size(), grain), 0.0,
        [p = a.data(), op](const range& r, double sum) { return std::reduce(p + r.begin(), p + r.end(), sum, op); },
        op);
  }
  static double inclusive_scan(const doubles& a, doubles& out) { return scan<true>(a, out); }
  static double exclusive_scan(const doubles& a, doubles& out) { return scan<false>(a, out); }
  static double inclusive_scan_closure(const doubles& a, doubles& out) { return scan<true>(a, out); }
  static double transform_inclusive_scan(const doubles& a, doubles& out) { return scan<true>(a, out, square); }
  static double transform_exclusive_scan(const doubles& a, doubles& out) { return scan<false>(a, out, square); }
  static long min_element(const longs& a) { return a[first_of_all(a, std::less<>())]; }
  static long max_element(const longs& a) { return a[first_of_all(a, std::greater<>())]; }
  static long min_element_closure(const longs& a) { return a[first_of_all(a, is_less)]; }
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
    return sum_of<std::size_t>(a.size(), [p = a.data()](std::size_t first, std::size_t last) {
      return static_cast<std::size_t>(std::count_if(p + first, p + last, is_odd));
    });
  }
  static std::size_t count(const longs& a, long x) {
    return sum_of<std::size_t>(a.size(), [p = a.data(), x](std::size_t first, std::size_t last) {
      return static_cast<std::size_t>(std::count(p + first, p + last, x));
    });
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
  static long reverse(longs& a) {
    for_range(a.size() / 2, [p = a.data(), end = a.data() + a.size()](std::size_t first, std::size_t last) {
      std::swap_ranges(p + first, p + last, std::make_reverse_iterator(end - first));
    });
    return a[0];
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
