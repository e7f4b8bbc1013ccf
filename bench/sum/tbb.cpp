#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <functional>

#include "../tbb_arena.hpp"
#include "sum.hpp"

int main(int argc, char** argv) {
  bench::tbb_arena arena(argc, argv);
  return measure_sum([&](const std::vector<double>& data) {
    return arena->execute([&] {
      return tbb::parallel_reduce(
          tbb::blocked_range<const double*>(data.data(), data.data() + data.size()), 0.0,
          [](const auto& range, double before) { return before + sum_of_part(range.begin(), range.size()); },
          std::plus<>());
    });
  });
}
