#include <dozer/dozer.hpp>

#include <tuple>
#include <utility>

#include "../harness.hpp"
#include "skynet.hpp"

namespace {
long skynet(long number, long leaves);

template <long... I>
long ten(long number, long each, std::integer_sequence<long, I...>) {
  const auto sums = dozer::join([=] { return skynet(number + I * each, each); }...);
  return std::apply([](auto... sum) { return (sum + ...); }, sums);
}

long skynet(long number, long leaves) {
  return leaves == 1 ? number : ten(number, leaves / 10, std::make_integer_sequence<long, 10>{});
}
}  // namespace

int main(int argc, char** argv) {
  dozer::thread_pool pool({.threads = bench::threads(argc, argv)});
  return bench::measure(skynet_expected, [&] { return pool.install([] { return skynet(0, skynet_leaves); }); });
}
