// Heat spreads over a plate: each cell moves towards the mean of its four neighbours, again and again. The rows of a
// sweep do not depend on each other. parallel_for_blocks hands out blocks of rows, and the loop inside a row
// vectorises.
#include <dozer/dozer.hpp>

#include <cstddef>
#include <cstdio>
#include <utility>
#include <vector>

#include "compare.hpp"

namespace {

constexpr std::size_t size = 2048;
constexpr int sweeps = 10;
using plate = std::vector<float>;

/// One sweep over the rows from `first` to before `last`. The border keeps its temperature.
void sweep_rows(const float* from, float* to, std::size_t first, std::size_t last) {
  for (std::size_t row = first; row < last; ++row) {
    const float* const here = from + row * size;
    const float* const above = here - size;
    const float* const below = here + size;
    float* const out = to + row * size;
    for (std::size_t i = 1; i < size - 1; ++i) {
      out[i] = 0.5f * here[i] + 0.125f * (above[i] + below[i] + here[i - 1] + here[i + 1]);
    }
  }
}

/// A plate that is hot along its upper edge, now and after the next sweep.
struct state {
  plate now = plate(size * size), next = now;
  state() {
    for (std::size_t i = 0; i < size; ++i) {
      now[i] = next[i] = 100;
    }
  }
};

template <class Sweep>
void heat(state& s, const Sweep& sweep) {
  for (int i = 0; i < sweeps; ++i) {
    sweep(s.now.data(), s.next.data());
    std::swap(s.now, s.next);
  }
}

}  // namespace

int main() {
  state expected, result;
  std::printf("%zu x %zu floats, %d sweeps, %u threads\n", size, size, sweeps, dozer::current_num_threads());
  const auto serially = [](const float* from, float* to) { sweep_rows(from, to, 1, size - 1); };
  const auto in_parallel = [](const float* from, float* to) {
    dozer::parallel_for_blocks(std::size_t{1}, size - 1,
                               [=](std::size_t first, std::size_t last) { sweep_rows(from, to, first, last); });
  };
  compare(
      "stencil", [&] { heat(expected, serially); }, [&] { heat(result, in_parallel); });
  if (result.now != expected.now) {
    std::printf("The results differ.\n");
    return 1;
  }
  std::printf("The results are equal.\n");
}
