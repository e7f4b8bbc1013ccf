#include <tbb/parallel_invoke.h>

#include "../harness.hpp"
#include "../tbb_arena.hpp"
#include "fib.hpp"

namespace {
long fib(int n) {
  if (n < 2) {
    return n;
  }
  long a = 0, b = 0;
  tbb::parallel_invoke([n, &a] { a = fib(n - 1); }, [n, &b] { b = fib(n - 2); });
  return a + b;
}
}  // namespace

int main(int argc, char** argv) {
  bench::tbb_arena arena(argc, argv);
  return bench::measure(fib_expected, [&] { return arena->execute([] { return fib(fib_of); }); });
}
