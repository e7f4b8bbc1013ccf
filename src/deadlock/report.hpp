// Making the report.
#pragma once

#include <dozer/deadlock.hpp>
#include <dozer/detail/domain.hpp>

#include <optional>
#include <string>

namespace dozer::inline DOZER_PLATFORM::detail {

struct stall {
  double seconds = 0;            // for so long
  const char* ending = nullptr;  // the pool whose destructor waits, if one does
};

[[nodiscard]] deadlock_report make_report(const domain& of, deadlock_report::trouble what, const stall& how = {});
/// Makes it in `room`. Without memory for it: one that says only what is wrong.
[[nodiscard]] const deadlock_report& make_report_in(std::optional<deadlock_report>& room, const domain& of,
                                                    deadlock_report::trouble what, const stall& how = {}) noexcept;
/// To stderr; without memory for the whole of it only the summary.
void print(const deadlock_report& report) noexcept;

[[nodiscard]] std::string seconds_text(double seconds);
[[nodiscard]] std::string address_text(const void* address);

}  // namespace dozer::inline DOZER_PLATFORM::detail
