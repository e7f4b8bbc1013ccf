// Waits through the locks of the standard library: callers_test builds this in several ways and looks where the report
// says that they were called from.
#include <dozer/future.hpp>
#include <dozer/spawn.hpp>
#include <dozer/sync.hpp>
#include <dozer/thread_pool.hpp>

#include <cstdio>
#include <mutex>

void by_lock_guard(dozer::mutex& m);
void by_unique_lock(dozer::mutex& m);
void by_scoped_lock(dozer::mutex& m);
void by_scoped_lock_of_two(dozer::mutex& m);

#if !defined(WITHOUT_LOCKS)
[[gnu::noinline]] void by_lock_guard(dozer::mutex& m) {
  const std::lock_guard hold(m);  // line of by_lock_guard
}
[[gnu::noinline]] void by_unique_lock(dozer::mutex& m) {
  const std::unique_lock hold(m);  // line of by_unique_lock
}
[[gnu::noinline]] void by_scoped_lock(dozer::mutex& m) {
  const std::scoped_lock hold(m);  // line of by_scoped_lock
}
[[gnu::noinline]] void by_scoped_lock_of_two(dozer::mutex& m) {
  dozer::mutex other;
  const std::scoped_lock hold(m, other);  // line of by_scoped_lock_of_two
}
#endif

#if !defined(WITHOUT_MAIN)
int main() {
  dozer::thread_pool pool({.threads = 1, .on_deadlock = [](const dozer::deadlock_report& report) {
                             std::printf("%s\n", report.to_json().c_str());
                             return dozer::deadlock_action::throw_error;
                           }});
  for (void (*const lock)(dozer::mutex&) : {&by_lock_guard, &by_unique_lock, &by_scoped_lock, &by_scoped_lock_of_two}) {
    auto done = pool.submit([lock] {
      dozer::mutex m;
      const dozer::mutex_guard hold(m);
      try {
        lock(m);  // it is held by this very thread
      } catch (const dozer::deadlock_error&) {
      }
    });
    done.get();
  }
}
#endif
