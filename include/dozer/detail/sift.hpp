// Picking the elements of a stretch for which a predicate holds: the predicate first, then the moves. So the first loop
// can be vectorised, the second one has no branch that depends on the elements, and if the predicate throws nothing has
// been moved.
#pragma once

#include <dozer/detail/kept_closure.hpp>
#include <dozer/detail/platform.hpp>
#include <dozer/detail/requirements.hpp>

#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>

namespace dozer::inline DOZER_PLATFORM::detail {

/// How many elements are judged before they are moved, where the judgements stand on the stack.
inline constexpr std::uint64_t sift_step = 256;

/// Eight notes at a time. `all_noted`: each of them is true.
inline constexpr std::uint64_t notes = sizeof(std::uint64_t);
inline constexpr std::uint64_t all_noted = 0x0101010101010101;
[[nodiscard]] DOZER_HOT std::uint64_t eight_notes(const bool* at) noexcept {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

/// How many are noted.
[[nodiscard]] std::uint64_t count_noted(const bool* noted, std::uint64_t count) noexcept;

/// Notes for each element whether the predicate returns `wanted`.
template <bool wanted, class I, class F, class Proj>
void note(I at, std::uint64_t count, F& pred, Proj& proj, bool* noted) {
  in_block<F> p = pred;
  in_block<Proj> key = proj;
  for (std::uint64_t k = 0; k != count; ++k, ++at) {
    noted[k] = static_cast<bool>(std::invoke(p, std::invoke(key, *at))) == wanted;
  }
}
/// The same. Returns for how many it does.
template <bool wanted, class I, class F, class Proj>
std::uint64_t judge(const I& at, std::uint64_t count, F& pred, Proj& proj, bool* noted) {
  detail::note<wanted>(at, count, pred, proj, noted);
  return count_noted(noted, count);
}

/// An element can be copied once too often, and nobody notices.
template <class I, class Out>
inline constexpr bool may_copy_freely =
    std::is_trivially_copyable_v<std::iter_value_t<I>>&& std::is_copy_assignable_v<std::iter_value_t<I>> &&
    sizeof(std::iter_value_t<I>) <= 4 * sizeof(void*) &&
    std::is_same_v<std::remove_cvref_t<std::iter_reference_t<I>>,
                   std::iter_value_t<I>>&& std::is_same_v<std::iter_reference_t<Out>, std::iter_value_t<I>&>;

/// put(to, from) for the `picked` elements for which `noted` is `wanted`, with `to` one further each time. It may be in
/// the same range, at or before `from`.
template <bool wanted, class I, class Out, class Put>
void pick(I from, const bool* noted, std::uint64_t picked, Out to, const Put& put) {
  constexpr std::uint64_t none = wanted ? 0 : all_noted;
  // While there are eight to pick, eight elements can be looked at.
  while (picked >= notes) {
    const std::uint64_t word = eight_notes(noted);
    if (word == (none ^ all_noted)) {
      for (std::uint64_t k = 0; k != notes; ++k) {
        put(after(to, k), after(from, k));
      }
      to = after(to, notes);
      picked -= notes;
    } else if (word != none) {
      if constexpr (may_copy_freely<I, Out>) {
        // What is not wanted is overwritten by the next one that is.
        for (std::uint64_t k = 0; k != notes; ++k) {
          *to = *after(from, k);
          const std::uint64_t is_wanted = noted[k] == wanted ? 1 : 0;
          to = after(to, is_wanted);
          picked -= is_wanted;
        }
      } else {
        for (std::uint64_t k = 0; k != notes; ++k) {
          if (noted[k] == wanted) {
            put(to, after(from, k));
            ++to, --picked;
          }
        }
      }
    }
    from = after(from, notes);
    noted += notes;
  }
  for (; picked != 0; ++from, ++noted) {
    if (*noted == wanted) {
      put(to, from);
      ++to, --picked;
    }
  }
}

/// Writes down the places of the `picked` notes that are `wanted`.
template <bool wanted>
void list_places(const bool* noted, std::uint64_t picked, unsigned char* places) noexcept {
  static_assert(sift_step <= 256);
  constexpr std::uint64_t none = wanted ? 0 : all_noted;
  std::uint64_t at = 0;
  while (picked >= notes) {
    if (eight_notes(noted + at) != none) {
      for (std::uint64_t k = at; k != at + notes; ++k) {
        *places = static_cast<unsigned char>(k);
        const bool is_wanted = noted[k] == wanted;
        places += is_wanted ? 1 : 0;
        picked -= is_wanted ? 1 : 0;
      }
    }
    at += notes;
  }
  for (; picked != 0; ++at) {
    *places = static_cast<unsigned char>(at);
    const bool is_wanted = noted[at] == wanted;
    places += is_wanted ? 1 : 0;
    picked -= is_wanted ? 1 : 0;
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
