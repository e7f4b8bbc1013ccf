// Parallel loops of empty bodies, back to back, from outside the pool. Usage: PROGRAM THREADS BODIES.
#pragma once

#include "../harness.hpp"

inline constexpr int empty_regions = 100'000;

inline void empty_body(int i) { __asm__ __volatile__("" ::"r"(i)); }

inline int empty_bodies(int argc, char** argv) {
  const int given = argc == 3 ? std::atoi(argv[2]) : 0;
  if (given < 1) {
    std::fprintf(stderr, "usage: %s THREADS BODIES\n", argv[0]);
    std::exit(2);
  }
  return given;
}

template <class Region>
int measure_regions(Region&& region) {
  return bench::measure(empty_regions, [&] {
    for (int i = 0; i < empty_regions; ++i) {
      region();
    }
    return empty_regions;
  });
}
