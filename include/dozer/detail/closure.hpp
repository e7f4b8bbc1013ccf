// What closures must be able to do.
#pragma once

#include <dozer/detail/platform.hpp>

#include <concepts>
#include <type_traits>

namespace dozer::inline DOZER_PLATFORM::detail {

/// A closure as it is when it is kept and called later.
template <class F>
using kept = std::add_lvalue_reference_t<std::decay_t<F>>;

/// Can be kept and called later, without arguments.
template <class F>
concept job_closure = std::invocable<kept<F>>;

/// Can be called once, with the T of a future<T>, which may be void.
template <class F, class T>
concept continuation =
    (std::is_void_v<T> && std::is_invocable_v<std::decay_t<F>>) || std::is_invocable_v<std::decay_t<F>, T>;

}  // namespace dozer::inline DOZER_PLATFORM::detail
