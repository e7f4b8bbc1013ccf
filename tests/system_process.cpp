// What a whole process meets from the system while pools run: a program with one scenario a name, run as `process` is.
// Each scenario changes its own process for good (a filter of system calls), so each needs one.
#include <dozer/detail/platform.hpp>
#include <dozer/detail/pool_core.hpp>
#include <dozer/dozer.hpp>

#include <linux/filter.h>
#include <linux/membarrier.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace detail = dozer::detail;

long fib(int n) {
  if (n < 2) {
    return n;
  }
  const auto [a, b] = dozer::join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

// ---- system calls that are refused from now on --------------------------------------------------------

void install(std::vector<sock_filter> program) {
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) != 0) {
    std::perror("seccomp");
    std::exit(2);
  }
}

/// In every thread.
void refuse(std::initializer_list<long> calls, int error) {
  std::vector<sock_filter> program{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const long call : calls) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 1));
    program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error)));
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  install(program);
}

/// The expedited membarrier only, as if there were no memory for it.
void refuse_expedited_membarrier() {
  install({BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
           BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 3),
           BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[0])),
           BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 1),
           BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOMEM), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)});
}

std::atomic<int> trapped{0};

/// In every thread: the call is counted, and refused with EPERM.
void count_and_refuse(long call) {
  struct sigaction counting {};
  counting.sa_flags = SA_SIGINFO;
  counting.sa_sigaction = [](int, siginfo_t*, void* raw) {
    trapped.fetch_add(1);
    auto& registers = static_cast<ucontext_t*>(raw)->uc_mcontext;
#if defined(__x86_64__)
    registers.gregs[REG_RAX] = -EPERM;
#elif defined(__aarch64__)
    registers.regs[0] = static_cast<std::uint64_t>(-EPERM);
#else
#error "which register holds the result of a system call?"
#endif
  };
  sigaction(SIGSYS, &counting, nullptr);
  install({BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
           BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 1),
           BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)});
}

// ---- a process fence that stops working ---------------------------------------------------------------

std::uint64_t visits() {
  return detail::hooks.fences_by_visiting.load(detail::relaxed);  // relaxed: a count
}

cpu_set_t affinity() {
  cpu_set_t now;
  CPU_ZERO(&now);
  sched_getaffinity(0, sizeof now, &now);
  return now;
}

/// Forks, loops, scopes, futures and broadcasts, by workers and by guests, with sleeps in between; until a worker has
/// fallen asleep beside a guest that runs, which takes a process fence.
void use(dozer::thread_pool& pool) {
  long forked = 0, looped = 0, submitted = 0;
  std::atomic<int> spawned{0};
  for (int i = 0; i < 20; ++i) {
    forked += pool.install([] { return fib(12); });
    submitted += pool.submit([] { return fib(10); }).get();
    std::atomic<long> sum{0};
    pool.install([&] {
      dozer::parallel_for(0, 100, [&](int k) { sum += k; });
      dozer::scope([&](dozer::spawner& s) {
        for (int k = 0; k < 10; ++k) {
          s.spawn([&] { ++spawned; });
          usleep(10);
        }
      });
    });
    looped += sum;
    pool.broadcast([](dozer::broadcast_context) { usleep(100); });
  }
  std::printf("forked %ld, looped %ld, spawned %d, submitted %ld\n", forked, looped, spawned.load(), submitted);
}

/// A private job behind a long one is exposed by a searcher, which takes a process fence.
void be_stolen_from(dozer::thread_pool& pool) {
  std::atomic<bool> stolen{false};
  pool.install([&] {
    dozer::join(
        [&] {
          while (!stolen) std::this_thread::yield();
        },
        [&] { stolen = true; });
  });
}

void heavy_work_after(void (*refusing)()) {
  dozer::thread_pool pool(2);
  std::printf("before %ld\n", pool.install([] { return fib(15); }));
  refusing();
  const cpu_set_t before = affinity();
  use(pool);
  const std::uint64_t fences = pool.stats().total.heavy_fences;
  while (pool.stats().total.heavy_fences == fences) {
    be_stolen_from(pool);
  }
  const cpu_set_t after = affinity();
  std::printf("a guest may run where it could: %d\n", CPU_EQUAL(&before, &after));
  dozer::thread_pool fresh(2);
  std::printf("a new pool %ld\n", fresh.install([] { return fib(15); }));
}

