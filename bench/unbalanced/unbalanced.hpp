// A loop in which the cost of i grows with i.
#pragma once

#include <cstdint>

#include "../harness.hpp"

inline constexpr int unbalanced_count = 20'000;

inline void unbalanced_body(int i) {
  std::uint64_t x = 1;
  for (int k = 0; k < i; ++k) {
    x = x * 6364136223846793005u + 1;
    __asm__ __volatile__("" : "+r"(x));
  }
}
