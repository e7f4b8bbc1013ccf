// What a loop or an algorithm may be told: its last argument.
#pragma once

#include <dozer/detail/platform_name.hpp>

#include <cstddef>
#include <stop_token>

namespace dozer::inline DOZER_PLATFORM {

struct loop_options {
  /// How many iterations run at one go. 0: Dozer learns it while the loop runs.
  std::size_t grain = 0;
  /// Once a stop is requested nothing more is begun, and the call returns as usual.
  std::stop_token stop = {};
};

/// No options. Calls without any refer to these, so that they need not make and destroy some.
extern const loop_options& default_options;

}  // namespace dozer::inline DOZER_PLATFORM
