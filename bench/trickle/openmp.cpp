#include <omp.h>

#include "../now_and_then.hpp"

int main(int argc, char** argv) {
  const int threads = static_cast<int>(bench::threads(argc, argv));
  return bench::trickle([&](auto job) {
#pragma omp parallel num_threads(threads)
    if (omp_get_thread_num() == threads - 1) {
      job();
    }
  });
}
