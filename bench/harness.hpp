// What all benchmarks share: arguments, the clock, and a line of JSON that ./run reads.
#pragma once

#include <sys/resource.h>
#include <time.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace bench {

inline std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

/// What the process has used since it began.
struct usage {
  std::uint64_t cpu_ns, switches;

  static usage now() {
    rusage r{};
    getrusage(RUSAGE_SELF, &r);
    timespec cpu{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
    return {static_cast<std::uint64_t>(cpu.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(cpu.tv_nsec),
            static_cast<std::uint64_t>(r.ru_nvcsw + r.ru_nivcsw)};
  }
  /// Not getrusage's, which begins with what the parent had.
  static std::uint64_t peak() {
    unsigned long long kib = 0;
    if (std::FILE* const status = std::fopen("/proc/self/status", "r")) {
      char line[256];
      while (std::fgets(line, sizeof line, status) != nullptr && std::sscanf(line, "VmHWM: %llu", &kib) != 1) {
      }
      std::fclose(status);
    }
    return kib;
  }
};

/// `ns` is what is compared, `second_ns` a figure beside it, if there is one.
inline void print(std::uint64_t ns, std::uint64_t second_ns, std::uint64_t cpu_ns, std::uint64_t switches) {
  std::printf("{\"ns\": %llu, \"second_ns\": %llu, \"cpu_ns\": %llu, \"switches\": %llu, \"peak_kib\": %llu}\n",
              static_cast<unsigned long long>(ns), static_cast<unsigned long long>(second_ns),
              static_cast<unsigned long long>(cpu_ns), static_cast<unsigned long long>(switches),
              static_cast<unsigned long long>(usage::peak()));
}

/// `prepare` and then `work` are called twice, and the second call of `work` counts; both must give `expected`.
template <class Prepare, class Work>
int measure(std::uint64_t expected, Prepare&& prepare, Work&& work) {
  for (int round = 0; round < 2; ++round) {
    prepare();
    const usage before = usage::now();
    const std::uint64_t start = now_ns();
    const auto result = static_cast<std::uint64_t>(work());
    const std::uint64_t end = now_ns();
    const usage after = usage::now();
    if (result != expected) {
      std::fprintf(stderr, "wrong: %llu in place of %llu\n", static_cast<unsigned long long>(result),
                   static_cast<unsigned long long>(expected));
      return 1;
    }
    if (round == 1) {
      print(end - start, 0, after.cpu_ns - before.cpu_ns, after.switches - before.switches);
    }
  }
  return 0;
}
template <class Work>
int measure(std::uint64_t expected, Work&& work) {
  return measure(
      expected, [] {}, work);
}

/// The number of threads, from the command line. (A workload may want another number after it.)
inline unsigned threads(int argc, char** argv) {
  const int given = argc >= 2 ? std::atoi(argv[1]) : 0;
  if (given < 1) {
    std::fprintf(stderr, "usage: %s THREADS\n", argv[0]);
    std::exit(2);
  }
  return static_cast<unsigned>(given);
}

}  // namespace bench
