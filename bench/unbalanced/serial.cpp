#include "unbalanced.hpp"

int main(int argc, char** argv) {
  bench::threads(argc, argv);
  return bench::measure(1, [] {
    for (int i = 0; i < unbalanced_count; ++i) {
      unbalanced_body(i);
    }
    return 1;
  });
}
