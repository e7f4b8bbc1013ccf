// Making the report.
#pragma once

#include <dozer/deadlock.hpp>
#include <dozer/detail/domain.hpp>

namespace dozer::inline DOZER_PLATFORM::detail {

[[nodiscard]] deadlock_report make_report(const domain& of, deadlock_report::trouble what);

}  // namespace dozer::inline DOZER_PLATFORM::detail
