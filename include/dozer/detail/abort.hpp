// What the library says on stderr, and the end of a program whose invariants are broken or that uses a pool as nobody
// may.
#pragma once

#include <dozer/detail/platform.hpp>

namespace dozer::inline DOZER_PLATFORM::detail {

/// Prints the text to stderr. The checker takes what a run says there for a finding.
DOZER_COLD void print_error(const char* text) noexcept;

/// Aborts, after what was printed.
DOZER_COLD [[noreturn]] void abort_now() noexcept;

/// Prints "dozer: <what>" and aborts.
DOZER_COLD [[noreturn]] void abort_with(const char* what) noexcept;

}  // namespace dozer::inline DOZER_PLATFORM::detail
