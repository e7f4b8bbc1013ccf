#include <omp.h>

#include "../now_and_then.hpp"

int main(int argc, char** argv) {
  const int threads = static_cast<int>(bench::threads(argc, argv));
  return bench::idle([&](auto job) {
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int i = 0; i < bench::tick_jobs; ++i) {
      job();
    }
  });
}
