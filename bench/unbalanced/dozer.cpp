#include <dozer/dozer.hpp>

#include "unbalanced.hpp"

int main(int argc, char** argv) {
  dozer::thread_pool pool({.threads = bench::threads(argc, argv)});
  return bench::measure(1, [&] {
    pool.install([] { dozer::parallel_for(0, unbalanced_count, unbalanced_body); });
    return 1;
  });
}