void membarrier_forbidden() {
  heavy_work_after([] { refuse({SYS_membarrier}, EPERM); });
  std::printf("fences by visiting: %d\n", visits() > 0);
}

void membarrier_without_memory() {
  heavy_work_after([] { refuse({SYS_membarrier}, ENOMEM); });
  std::printf("fences by visiting: %d\n", visits() > 0);
}

void membarrier_expedited_without_memory() {
  heavy_work_after([] { refuse_expedited_membarrier(); });
  std::printf("fences by visiting: %d\n", visits() > 0);
}

void membarrier_and_affinity_forbidden() {
  std::thread([] {
    dozer::thread_pool pool(2);
    refuse({SYS_membarrier, SYS_sched_setaffinity}, EPERM);
    for (;;) {
      be_stolen_from(pool);
    }
  }).join();
}

// ---- what the fence is for ------------------------------------------------------------------------------

struct alignas(128) cell {
  detail::atomic<int> value{0};
};

/// The store buffer litmus test, one side with a light fence and the other with the process's. On the light side stores
/// to lines in no cache stand before the one that matters, so that it stays in the store buffer for longer than a
/// refused system call takes: a fence that does nothing shows the forbidden outcome (25 times and more). Each thread is
/// pinned to a processor of its own, if there are two: the one that fences has to leave its own.
void membarrier_forbidden_litmus() {
  constexpr std::size_t rounds = 20'000, slow_stores = 40, page = 4096;
  std::vector<cell> x(rounds), y(rounds);
  std::vector<char> nowhere_near(std::size_t{64} << 20);
  std::vector<int> light(rounds, 1), heavy(rounds, 1);
  std::vector<std::atomic<int>> ready(rounds);
  const auto meet = [&](std::size_t i) {
    ready[i].fetch_add(1);
    for (int spins = 0; ready[i].load() != 2; ++spins) {
      if (spins > 1000) {
        std::this_thread::yield();
      }
    }
  };
  const auto pin_to = [](int nth) {
    cpu_set_t all = affinity(), one;
    CPU_ZERO(&one);
    for (int c = 0, seen = 0; c < CPU_SETSIZE; ++c) {
      if (CPU_ISSET(c, &all) && seen++ == nth % CPU_COUNT(&all)) {
        CPU_SET(c, &one);
      }
    }
    sched_setaffinity(0, sizeof one, &one);
    return one;
  };
  if (!detail::fence_process_available()) {
    std::exit(2);
  }
  std::atomic<std::size_t> enough{rounds};
  std::thread other([&] {
    pin_to(1);
    for (std::size_t i = 0; i < rounds; ++i) {
      meet(i);
      if (i == enough) {
        return;
      }
      for (std::size_t k = 0; k < slow_stores; ++k) {
        const std::size_t line = (i * slow_stores + k) * (page + 64) * 7;
        static_cast<volatile char&>(nowhere_near[line % nowhere_near.size()]) = 1;
      }
      x[i].value.store(1, detail::relaxed);
      detail::fence_light();
      light[i] = y[i].value.load(detail::relaxed);
    }
  });
  refuse({SYS_membarrier}, EPERM);
  const cpu_set_t mine = pin_to(0);
  const auto begun = std::chrono::steady_clock::now();
  std::size_t done = 0;
  for (std::size_t i = 0; i < rounds; ++i, ++done) {
    if (i >= 500 && std::chrono::steady_clock::now() - begun > std::chrono::seconds(20)) {
      enough = i;  // on a busy machine a round takes milliseconds: then fewer must do
    }
    meet(i);
    if (i == enough) {
      break;
    }
    y[i].value.store(1, detail::relaxed);
    detail::fence_process();
    heavy[i] = x[i].value.load(detail::relaxed);
  }
  other.join();
  int forbidden = 0;
  for (std::size_t i = 0; i < rounds; ++i) {
    forbidden += light[i] == 0 && heavy[i] == 0;
  }
  const cpu_set_t after = affinity();
  std::printf("forbidden outcomes: %d\n", forbidden);
  std::printf("every fence by visiting: %d\n", visits() == done);
  std::printf("pinned where it was: %d\n", CPU_EQUAL(&mine, &after));
}

// ---- an affinity that must not be changed -----------------------------------------------------------------

