// What closures must be able to do.
#pragma once

#include <dozer/detail/platform.hpp>

#include <concepts>
#include <type_traits>

namespace dozer::inline DOZER_PLATFORM::detail {

/// Can be kept and called later, without arguments.
template <class F>
concept job_closure = std::invocable<std::decay_t<F>&>;

}  // namespace dozer::inline DOZER_PLATFORM::detail
