// Whether a small loop from outside a pool is likely to be over before anybody could be of help.
#pragma once

#include <dozer/detail/platform.hpp>

#include <cstdint>

namespace dozer::inline DOZER_PLATFORM::detail {

struct loop_kind;

/// A loop that takes less, in ticks, is over before anybody could be of help.
inline constexpr std::uint64_t alone_for = 3 * ticks_per_us;

/// Loops of one kind that a thread ran from outside the pool. If the last ones were all short, the next one begins
/// alone, so that nobody is woken for nothing. After a mistake it takes twice as many; that holds for the next kind in
/// the same place, too, so two kinds that take turns in one place cannot make the same mistake again and again.
class short_loops {
 public:
  /// About what it takes until a sleeper that was woken is of help.
  static constexpr std::uint64_t wake_up = 4 * alone_for;
  /// A loop that began alone and took that long has lost more than those before it have saved.
  static constexpr std::uint64_t mistake = 8 * wake_up;
  static constexpr std::uint32_t usual = 16;

  /// Whether a loop of this kind begins alone.
  [[nodiscard]] bool trusts(const loop_kind& kind) noexcept {
    if (of_ != &kind) {
      of_ = &kind;
      in_a_row_ = 0;
    }
    return in_a_row_ >= enough_;
  }
  /// A loop that began alone is over.
  void ran_alone(std::uint64_t took) noexcept {
    if (took < wake_up) {
      return;
    }
    in_a_row_ = 0;
    constexpr std::uint32_t most = 1u << 30;
    if (took >= mistake && enough_ < most) {
      enough_ *= 2;
    }
  }
  /// Another one is. `expected`: what it takes if each iteration is like the first one. How long it took would tell of
  /// wake-ups and thieves as well.
  void ran(std::uint64_t expected) noexcept {
    if (expected >= alone_for) {
      in_a_row_ = 0;
    } else if (in_a_row_ < enough_) {
      ++in_a_row_;
    }
  }

 private:
  const loop_kind* of_ = nullptr;
  std::uint32_t in_a_row_ = 0;
  std::uint32_t enough_ = usual;
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
