// fib in a pool of one: nothing but joins that nobody steals. For counting instructions (fork_cost_test).
#include <dozer/dozer.hpp>

#include <cstdio>
#include <cstdlib>

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
  dozer::thread_pool pool({.threads = 1});
  const int n = argc == 2 ? std::atoi(argv[1]) : 20;
  std::printf("%ld\n", pool.install([n] { return fib(n); }));
}
