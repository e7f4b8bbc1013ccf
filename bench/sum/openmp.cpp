#include "sum.hpp"

int main(int argc, char** argv) {
  const int threads = static_cast<int>(bench::threads(argc, argv));
  return measure_sum([&](const std::vector<double>& data) {
    double sum = 0;
    const double* const numbers = data.data();  // through the vector GCC 12 gathers them one by one
#pragma omp parallel for simd num_threads(threads) reduction(+ : sum)
    for (std::size_t i = 0; i < sum_of; ++i) {
      sum += numbers[i];
    }
    return sum;
  });
}
