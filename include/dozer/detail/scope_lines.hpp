// The lines of a first-in-first-out scope: one for each seat that spawns in it.
#pragma once

#include <dozer/detail/job_line.hpp>
#include <dozer/detail/platform.hpp>

#include <cstdint>
#include <memory>

namespace dozer::inline DOZER_PLATFORM::detail {

class scope_lines {
 public:
  explicit scope_lines(std::uint32_t seats) : lines_(new std::unique_ptr<job_line>[seats]) {}

  /// For the occupant of that seat.
  [[nodiscard]] job_line& of(std::uint32_t seat) {
    std::unique_ptr<job_line>& line = lines_[seat];
    if (line == nullptr) {
      line = std::make_unique<job_line>();
    }
    return *line;
  }

 private:
  std::unique_ptr<std::unique_ptr<job_line>[]> lines_;
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
