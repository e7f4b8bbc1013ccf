// A pool that is made before main, and before the library's own statics: they are in the same program, and the
// constructor here has the highest priority.
#include <dozer/dozer.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace {

long fib(int n) {
  if (n < 2) {
    return n;
  }
  const auto [a, b] = dozer::join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

struct early {
  early() : pool(2) {
    std::printf("installed %ld\n", pool.install([] { return fib(15); }));
    std::printf("submitted %ld\n", pool.submit([] { return fib(15); }).get());
    dozer::mutex lock;
    int sum = 0;
    pool.broadcast([&](dozer::broadcast_context) {
      const std::lock_guard hold(lock);
      ++sum;
    });
    std::printf("broadcast to %d\n", sum);
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      try {
        pool.install([] {});
      } catch (const std::runtime_error&) {
        std::printf("refused in the child, where the global pool says %ld\n", fib(15));
      }
      std::fflush(stdout);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    std::printf("child ended with %d\n", status);
  }
  dozer::thread_pool pool;
};
[[gnu::init_priority(101)]] early made_first;

}  // namespace

int main() {
  std::printf("main %ld\n", made_first.pool.install([] { return fib(15); }));
  return 0;
}
