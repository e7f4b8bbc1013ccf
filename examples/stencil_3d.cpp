// Takes the noise out of a scan in three dimensions, as a scanner in a hospital makes it, and leaves its edges sharp:
// each cell moves towards its six neighbours, but hardly towards one that is very different (Perona and Malik).
// parallel_for_3d calls the body for each cell, tile by tile, so that the neighbours of a cell are in the cache.
#include <dozer/dozer.hpp>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <random>
#include <utility>
#include <vector>

#include "compare.hpp"

namespace {

constexpr std::size_t size = 96;
constexpr int sweeps = 2;
constexpr std::size_t row = size, plane = size * size;
using scan = std::vector<float>;

/// How far a cell moves towards a neighbour that differs by `d`.
float pull(float d) { return d * std::exp(-d * d / 100); }

/// A cell after a sweep. The outermost cells stay as they are: they have no six neighbours.
float smoothed(const float* from, std::size_t at) {
  const float here = from[at];
  const auto towards = [&](std::size_t neighbour) { return pull(from[neighbour] - here); };
  return here + 0.15f * (towards(at - plane) + towards(at + plane) + towards(at - row) + towards(at + row) +
                         towards(at - 1) + towards(at + 1));
}

void sweep_serially(const float* from, float* to) {
  for (std::size_t i = 1; i < size - 1; ++i) {
    for (std::size_t j = 1; j < size - 1; ++j) {
      for (std::size_t k = 1; k < size - 1; ++k) {
        const std::size_t at = i * plane + j * row + k;
        to[at] = smoothed(from, at);
      }
    }
  }
}

void sweep(const float* from, float* to) {
  dozer::parallel_for_3d(size - 2, size - 2, size - 2, [=](std::size_t i, std::size_t j, std::size_t k) {
    const std::size_t at = (i + 1) * plane + (j + 1) * row + k + 1;
    to[at] = smoothed(from, at);
  });
}

/// Dark below, bright above, and noise in both.
scan noisy() {
  scan s(size * plane);
  std::mt19937 chance(1);
  for (std::size_t at = 0; at < s.size(); ++at) {
    s[at] = (at < s.size() / 2 ? 50.0f : 150.0f) + static_cast<float>(chance() % 20);
  }
  return s;
}

template <class Sweep>
scan smooth(scan now, const Sweep& one_sweep) {
  scan next = now;
  for (int i = 0; i < sweeps; ++i) {
    one_sweep(now.data(), next.data());
    std::swap(now, next);
  }
  return now;
}

}  // namespace

int main() {
  const scan given = noisy();
  scan expected, result;
  std::printf("%zu x %zu x %zu floats, %d sweeps, %u threads\n", size, size, size, sweeps,
              dozer::current_num_threads());
  compare(
      "smoothing", [&] { expected = smooth(given, sweep_serially); }, [&] { result = smooth(given, sweep); });
  if (result != expected) {
    std::printf("The results differ.\n");
    return 1;
  }
  std::printf("The results are equal.\n");
}
