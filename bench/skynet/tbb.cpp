#include <tbb/parallel_invoke.h>

#include <utility>

#include "../harness.hpp"
#include "../tbb_arena.hpp"
#include "skynet.hpp"

namespace {
long skynet(long number, long leaves);

template <long... I>
long ten(long number, long each, std::integer_sequence<long, I...>) {
  long sums[10];
  tbb::parallel_invoke([=, &sums] { sums[I] = skynet(number + I * each, each); }...);
  return (sums[I] + ...);
}

long skynet(long number, long leaves) {
  return leaves == 1 ? number : ten(number, leaves / 10, std::make_integer_sequence<long, 10>{});
}
}  // namespace

int main(int argc, char** argv) {
  bench::tbb_arena arena(argc, argv);
  return bench::measure(skynet_expected, [&] { return arena->execute([] { return skynet(0, skynet_leaves); }); });
}
