// What a thread knows: of each location the oldest store that it may still read, and what happened before.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace verify {

using thread_id = std::uint8_t;
using thread_mask = std::uint16_t;

inline constexpr std::size_t max_threads = 8;
/// Locations that are written while threads run side by side; all others need no place in a view.
inline constexpr std::size_t max_slots = 96;

[[nodiscard]] constexpr thread_mask bit(thread_id who) noexcept { return static_cast<thread_mask>(1u << who); }

/// For each location an index into its stores.
struct view {
  std::uint8_t at[max_slots] = {};

  void join(const view& other) noexcept {
    for (std::size_t i = 0; i < max_slots; ++i) {
      at[i] = std::max(at[i], other.at[i]);
    }
  }
};

/// A vector clock: what happened before, for data races. (A sequentially consistent fence moves views, not clocks.)
struct clock {
  std::uint16_t of[max_threads] = {};

  void join(const clock& other) noexcept {
    for (std::size_t i = 0; i < max_threads; ++i) {
      of[i] = std::max(of[i], other.of[i]);
    }
  }
};

struct knowledge {
  view seen;
  clock before;

  void join(const knowledge& other) noexcept {
    seen.join(other.seen);
    before.join(other.before);
  }
};

/// Folds `x` into a hash.
[[nodiscard]] constexpr std::uint64_t fold(std::uint64_t hash, std::uint64_t x) noexcept {
  hash = (hash ^ x) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 29);
}

/// The hash of so many words of eight bytes. Four at a time, so that no multiplication waits for the one before.
[[nodiscard]] inline std::uint64_t hash_of_words(const void* from, std::size_t words, std::uint64_t seed) noexcept {
  const auto* p = static_cast<const unsigned char*>(from);
  std::uint64_t lanes[4] = {fold(seed, 1), fold(seed, 2), fold(seed, 3), fold(seed, 4)};
  std::uint64_t w[4];
  for (; words >= 4; words -= 4, p += sizeof w) {
    std::memcpy(w, p, sizeof w);
    for (std::size_t i = 0; i < 4; ++i) {
      lanes[i] = fold(lanes[i], w[i]);
    }
  }
  for (std::size_t i = 0; i < words; ++i, p += 8) {
    std::memcpy(w, p, 8);
    lanes[i] = fold(lanes[i], w[0]);
  }
  return fold(fold(fold(fold(seed, lanes[0]), lanes[1]), lanes[2]), lanes[3]);
}

}  // namespace verify
