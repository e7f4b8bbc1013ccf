#include "../empty/empty.hpp"

int main(int argc, char** argv) {
  bench::threads(argc, argv);
  return measure_regions([] { empty_body(0); });
}
