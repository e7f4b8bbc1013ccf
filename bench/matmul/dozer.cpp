#include <dozer/dozer.hpp>

#include "../harness.hpp"
#include "matmul.hpp"

namespace {
void run(matrices& m, block at) {
  if (is_small(at)) {
    multiply(m, at);
    return;
  }
  dozer::join([&m, at] { run(m, first_half(at)); }, [&m, at] { run(m, second_half(at)); });
}
}  // namespace

int main(int argc, char** argv) {
  dozer::thread_pool pool({.threads = bench::threads(argc, argv)});
  matrices m;
  return bench::measure(matmul_expected, [&] {
    pool.install([&] { run(m, whole); });
    return m.check();
  });
}
