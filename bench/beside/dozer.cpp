// An empty closure from outside while one worker of the pool runs a long job.
#include "../dozer_pool.hpp"
#include "../empty/empty.hpp"

#include <atomic>
#include <thread>

int main(int argc, char** argv) {
  std::atomic<bool> begun{false}, over{false};
  dozer::thread_pool pool(bench::dozer_options(argc, argv));
  pool.spawn([&] {
    begun = true;
    while (!over) {
    }
  });
  while (!begun) {
    std::this_thread::yield();
  }
  const int result = measure_regions([&] { pool.install([] { empty_body(0); }); });
  over = true;
  return result;
}
