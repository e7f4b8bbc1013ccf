#include "../futex_thread.hpp"
#include "../now_and_then.hpp"

int main(int argc, char** argv) {
  bench::threads(argc, argv);
  bench::futex_thread thread;
  return bench::trickle([&](auto job) { thread.submit(job); });
}
