// A plug-in that uses Dozer and has much thread-local data of its own.
#include "plugin.hpp"

#include <dozer/dozer.hpp>

#include <atomic>
#include <cstddef>

#define EXPORTED extern "C" [[gnu::visibility("default")]]

namespace {

constexpr std::size_t bytes = std::size_t{64} * 1024;
thread_local unsigned char data[bytes];

long fib(int n) {
  if (n < 2) {
    return n;
  }
  const auto [a, b] = dozer::join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

}  // namespace

EXPORTED int plugin_uses_its_data() {
  for (std::size_t i = 0; i < bytes; i += 64) {
    ++data[i];
  }
  return data[bytes - 64] == 1 && data[bytes - 1] == 0;
}

EXPORTED long plugin_fib(int n) { return fib(n); }

EXPORTED long plugin_fib_in_a_pool_of_its_own(int n) {
  dozer::thread_pool pool({.threads = 2});
  return pool.submit([n] { return fib(n); }).get();
}

EXPORTED long plugin_fib_alone(int n) {
  dozer::thread_pool pool({.threads = 1});
  return pool.install([n] { return fib(n); });
}

EXPORTED int plugin_is_in_a_pool() { return dozer::current_thread_index().has_value() ? 1 : 0; }

EXPORTED void plugin_install(void (*f)()) { dozer::global_pool().install(f); }

EXPORTED void plugin_leaves_jobs_behind() {
  static std::atomic<bool> begun{false};
  for (int i = 0; i < 4; ++i) {
    dozer::spawn([] {
      begun = true;
      for (;;) {
        fib(10);
      }
    });
  }
  while (!begun) {
  }
}

EXPORTED const void* plugin_global_pool() { return &dozer::global_pool(); }
