// Sweeps of a five-point stencil over 4096 by 4096 floats. The border keeps its values.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "../harness.hpp"

inline constexpr std::size_t stencil_size = 4096;
inline constexpr int stencil_sweeps = 10;

/// Rows from `first` to before `last`, none of them at the border.
inline void stencil_rows(const float* from, float* to, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) {
    const float* const here = from + i * stencil_size;
    const float* const above = here - stencil_size;
    const float* const below = here + stencil_size;
    float* const out = to + i * stencil_size;
    for (std::size_t j = 1; j < stencil_size - 1; ++j) {
      out[j] = 0.5f * here[j] + 0.125f * ((above[j] + below[j]) + (here[j - 1] + here[j + 1]));
    }
  }
}

/// sweep(from, to). A grid that rises evenly stays as it is, and all of it is checked when the time has been taken. The
/// numbers are small, so sums are exact in every order.
template <class Sweep>
int measure_stencil(Sweep&& sweep) {
  std::vector<float> a(stencil_size * stencil_size);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<float>(i / stencil_size + 2 * (i % stencil_size));
  }
  const std::vector<float> expected = a;
  std::vector<float> b(a.size());
  for (std::size_t i = 0; i < stencil_size; ++i) {
    for (const std::size_t at : {i, a.size() - 1 - i, i * stencil_size, (i + 1) * stencil_size - 1}) {
      b[at] = a[at];
    }
  }
  const int code = bench::measure(1, [&] {
    for (int i = 0; i < stencil_sweeps; ++i) {
      sweep(a.data(), b.data());
      std::swap(a, b);
    }
    return 1;
  });
  if (a != expected || b != expected) {
    std::fprintf(stderr, "wrong\n");
    return 1;
  }
  return code;
}
