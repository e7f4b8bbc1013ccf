// With every call kept as a call.
#include "../harness.hpp"
#include "skynet.hpp"

namespace {
[[gnu::noinline]] long skynet(long number, long leaves) {
  if (leaves == 1) {
    return number;
  }
  long sum = 0;
  for (long i = 0; i < 10; ++i) {
    sum += skynet(number + i * (leaves / 10), leaves / 10);
    __asm__ __volatile__("" ::: "memory");
  }
  return sum;
}
}  // namespace

int main(int argc, char** argv) {
  bench::threads(argc, argv);
  return bench::measure(skynet_expected, [] { return skynet(0, skynet_leaves); });
}
