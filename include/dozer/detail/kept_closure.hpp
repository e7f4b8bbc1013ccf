// How loops and algorithms keep a user's closure.
#pragma once

#include <dozer/detail/platform_name.hpp>

#include <type_traits>

namespace dozer::inline DOZER_PLATFORM::detail {

/// A copy costs nothing but its bytes. Not is_trivially_copyable: for Clang that is false if a member is a const
/// closure.
template <class F>
inline constexpr bool is_cheap_to_copy =
    std::is_trivially_copy_constructible_v<F>&& std::is_trivially_destructible_v<F>;

/// A small closure is copied to where no iteration writes. Then the compiler knows that its captures do not change,
/// and loops vectorise that could not otherwise.
template <class F>
inline constexpr bool is_kept_by_value = false;
template <class F>
requires is_cheap_to_copy<F>  // not so of a function, which has no size
inline constexpr bool is_kept_by_value<F> = sizeof(F) <= 8 * sizeof(void*);

/// What a loop over `Args` keeps of the closure that it was given.
template <class F, class... Args>
using kept_closure = std::conditional_t<is_kept_by_value<std::remove_cvref_t<F>> &&
                                            std::is_invocable_v<const std::remove_cvref_t<F>&, Args...>,
                                        const std::remove_cvref_t<F>, F&>;

/// For the time of a block: a copy of a small closure, a reference to a large one. `in_block<F> f = closure;`
template <class F>
using in_block = std::conditional_t<is_kept_by_value<F>, F, F&>;

}  // namespace dozer::inline DOZER_PLATFORM::detail
