// Making the report.
#pragma once

#include <dozer/deadlock.hpp>
#include <dozer/detail/domain.hpp>

#include <string>

namespace dozer::inline DOZER_PLATFORM::detail {

/// `seconds`: for so long it has stalled.
[[nodiscard]] deadlock_report make_report(const domain& of, deadlock_report::trouble what, double seconds = 0);

[[nodiscard]] std::string seconds_text(double seconds);
[[nodiscard]] std::string address_text(const void* address);

}  // namespace dozer::inline DOZER_PLATFORM::detail
