// A few letters of a string as a number.
#pragma once

#include <dozer/detail/platform.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace dozer::inline DOZER_PLATFORM::detail {

/// Some letters of an element, and where it is.
struct lettered {
  std::uint64_t letters, place;
};

/// With how many letters both begin.
[[nodiscard]] inline std::size_t common_with(std::string_view a, std::string_view b) noexcept {
  const std::size_t most = std::min(a.size(), b.size());
  return static_cast<std::size_t>(
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(most), b.begin()).first - a.begin());
}

/// Eight letters from `begin` on, which is no further than the end. Numbers that differ are ordered as the strings are.
[[nodiscard]] inline std::uint64_t letters_of(std::string_view text, std::size_t begin) noexcept {
  std::uint64_t bytes = 0;
  if (begin != text.size()) {  // an empty string may have no address
    std::memcpy(&bytes, text.data() + begin, std::min(sizeof bytes, text.size() - begin));
  }
  if constexpr (std::endian::native == std::endian::little) {
    bytes = __builtin_bswap64(bytes);
  }
  return bytes;
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
