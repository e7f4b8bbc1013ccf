#include "../condvar_pool.hpp"
#include "producers.hpp"

int main(int argc, char** argv) {
  bench::condvar_pool pool(bench::threads(argc, argv));
  return measure_producers([&](auto job) { pool.submit(job); });
}
