#include "../harness.hpp"
#include "fib.hpp"

namespace {
long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
}  // namespace

int main(int argc, char** argv) {
  bench::threads(argc, argv);
  return bench::measure(fib_expected, [] { return fib(fib_of); });
}
