// Times serial code and its parallel twin in turn, and prints the medians.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <vector>

/// The number of threads that run now on this machine, or 0 if /proc does not tell.
inline int running_threads() {
  int running = 0;
  if (std::FILE* const file = std::fopen("/proc/loadavg", "r")) {
    if (std::fscanf(file, "%*f %*f %*f %d", &running) != 1) {
      running = 0;
    }
    std::fclose(file);
  }
  return running;
}

template <class F>
double milliseconds_of(F&& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// Runs both once to warm up, then in turn. Other programs can make either of them slow, so a line says if there are
/// any.
template <class Serial, class Parallel>
void compare(const char* what, Serial&& serial, Parallel&& parallel) {
  constexpr std::size_t rounds = 7;
  std::vector<double> s, p;
  int busy_rounds = 0;
  serial();
  parallel();
  for (std::size_t i = 0; i < rounds; ++i) {
    s.push_back(milliseconds_of(serial));
    busy_rounds += running_threads() > 1 ? 1 : 0;
    p.push_back(milliseconds_of(parallel));
  }
  std::sort(s.begin(), s.end());
  std::sort(p.begin(), p.end());
  const double a = s[rounds / 2], b = p[rounds / 2];
  std::printf("%s: serial %.1f ms, dozer %.1f ms, %.2f times as fast\n", what, a, b, a / b);
  if (busy_rounds > 1) {
    std::printf("The machine is busy: other programs ran in %d of %zu rounds, so these times say little.\n",
                busy_rounds, rounds);
  }
}
