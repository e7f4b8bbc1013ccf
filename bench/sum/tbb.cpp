#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>

#include <functional>
#include <numeric>

#include "sum.hpp"

int main(int argc, char** argv) {
  tbb::task_arena arena(static_cast<int>(bench::threads(argc, argv)));
  return measure_sum([&](const std::vector<double>& data) {
    return arena.execute([&] {
      return tbb::parallel_reduce(
          tbb::blocked_range<const double*>(data.data(), data.data() + data.size()), 0.0,
          [](const auto& range, double before) { return std::reduce(range.begin(), range.end(), before); },
          std::plus<>());
    });
  });
}
