// A thread for each job.
#include <vector>

#include "blocking.hpp"

int main() {
  return bench::measure(blocking_jobs, [] {
    std::atomic<unsigned> done{0};
    std::vector<std::thread> all;
    for (unsigned i = 0; i < blocking_jobs; ++i) {
      all.emplace_back([&] {
        wait_outside();
        compute();
        ++done;
      });
    }
    for (std::thread& t : all) {
      t.join();
    }
    return done.load();
  });
}
