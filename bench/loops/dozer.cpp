#include <dozer/dozer.hpp>

#include "loops.hpp"

int main(int argc, char** argv) {
  dozer::thread_pool pool({.threads = bench::threads(argc, argv)});
  return measure_loops(argc, argv, [&](const auto& work) {
    pool.install([&] {
      work([](std::size_t count, const auto& body, cost) { dozer::parallel_for(std::size_t{0}, count, body); });
    });
  });
}
