// What of sifting does not depend on the elements.
#include <dozer/detail/sift.hpp>

#include <algorithm>

namespace dozer::inline DOZER_PLATFORM::detail {

std::uint64_t count_noted(const bool* noted, std::uint64_t count) noexcept {
  constexpr std::uint64_t most = 255;  // words whose bytes can be added before one is full
  constexpr std::uint64_t every_other = 0x00ff00ff00ff00ff;
  std::uint64_t held = 0;
  while (count >= notes) {
    const std::uint64_t words = std::min(count / notes, most);
    std::uint64_t bytes = 0;
    for (std::uint64_t k = 0; k != words; ++k) {
      bytes += eight_notes(noted + k * notes);
    }
    const std::uint64_t pairs = (bytes & every_other) + ((bytes >> 8) & every_other);
    held += pairs * 0x0001000100010001 >> 48;
    noted += words * notes;
    count -= words * notes;
  }
  for (; count != 0; --count, ++noted) {
    held += *noted ? 1 : 0;
  }
  return held;
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
