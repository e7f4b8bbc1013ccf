// Names the threads of a pool.
#pragma once

#include <dozer/detail/platform.hpp>

#include <cstdint>
#include <cstdio>
#include <string>

namespace dozer::inline DOZER_PLATFORM::detail {

/// Names the calling thread <name><kind><number>, with as much of the name as the system keeps. Allocates nothing.
inline void name_thread(const std::string& name, const char* kind, std::uint32_t number) noexcept {
  char end[16];
  const int length = std::snprintf(end, sizeof end, "%s%u", kind, number);
  constexpr int kept = 15;  // characters, by the system
  char text[2 * sizeof end];
  std::snprintf(text, sizeof text, "%.*s%s", kept - length, name.c_str(), end);
  set_thread_name(text);
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
