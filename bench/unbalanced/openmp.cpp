#include "unbalanced.hpp"

int main(int argc, char** argv) {
  const int threads = static_cast<int>(bench::threads(argc, argv));
  return bench::measure(1, [&] {
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int i = 0; i < unbalanced_count; ++i) {
      unbalanced_body(i);
    }
    return 1;
  });
}
