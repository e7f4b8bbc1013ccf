#include "../sort/sort.hpp"

int main(int argc, char** argv) {
  bench::threads(argc, argv);
  return bench::measure_sort(argc, argv, bench::here, []<class T>(std::vector<T>& array, auto key) {
    std::stable_sort(array.begin(), array.end(), bench::by<T>(key));
  });
}
