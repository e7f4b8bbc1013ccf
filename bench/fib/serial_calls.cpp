// With every call kept as a call.
#include "../harness.hpp"
#include "fib.hpp"

namespace {
[[gnu::noinline]] long fib(int n) {
  if (n < 2) {
    return n;
  }
  const long a = fib(n - 1);
  __asm__ __volatile__("" ::: "memory");
  const long b = fib(n - 2);
  __asm__ __volatile__("" ::: "memory");
  return a + b;
}
}  // namespace

int main(int argc, char** argv) {
  bench::threads(argc, argv);
  return bench::measure(fib_expected, [] { return fib(fib_of); });
}
