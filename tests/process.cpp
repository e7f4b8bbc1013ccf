// What happens to a whole process: a program with one scenario a name, run by process_tests.cmake, which knows what
// each must print and how it must end.
#include <dozer/dozer.hpp>

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

long fib(int n) {
  if (n < 2) {
    return n;
  }
  const auto [a, b] = dozer::join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

/// Runs `body` in a child and says how it ended.
template <class Body>
void in_child(Body body) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    body();
    std::fflush(stdout);
    std::exit(0);  // as a program does: with destructors and exit handlers
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status)) {
    std::printf("child exited %d\n", WEXITSTATUS(status));
  } else {
    std::printf("child was killed by signal %d\n", WTERMSIG(status));
  }
}

void fork_with_a_global_pool() {
  std::printf("parent %ld\n", fib(15));
  in_child([] { std::printf("child %ld\n", fib(15)); });
  std::printf("parent again %ld\n", fib(15));
}

/// In the parent everybody waits for the holder of the token. That the child lets go of its copy is nobody's deadlock;
/// one of its own is.
void fork_with_a_token() {
  dozer::event happened(dozer::wait_kind::pool, "happened");
  dozer::thread_pool pool(1);
  dozer::external_token token;
  pool.spawn([&] { happened.wait(); });
  while (pool.stats().members[0].state != dozer::activity::blocked) {
  }
  in_child([&] {
    token.drop();
    usleep(50'000);
    dozer::thread_pool own({.threads = 1, .on_deadlock = [](const dozer::deadlock_report& r) {
                              std::printf("child: %s\n", r.summary.c_str());
                              return dozer::deadlock_action::throw_error;
                            }});
    dozer::event never(dozer::wait_kind::pool, "never");
    try {
      own.submit([&] { never.wait(); }).get();
    } catch (const dozer::deadlock_error&) {
      std::printf("child goes on\n");
    }
  });
  pool.spawn([&] { happened.set(); });
  token.drop();
}

/// The thread that forks still holds what it held: pthread_atfork handlers rely on that.
void fork_with_a_lock() {
  dozer::mutex m("m");
  m.lock();
  in_child([&] {
    m.unlock();
    m.lock();
    std::printf("child locks %d\n", !m.try_lock());
    dozer::thread_pool pool(1);
    pool.install([&] { m.unlock(); });
    std::printf("child unlocks %d\n", pool.submit([&] { return m.try_lock(); }).get());
  });
  m.unlock();
}

void fork_while_the_global_pool_is_busy() {
  static std::atomic<bool> stop{false};  // the jobs may still look at it when this has returned
  for (int i = 0; i < 4; ++i) {
    dozer::spawn([] {
      while (!stop) {
        fib(10);
      }
    });
  }
  for (int i = 0; i < 20; ++i) {
    in_child([] { std::printf("child %ld\n", fib(12)); });
  }
  stop = true;
}

void fork_and_fork_again() {
  std::printf("parent %ld\n", fib(10));
  in_child([] {
    std::printf("child %ld\n", fib(11));
    in_child([] { std::printf("grandchild %ld\n", fib(12)); });
  });
}

void fork_with_a_pool_of_ones_own() {
  auto pool = std::make_unique<dozer::thread_pool>(2);
  std::printf("parent %ld\n", pool->install([] { return fib(12); }));
  auto finished = pool->submit([] { return 1; });
  finished.wait();
  static std::atomic<bool> stop{false};
  auto unfinished = pool->submit([] {
    while (!stop) std::this_thread::yield();
  });
  in_child([&] {
    const auto refused = [](const char* what, const std::function<void()>& use) {
      try {
        use();
        std::printf("child: %s worked\n", what);
      } catch (const std::runtime_error&) {
        std::printf("child: %s refused\n", what);
      }
    };
    refused("install", [&] { pool->install([] {}); });
    refused("spawn", [&] { pool->spawn([] {}); });
    refused("submit", [&] { static_cast<void>(pool->submit([] {})); });
    refused("get of an unfinished future", [&] { unfinished.get(); });
    refused("then", [&] { static_cast<void>(finished.then([](int x) { return x; })); });
    refused("get of a finished future", [&] { finished.get(); });
    refused("broadcast", [&] { pool->broadcast([](dozer::broadcast_context) {}); });
    pool.reset();
    std::printf("child destroyed it\n");
    dozer::thread_pool fresh(2);
    std::printf("child %ld\n", fresh.install([] { return fib(12); }));
  });
  stop = true;
  unfinished.get();
  std::printf("parent again %ld\n", pool->install([] { return fib(12); }));
}

void fork_inside_a_job() {
  dozer::thread_pool pool(2);
  pool.submit([] {
        in_child([] {
          std::printf("child is in a pool: %d\n", dozer::current_thread_index().has_value());
          std::printf("child %ld\n", fib(12));
        });
      })
      .get();
  std::printf("parent %ld\n", pool.install([] { return fib(12); }));
}

void fork_inside_a_job_and_go_back() {
  dozer::thread_pool pool(1);
  pid_t child = 0;
  pool.submit([&] { child = fork(); }).get();  // the child's worker returns from the job, into a pool it does not have
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("child was killed by signal %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

void fork_inside_a_join_and_go_back() {
  dozer::thread_pool pool(1);
  pid_t child = 0;
  pool.install([&] { dozer::join([&] { child = fork(); }, [] {}); });
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("child was killed by signal %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

void fork_inside_a_guest() {
  dozer::thread_pool pool(2);
  pool.install(
      [] { in_child([] { std::printf("child is in a pool: %d\n", dozer::current_thread_index().has_value()); }); });
  std::printf("parent %ld\n", pool.install([] { return fib(12); }));
}

/// The loop begins alone, so its thread has no seat yet when it forks. In the child it goes on by itself, and what it
/// forks goes to the child's pool.
void fork_inside_a_loop() {
  dozer::parallel_for(0, 200, [](int) {});  // makes the pool
  int rest = 0;
  bool in_child_now = false;
  pid_t child = 0;
  dozer::parallel_for(0, 200, [&](int i) {
    if (i == 0) {
      std::fflush(stdout);
      child = fork();
      in_child_now = child == 0;
    } else if (i == 199 && in_child_now) {
      rest = static_cast<int>(fib(10));
    }
  });
  if (in_child_now) {
    std::printf("child %d %ld\n", rest, fib(15));
    std::fflush(stdout);
    std::exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("child exited %d\nparent %ld\n", WEXITSTATUS(status), fib(12));
}

/// No thread can be started for the reporter. It is tried again, and as long as that may still succeed the handler is
/// not called by a victim. In the end the last victim calls it, as a thread of no pool.
void deadlock_without_a_thread() {
  dozer::event never(dozer::wait_kind::pool, "never");
  dozer::thread_pool pool(
      {.threads = 2, .on_deadlock = [&](const dozer::deadlock_report& report) {
         char name[16] = {};
         pthread_getname_np(pthread_self(), name, sizeof name);
         std::printf("%s: %s, in a pool: %d\n", std::strcmp(name, "dozer-reporter") == 0 ? "the reporter" : "a victim",
                     report.summary.substr(0, 8).c_str(), dozer::current_thread_index().has_value());
         return dozer::deadlock_action::throw_error;
       }});
  const auto get_stuck = [&] {
    try {
      pool.submit([&] { never.wait(); }).get();
    } catch (const dozer::deadlock_error&) {
      std::printf("it goes on\n");
    }
  };
  dozer::detail::test_hooks& hooks = dozer::detail::hooks;
  hooks.threads_until_failure.store(0, std::memory_order_relaxed);
  get_stuck();
  get_stuck();
  hooks.thread_failures.store(3, std::memory_order_relaxed);
  get_stuck();
}

void exit_with_jobs_running() {
  static std::atomic<bool> never{false};
  for (int i = 0; i < 4; ++i) {
    dozer::spawn([] {
      while (!never) std::this_thread::yield();
    });
  }
  std::printf("main returns\n");
}

void exit_from_a_worker() {
  dozer::spawn([] {
    std::printf("a worker exits\n");
    std::exit(3);
  });
  for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
}

struct static_user {
  ~static_user() { std::printf("a static's destructor forks: %ld\n", fib(10)); }
};

void use_after_main() {
  static static_user user;
  std::printf("main returns %ld\n", fib(10));
}

void configure_twice() {
  std::printf("first %d\n", dozer::configure_global_pool({.threads = 3}));
  std::printf("threads %u\n", dozer::current_num_threads());
  std::printf("second %d\n", dozer::configure_global_pool({.threads = 5}));
  std::printf("threads %u\n", dozer::global_pool().threads());
}

void configure_too_late() {
  std::printf("threads %d\n", dozer::global_pool().threads() > 0);
  std::printf("late %d\n", dozer::configure_global_pool({.threads = 3}));
}

void configure_wrong() {
  try {
    static_cast<void>(dozer::configure_global_pool({.threads = 70000}));
  } catch (const std::invalid_argument& e) {
    std::printf("%s\n", e.what());
  }
  std::printf("then right %d\n", dozer::configure_global_pool({.threads = 2}));
}

void default_size() {
  std::printf("threads %u\n", dozer::current_num_threads());
  std::printf("again %u\n", dozer::thread_pool().threads());
  std::printf("asked %u\n", dozer::thread_pool(3).threads());
}

const std::map<std::string, void (*)()> scenarios{
    {"fork_with_a_global_pool", fork_with_a_global_pool},
    {"fork_while_the_global_pool_is_busy", fork_while_the_global_pool_is_busy},
    {"fork_with_a_token", fork_with_a_token},
    {"fork_with_a_lock", fork_with_a_lock},
    {"fork_and_fork_again", fork_and_fork_again},
    {"fork_with_a_pool_of_ones_own", fork_with_a_pool_of_ones_own},
    {"fork_inside_a_job", fork_inside_a_job},
    {"fork_inside_a_job_and_go_back", fork_inside_a_job_and_go_back},
    {"fork_inside_a_join_and_go_back", fork_inside_a_join_and_go_back},
    {"fork_inside_a_guest", fork_inside_a_guest},
    {"fork_inside_a_loop", fork_inside_a_loop},
    {"deadlock_without_a_thread", deadlock_without_a_thread},
    {"exit_with_jobs_running", exit_with_jobs_running},
    {"exit_from_a_worker", exit_from_a_worker},
    {"use_after_main", use_after_main},
    {"configure_twice", configure_twice},
    {"configure_too_late", configure_too_late},
    {"configure_wrong", configure_wrong},
    {"default_size", default_size},
};

}  // namespace

int main(int argc, char** argv) {
  const auto found = argc == 2 ? scenarios.find(argv[1]) : scenarios.end();
  if (found == scenarios.end()) {
    std::fprintf(stderr, "usage: process SCENARIO, one of:\n");
    for (const auto& [name, run] : scenarios) {
      std::fprintf(stderr, "  %s\n", name.c_str());
    }
    return 2;
  }
  found->second();
  return 0;
}
