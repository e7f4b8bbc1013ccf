#include "../condvar_pool.hpp"
#include "../now_and_then.hpp"

int main(int argc, char** argv) {
  bench::condvar_pool pool(bench::threads(argc, argv));
  return bench::idle([&](auto job) { pool.for_each(bench::tick_jobs, [&](int) { job(); }); });
}
