// A mistake: a spawner that is kept beyond its scope. Built without NDEBUG, whatever the library was built with.
#include <dozer/dozer.hpp>

#include <cstdio>

int main() {
  dozer::spawner* volatile kept = nullptr;
  dozer::scope([&](dozer::spawner& s) {
    kept = &s;
    s.spawn([](dozer::spawner& same) { same.spawn([] {}); });
  });
  std::printf("the scope has ended\n");
  std::fflush(stdout);
  kept->spawn([] {});
  std::printf("nothing was said\n");
}
