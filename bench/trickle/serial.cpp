#include "../now_and_then.hpp"

int main(int argc, char** argv) {
  bench::threads(argc, argv);
  return bench::trickle([](auto job) { job(); });
}
