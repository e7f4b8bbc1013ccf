#include "with_dozer.hpp"

int main(int argc, char** argv) {
  dozer::thread_pool pool({.threads = bench::threads(argc, argv)});
  return bench::measure_algorithm(
      argc, argv, [&](auto&& f) { pool.install(f); }, bench::with_dozer());
}
