#pragma once

#include "../dozer_pool.hpp"
#include "blocking.hpp"

/// wait() is what each job does before it computes.
template <class Wait>
int measure_blocking(int argc, char** argv, Wait wait) {
  dozer::thread_pool pool(bench::dozer_options(argc, argv));
  return bench::measure(blocking_jobs, [&] {
    std::atomic<unsigned> done{0};
    pool.install([&] {
      dozer::scope([&](dozer::spawner& s) {
        for (unsigned i = 0; i < blocking_jobs; ++i) {
          s.spawn([&] {
            wait();
            compute();
            ++done;
          });
        }
      });
    });
    return done.load();
  });
}
