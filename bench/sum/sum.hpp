// The sum of 10^8 doubles: bound by the memory.
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

#include "../harness.hpp"

inline constexpr std::size_t sum_of = 100'000'000;

/// Without an order, so that it is vectorised.
inline double sum_of_part(const double* from, std::size_t count) {
  constexpr std::size_t lanes = 16;
  double in_lane[lanes] = {};
  const double* const end = from + count;
  for (; from + lanes <= end; from += lanes) {
    for (std::size_t i = 0; i < lanes; ++i) {
      in_lane[i] += from[i];
    }
  }
  return std::accumulate(from, end, std::accumulate(in_lane, in_lane + lanes, 0.0));
}

/// sum(data) of numbers whose sum is exact in every order.
template <class Sum>
int measure_sum(Sum&& sum) {
  std::vector<double> data(sum_of);
  for (std::size_t i = 0; i < sum_of; ++i) {
    data[i] = static_cast<double>(i % 8);
  }
  return bench::measure(sum_of / 8 * 28, [&] { return sum(data); });
}
