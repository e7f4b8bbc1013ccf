#include <dozer/dozer.hpp>

#include "../harness.hpp"
#include "fib.hpp"

namespace {
long fib(int n) {
  if (n < 2) {
    return n;
  }
  const auto [a, b] = dozer::join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}
}  // namespace

int main(int argc, char** argv) {
  dozer::thread_pool pool({.threads = bench::threads(argc, argv)});
  return bench::measure(fib_expected, [&] { return pool.install([] { return fib(fib_of); }); });
}
