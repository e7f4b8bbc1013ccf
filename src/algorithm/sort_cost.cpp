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

}  // namespace

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
  const double fits = is_cheap() ? stretch_for / std::max(each_, 0.1) : stretch_for / 16 / each_;
  const auto stretch = static_cast<std::uint64_t>(std::clamp(fits, 1.0, 1e18));
  return stretch <= count / 4 || !is_cheap() ? stretch : count;
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
