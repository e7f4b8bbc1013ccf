#include "../now_and_then.hpp"

int main(int argc, char** argv) {
  bench::threads(argc, argv);
  return bench::tick([](auto job) {
    for (int i = 0; i < bench::tick_jobs; ++i) {
      job();
    }
  });
}
