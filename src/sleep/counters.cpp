#include <dozer/detail/counters.hpp>

namespace dozer::inline DOZER_PLATFORM::detail {

std::string to_string(counters value) {
  return "asleep " + std::to_string(value.asleep()) + ", inactive " + std::to_string(value.inactive()) +
         (value.quiet() != 0 ? ", quiet guests " + std::to_string(value.quiet()) : "") + ", jec " +
         std::to_string(value.jec()) + (value.work_announced() ? " (work announced)" : " (sleepy)");
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
