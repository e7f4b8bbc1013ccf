// When a sort forks.
#include <dozer/detail/sort_cost.hpp>

#include <algorithm>
#include <bit>

namespace dozer::inline DOZER_PLATFORM::detail {

namespace {

/// A sort of less is not divided: a steal takes about a microsecond.
constexpr double not_worth_a_fork = 10 * ticks_per_us;
/// What the partition of a stretch should take.
constexpr double stretch_for = 20 * ticks_per_us;
/// What a time is taken for in which the clock did not move: half of a step. ARM's counters have steps of up to 52 ns
/// (19.2 MHz), so one comparison of numbers takes no step or one, by chance.
constexpr double less_than_a_step = ticks_per_us / 40.0;
/// No comparison takes less than half a nanosecond, however coarse the clock is and however many were measured.
constexpr double least = ticks_per_us / 2000.0;

}  // namespace

sort_cost::sort_cost(std::uint64_t took, std::uint64_t comparisons) noexcept
    : each_(std::max((took != 0 ? static_cast<double>(took) : less_than_a_step) / static_cast<double>(comparisons),
                     least)) {}

bool sort_cost::is_small_sort(std::uint64_t count) const noexcept {
  return each_ * static_cast<double>(count * static_cast<unsigned>(std::bit_width(count))) < not_worth_a_fork;
}

bool sort_cost::is_small_merge(std::uint64_t count) const noexcept {
  return each_ * static_cast<double>(count) < stretch_for;
}

std::uint64_t sort_cost::stretch(std::uint64_t count, unsigned width) const noexcept {
  // Cheap comparisons: two passes over the elements in place of one pay only if threads would be idle else.
  if (width < 2 && is_cheap()) {
    return count;
  }
  const double fits = is_cheap() ? stretch_for / each_ : stretch_for / 16 / each_;
  const auto stretch = static_cast<std::uint64_t>(std::clamp(fits, 1.0, 1e18));
  return stretch <= count / 4 || !is_cheap() ? stretch : count;
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
