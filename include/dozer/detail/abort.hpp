// The end of a program whose invariants are broken, or that uses a pool as nobody may.
#pragma once

#include <dozer/detail/platform.hpp>

namespace dozer::inline DOZER_PLATFORM::detail {

/// Prints "dozer: <what>" and aborts.
DOZER_COLD [[noreturn]] void abort_with(const char* what) noexcept;

}  // namespace dozer::inline DOZER_PLATFORM::detail
