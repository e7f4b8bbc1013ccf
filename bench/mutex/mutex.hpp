// One thread locks and unlocks, and nobody else wants to.
#pragma once

#include <cstdint>

#include "../harness.hpp"

inline constexpr std::uint64_t locks = 10'000'000;

template <class Mutex>
std::uint64_t lock_and_unlock(Mutex& m) {
  volatile std::uint64_t counter = 0;
  for (std::uint64_t i = 0; i < locks; ++i) {
    m.lock();
    counter = counter + 1;
    m.unlock();
  }
  return counter;
}
