// The same while all workers sleep.
#include "../dozer_pool.hpp"
#include "../empty/empty.hpp"

int main(int argc, char** argv) {
  dozer::thread_pool pool(bench::dozer_options(argc, argv));
  return measure_regions([&] { pool.install([] { empty_body(0); }); });
}
