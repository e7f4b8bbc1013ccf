#include "compare.hpp"

#include <dozer/dozer.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>
#include <vector>

namespace tour {

namespace {

constexpr std::size_t least_rounds = 5, most_rounds = 25;
constexpr double enough_ms = 400;  // of measured time; /proc/stat counts in steps of 10 ms

double thread_cpu_milliseconds() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return 1e3 * static_cast<double>(used.tv_sec) + 1e-6 * static_cast<double>(used.tv_nsec);
}

double median(std::vector<double> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

/// What all programs together have used of the processors, from /proc/stat.
struct machine_use {
  double busy_ms = 0;
  unsigned processors = 0;

  static machine_use now() {
    machine_use use;
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/proc/stat", "r"), &std::fclose);
    char line[512];
    while (file && std::fgets(line, sizeof line, file.get()) != nullptr && std::strncmp(line, "cpu", 3) == 0) {
      if (line[3] != ' ') {
        ++use.processors;
        continue;
      }
      // user, nice, system, idle, waiting for devices, interrupts, soft interrupts, taken by the host
      std::array<unsigned long long, 8> t{};
      std::sscanf(line + 4, "%llu %llu %llu %llu %llu %llu %llu %llu", &t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6],
                  &t[7]);
      use.busy_ms = 10 * static_cast<double>(t[0] + t[1] + t[2] + t[5] + t[6] + t[7]);
    }
    return use;
  }
};

/// Watches for others that use the processors while times are taken.
class load_watch {
 public:
  /// `serial_ms` and `serial_cpu_ms`: what the serial runs took, and what their thread has run of that.
  void say_if_busy(double serial_ms, double serial_cpu_ms) const {
    const machine_use end = machine_use::now();
    const double wall = milliseconds_since(start_);
    const double others = (end.busy_ms - begin_.busy_ms - (cpu_milliseconds() - own_ms_)) / wall;
    const double spare = static_cast<double>(end.processors) - dozer::current_num_threads();
    const bool in_the_way = end.processors != 0 && others > std::max(spare, 0.0) + 0.15;
    const double waited = 100 * (1 - serial_cpu_ms / serial_ms);
    if (in_the_way || waited > 5) {
      std::printf(
          "    busy machine: other programs used %.1f processors, and serial runs waited %.0f %% of their time."
          " Run it again.\n",
          std::max(others, 0.0), std::max(waited, 0.0));
    }
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double own_ms_ = cpu_milliseconds();
  machine_use begin_ = machine_use::now();
};

}  // namespace

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

double cpu_milliseconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto ms = [](const timeval& t) {
    return 1e3 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_usec);
  };
  return ms(used.ru_utime) + ms(used.ru_stime);
}

void explain_comparisons() {
  std::printf(
      "Times are medians of %zu runs or more, in turns, after one that does not count. \"serial\" has no Dozer in it:\n"
      "the same code with calls in place of forks, or std::. \"1 thread\" is Dozer's code in a pool of one.\n",
      least_rounds);
}

void compare(const char* what, const std::function<void()>& serial, const std::function<void()>& parallel,
             const std::function<void()>& prepare) {
  static dozer::thread_pool one({.threads = 1, .extra_guests = 0});
  const std::array<std::function<void()>, 3> ways{serial, [&] { one.install(parallel); }, parallel};
  std::array<std::vector<double>, 3> times;
  for (const auto& way : ways) {
    prepare();
    way();
  }
  double measured = 0, serial_ms = 0, serial_cpu_ms = 0;
  const load_watch watch;
  for (std::size_t round = 0; round < least_rounds || (round < most_rounds && measured < enough_ms); ++round) {
    for (std::size_t k = 0; k < ways.size(); ++k) {
      const std::size_t way = (round + k) % ways.size();  // each comes first, second and last
      prepare();
      const double cpu = thread_cpu_milliseconds();
      const auto start = std::chrono::steady_clock::now();
      ways[way]();
      times[way].push_back(milliseconds_since(start));
      measured += times[way].back();
      if (way == 0) {
        serial_ms += times[way].back();
        serial_cpu_ms += thread_cpu_milliseconds() - cpu;
      }
    }
  }
  const double s = median(times[0]), p = median(times[2]);
  std::printf("  %-38s serial %7.2f ms   1 thread %7.2f ms   %u threads %7.2f ms   %.2f x\n", what, s, median(times[1]),
              dozer::current_num_threads(), p, s / p);
  watch.say_if_busy(serial_ms, serial_cpu_ms);
}

}  // namespace tour
