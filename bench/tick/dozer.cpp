#include "../dozer_pool.hpp"
#include "../now_and_then.hpp"

int main(int argc, char** argv) {
  dozer::thread_pool pool(bench::dozer_options(argc, argv));
  return bench::tick(
      [&](auto job) { pool.install([&] { dozer::parallel_for(0, bench::tick_jobs, [&](int) { job(); }); }); });
}
