// What a user of the library writes.
#include <dozer/dozer.hpp>

#include <cstdio>

long fib(int n) {
  if (n < 2) {
    return n;
  }
  auto [a, b] = dozer::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

int main() { std::printf("%ld\n", fib(20)); }
