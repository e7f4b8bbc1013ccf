// What comparisons cost, and what of a sort is worth a fork at that cost.
#pragma once

#include <dozer/detail/platform.hpp>

#include <cstdint>

namespace dozer::inline DOZER_PLATFORM::detail {

/// Ticks a comparison, with all that belongs to it. A value, and never 0: a clock may stand still while a comparison
/// runs, and a sort of any size would seem to be small.
class sort_cost {
 public:
  sort_cost(std::uint64_t took, std::uint64_t comparisons) noexcept;

  /// It took longer than a comparison that only waits for memory.
  [[nodiscard]] bool is_dear() const noexcept { return each_ >= 4 * ticks_per_us; }
  [[nodiscard]] bool is_cheap() const noexcept { return each_ < ticks_per_us; }
  [[nodiscard]] sort_cost at_most(sort_cost other) const noexcept { return other.each_ < each_ ? other : *this; }
  /// A sort that is over before another thread could be of much help.
  [[nodiscard]] bool is_small_sort(std::uint64_t count) const noexcept;
  /// The same of a merge with so many elements.
  [[nodiscard]] bool is_small_merge(std::uint64_t count) const noexcept;
  /// How many elements a thread should partition at one go. `count` or more: one thread should do it all.
  [[nodiscard]] std::uint64_t stretch(std::uint64_t count, unsigned width) const noexcept;

 private:
  double each_;
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
