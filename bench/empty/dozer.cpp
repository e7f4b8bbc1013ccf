#include "../dozer_pool.hpp"
#include "../harness.hpp"
#include "empty.hpp"

int main(int argc, char** argv) {
  dozer::thread_pool pool(bench::dozer_options(argc, argv));
  const int bodies = empty_bodies(argc, argv);
  return measure_regions([&] { pool.install([&] { dozer::parallel_for(0, bodies, [](int i) { empty_body(i); }); }); });
}
