#include "../dozer_pool.hpp"
#include "../now_and_then.hpp"

int main(int argc, char** argv) {
  dozer::thread_pool pool(bench::dozer_options(argc, argv));
  return bench::wake([&](auto job) { pool.spawn(job); });
}
