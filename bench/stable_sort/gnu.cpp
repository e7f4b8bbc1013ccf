#include <omp.h>

#include <parallel/algorithm>

#include "../sort/sort.hpp"

int main(int argc, char** argv) {
  omp_set_num_threads(static_cast<int>(bench::threads(argc, argv)));
  return bench::measure_sort(argc, argv, bench::here, []<class T>(std::vector<T>& array, auto key) {
    __gnu_parallel::stable_sort(array.begin(), array.end(), bench::by<T>(key));
  });
}
