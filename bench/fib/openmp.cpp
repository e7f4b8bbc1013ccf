#include "../harness.hpp"
#include "fib.hpp"

namespace {
long fib(int n) {
  if (n < 2) {
    return n;
  }
  long a = 0, b = 0;
#pragma omp task shared(b)
  b = fib(n - 2);
  a = fib(n - 1);
#pragma omp taskwait
  return a + b;
}
}  // namespace

int main(int argc, char** argv) {
  const int threads = static_cast<int>(bench::threads(argc, argv));
  return bench::measure(fib_expected, [&] {
    long result = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
    result = fib(fib_of);
    return result;
  });
}
