// What fork() leaves behind.
#pragma once

#include <dozer/detail/platform.hpp>

namespace dozer::inline DOZER_PLATFORM::detail {

/// In the child: this object of the parent's can never be freed, and leak checkers shall know that it was meant.
void keep_reachable(void* object) noexcept;

}  // namespace dozer::inline DOZER_PLATFORM::detail
