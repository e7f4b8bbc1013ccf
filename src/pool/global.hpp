// The one pool that free functions use.
#pragma once

#include <dozer/detail/platform.hpp>

namespace dozer::inline DOZER_PLATFORM::detail {

/// In the child of a fork(): the global pool is made anew on first use.
void forget_global_pool() noexcept;

}  // namespace dozer::inline DOZER_PLATFORM::detail
