#include "../harness.hpp"
#include "skynet.hpp"

namespace {
long skynet(long number, long leaves) {
  if (leaves == 1) {
    return number;
  }
  long sums[10];
  for (long i = 0; i < 10; ++i) {
#pragma omp task shared(sums)
    sums[i] = skynet(number + i * (leaves / 10), leaves / 10);
  }
#pragma omp taskwait
  long sum = 0;
  for (const long each : sums) {
    sum += each;
  }
  return sum;
}
}  // namespace

int main(int argc, char** argv) {
  const int threads = static_cast<int>(bench::threads(argc, argv));
  return bench::measure(skynet_expected, [&] {
    long result = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
    result = skynet(0, skynet_leaves);
    return result;
  });
}
