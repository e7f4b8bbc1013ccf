// Uneven loops are guided: dynamic ones would spend most of a million iterations on the shared counter.
// No exception may leave one.
#include "loops.hpp"

int main(int argc, char** argv) {
  const int threads = static_cast<int>(bench::threads(argc, argv));
  if (argc == 3 && std::string_view(argv[2]).ends_with("-throws")) {
    std::puts("{}");
    return 0;
  }
  return measure_loops(argc, argv, [&](const auto& work) {
    work([&](std::size_t count, const auto& body, cost how) {
      if (how == cost::even) {
#pragma omp parallel for num_threads(threads) schedule(static)
        for (std::size_t k = 0; k < count; ++k) {
          body(k);
        }
      } else {
#pragma omp parallel for num_threads(threads) schedule(guided)
        for (std::size_t k = 0; k < count; ++k) {
          body(k);
        }
      }
    });
  });
}
