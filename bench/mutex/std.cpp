#include <mutex>
#include <thread>

#include "mutex.hpp"

int main() {
  std::mutex m;
  std::thread([] {}).join();  // so that the C library does not take the process for one with a single thread
  return bench::measure(locks, [&] { return lock_and_unlock(m); });
}
