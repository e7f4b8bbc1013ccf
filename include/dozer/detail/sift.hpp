// Picking the elements of a stretch for which a predicate holds: the predicate first, then the moves. So the first loop
// can be vectorised, the second one has no branch that depends on the elements, and if the predicate throws nothing has
// been moved.
#pragma once

#include <dozer/detail/kept_closure.hpp>
#include <dozer/detail/platform.hpp>
#include <dozer/detail/requirements.hpp>

#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>

namespace dozer::inline DOZER_PLATFORM::detail {

/// How many elements are judged before they are moved, where the judgements stand on the stack.
inline constexpr std::uint64_t sift_step = 256;

/// How many are noted.
[[nodiscard]] inline std::uint64_t count_noted(const bool* noted, std::uint64_t count) noexcept {
  std::uint64_t held = 0;
  for (std::uint64_t k = 0; k != count; ++k) {
    held += noted[k] ? 1 : 0;
  }
  return held;
}

/// Notes for each element whether the predicate returns `wanted`. Returns for how many it does.
template <bool wanted, class I, class F, class Proj>
std::uint64_t judge(I at, std::uint64_t count, F& pred, Proj& proj, bool* noted) {
  in_block<F> p = pred;
  in_block<Proj> key = proj;
  for (std::uint64_t k = 0; k != count; ++k, ++at) {
    noted[k] = static_cast<bool>(std::invoke(p, std::invoke(key, *at))) == wanted;
  }
  return count_noted(noted, count);
}

/// An element can be copied once too often, and nobody notices.
template <class I, class Out>
inline constexpr bool may_copy_freely =
    std::is_trivially_copyable_v<std::iter_value_t<I>> && sizeof(std::iter_value_t<I>) <= 4 * sizeof(void*) &&
    std::is_same_v<std::remove_cvref_t<std::iter_reference_t<I>>,
                   std::iter_value_t<I>>&& std::is_same_v<std::iter_reference_t<Out>, std::iter_value_t<I>&>;

/// put(to, from) for the `picked` elements for which `noted` is `wanted`, with `to` one further each time. It may be in
/// the same range, at or before `from`.
template <bool wanted, class I, class Out, class Put>
void pick(I from, const bool* noted, std::uint64_t picked, Out to, const Put& put) {
  if constexpr (may_copy_freely<I, Out>) {
    // What is written before the end of the picked ones is overwritten by the next one if it is not wanted.
    for (std::uint64_t k = 0; k != picked; ++from, ++noted) {
      *after(to, k) = *from;
      k += *noted == wanted ? 1 : 0;
    }
  } else {
    for (; picked != 0; ++from, ++noted) {
      if (*noted == wanted) {
        put(to, from);
        ++to, --picked;
      }
    }
  }
}

/// Moves an element to where it may stand already.
inline constexpr auto move_down = [](const auto& to, const auto& from) {
  if (to != from) {
    *to = std::ranges::iter_move(from);
  }
};

/// Makes an element in memory that holds none.
inline constexpr auto move_into_memory = [](auto* to, const auto& from) {
  std::construct_at(to, std::ranges::iter_move(from));
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
