#include "sum.hpp"

int main(int argc, char** argv) {
  bench::threads(argc, argv);
  return measure_sum([](const std::vector<double>& data) { return sum_of_part(data.data(), data.size()); });
}
