// The sum of 10^8 doubles: bound by the memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../harness.hpp"

inline constexpr std::size_t sum_of = 100'000'000;

/// sum(data) of numbers whose sum is exact in every order.
template <class Sum>
int measure_sum(Sum&& sum) {
  std::vector<double> data(sum_of);
  for (std::size_t i = 0; i < sum_of; ++i) {
    data[i] = static_cast<double>(i % 8);
  }
  return bench::measure(sum_of / 8 * 28, [&] { return sum(data); });
}
