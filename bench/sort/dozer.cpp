#include <dozer/dozer.hpp>

#include "sort.hpp"

int main(int argc, char** argv) {
  dozer::thread_pool pool({.threads = bench::threads(argc, argv)});
  return bench::measure_sort(
      argc, argv, [&](auto&& f) { pool.install(f); }, [](auto& array, auto key) { dozer::sort(array, {}, key); });
}
