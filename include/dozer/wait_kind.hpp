// Who can end a wait.
#pragma once

#include <dozer/detail/platform.hpp>

#include <cstdint>
#include <string_view>

namespace dozer::inline DOZER_PLATFORM {

enum class wait_kind : std::uint8_t {
  pool,      ///< only jobs of Dozer's pools: if nobody is left to run one, it is a deadlock
  external,  ///< the world outside: I/O, time, threads that are not Dozer's. Never a deadlock
};

[[nodiscard]] std::string_view to_string(wait_kind) noexcept;

}  // namespace dozer::inline DOZER_PLATFORM
