#include "../dozer_pool.hpp"
#include "mutex.hpp"

int main(int argc, char** argv) {
  dozer::thread_pool pool(bench::dozer_options(argc, argv));
  dozer::mutex m;
  return bench::measure(locks, [&] { return pool.install([&] { return lock_and_unlock(m); }); });
}
