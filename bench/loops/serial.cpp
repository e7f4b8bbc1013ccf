#include "loops.hpp"

int main(int argc, char** argv) {
  bench::threads(argc, argv);
  return measure_loops(argc, argv, [](const auto& work) {
    work([](std::size_t count, const auto& body, cost) {
      for (std::size_t k = 0; k < count; ++k) {
        body(k);
      }
    });
  });
}