/// Workers come up beside their wakers, and would shun that processor in their next sleeps. Each may find out once that
/// the system refuses it.
void affinity_forbidden() {
  dozer::thread_pool pool(2);
  detail::hooks.processor.store(sched_getcpu(), detail::relaxed);  // relaxed: before the workers wake
  count_and_refuse(SYS_sched_setaffinity);
  for (int i = 0; i < 50; ++i) {
    while (pool.stats().asleep != 2) {
      usleep(100);
    }
    be_stolen_from(pool);
  }
  const cpu_set_t mask = affinity();
  const int attempts = trapped.load();
  std::printf("tried and remembered: %d\n", CPU_COUNT(&mask) < 2 ? attempts == 0 : attempts == 1 || attempts == 2);
}

void pinning_forbidden() {
  refuse({SYS_sched_setaffinity}, EPERM);
  dozer::thread_pool pool({.threads = 2, .pin = dozer::pinning::compact});
  std::printf("forked %ld\n", pool.submit([] { return fib(15); }).get());
  pool.broadcast([](dozer::broadcast_context) {});
  std::printf("pinned to %d and %d\n", pool.stats().members[0].pinned_to, pool.stats().members[1].pinned_to);
}

// ---- threads that the library starts later ----------------------------------------------------------------

struct traits {
  bool blocks_usr1, blocks_usr2;
  int policy, nice, processors;

  static traits of_this_thread() {
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    const cpu_set_t where = affinity();
    return {sigismember(&mask, SIGUSR1) == 1, sigismember(&mask, SIGUSR2) == 1, sched_getscheduler(0),
            getpriority(PRIO_PROCESS, 0), CPU_COUNT(&where)};
  }
  bool operator==(const traits&) const = default;
};

void block(int number) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

/// A guest that differs from the workers in everything is the one that needs a spare worker, and then the reporter.
void later_threads_are_like_workers() {
  block(SIGUSR1);
  dozer::event never(dozer::wait_kind::pool, "never");
  traits reporter{};
  dozer::thread_pool pool({.threads = 1, .on_deadlock = [&](const dozer::deadlock_report&) {
                             reporter = traits::of_this_thread();
                             return dozer::deadlock_action::throw_error;
                           }});
  const traits worker = pool.submit([] { return traits::of_this_thread(); }).get();
  traits spare{}, guest{};
  std::atomic<bool> guest_blocks{false}, spare_ran{false};
  std::thread outsider([&] {
    block(SIGUSR2);
    const sched_param none{};
    sched_setscheduler(0, SCHED_BATCH, &none);
    setpriority(PRIO_PROCESS, 0, 1);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    guest = traits::of_this_thread();
    while (pool.stats().asleep != 1) {
      usleep(100);  // so that the guest sits in the worker's seat
    }
    pool.install([&] {
      dozer::blocking([&] {
        guest_blocks = true;
        while (!spare_ran) {
          usleep(100);
        }
      });
      while (dozer::detail::core_of(pool).seats.seated() != 1) {
        usleep(100);  // until the spare has left its seat
      }
      usleep(100'000);  // and is idle: so the guest is the last to rest, and starts the reporter
      try {
        never.wait();
      } catch (const dozer::deadlock_error&) {
      }
    });
  });
  while (!guest_blocks) {
    usleep(100);
  }
  spare = pool.submit([] { return traits::of_this_thread(); }).get();
  spare_ran = true;
  outsider.join();
  std::printf("guest differs: %d\n", !(guest == worker));
  std::printf("spare is like a worker: %d\n", spare == worker);
  std::printf("reporter is like a worker: %d\n", reporter == worker);
}

const std::map<std::string, void (*)()> scenarios{
    {"later_threads_are_like_workers", later_threads_are_like_workers},
    {"affinity_forbidden", affinity_forbidden},
    {"pinning_forbidden", pinning_forbidden},
    {"membarrier_forbidden", membarrier_forbidden},
    {"membarrier_without_memory", membarrier_without_memory},
    {"membarrier_expedited_without_memory", membarrier_expedited_without_memory},
    {"membarrier_and_affinity_forbidden", membarrier_and_affinity_forbidden},
    {"membarrier_forbidden_litmus", membarrier_forbidden_litmus},
};

}  // namespace

int main(int argc, char** argv) {
  const auto found = argc == 2 ? scenarios.find(argv[1]) : scenarios.end();
  if (found == scenarios.end()) {
    std::fprintf(stderr, "usage: system_process SCENARIO, one of:\n");
    for (const auto& [name, run] : scenarios) {
      std::fprintf(stderr, "  %s\n", name.c_str());
    }
    return 2;
  }
  found->second();
  return 0;
}
