#include "../condvar_pool.hpp"
#include "../now_and_then.hpp"

int main(int argc, char** argv) {
  bench::condvar_pool pool(bench::threads(argc, argv));
  return bench::trickle([&](auto job) { pool.submit(job); });
}
