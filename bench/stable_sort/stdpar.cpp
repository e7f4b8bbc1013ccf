#include <execution>

#include "../sort/sort.hpp"
#include "../tbb_arena.hpp"

int main(int argc, char** argv) {
  bench::tbb_arena arena(argc, argv);
  return bench::measure_sort(
      argc, argv, [&](auto&& f) { arena->execute(f); },
      []<class T>(std::vector<T>& array, auto key) {
        std::stable_sort(std::execution::par, array.begin(), array.end(), bench::by<T>(key));
      });
}
