// The lines of a first-in-first-out scope: one for each seat that spawns in it.
#pragma once

#include <dozer/detail/isolation.hpp>
#include <dozer/detail/job_line.hpp>
#include <dozer/detail/platform.hpp>
#include <dozer/detail/seat.hpp>

#include <cstdint>
#include <memory>

namespace dozer::inline DOZER_PLATFORM::detail {

class scope_lines {
 public:
  explicit scope_lines(seat& owner);

  /// For the occupant of that seat. A line holds jobs of one isolation. Null: there is none for this one.
  [[nodiscard]] job_line* of(seat& spawning) {
    const isolation in = spawning.own().isolated_in();
    if (in != all_in_ || in == isolation::nameless()) {
      return spawning.line_in(in);
    }
    std::unique_ptr<job_line>& line = lines_[spawning.index];
    if (line == nullptr) {
      line = std::make_unique<job_line>();
    }
    return line.get();
  }

 private:
  isolation all_in_;
  std::unique_ptr<std::unique_ptr<job_line>[]> lines_;
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
