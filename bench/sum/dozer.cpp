#include <dozer/dozer.hpp>

#include "sum.hpp"

namespace {
double sum(const double* from, std::size_t count) {
  if (count <= 16'384) {
    return sum_of_part(from, count);
  }
  const std::size_t half = count / 2;
  const auto [a, b] = dozer::join([=] { return sum(from, half); }, [=] { return sum(from + half, count - half); });
  return a + b;
}
}  // namespace

int main(int argc, char** argv) {
  dozer::thread_pool pool({.threads = bench::threads(argc, argv)});
  return measure_sum(
      [&](const std::vector<double>& data) { return pool.install([&] { return sum(data.data(), data.size()); }); });
}
