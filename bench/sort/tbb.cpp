#include <tbb/parallel_sort.h>

#include "../tbb_arena.hpp"
#include "sort.hpp"

int main(int argc, char** argv) {
  bench::tbb_arena arena(argc, argv);
  return bench::measure_sort(
      argc, argv, [&](auto&& f) { arena->execute(f); },
      []<class T>(std::vector<T>& array, auto key) {
        tbb::parallel_sort(array.begin(), array.end(), bench::by<T>(key));
      });
}
