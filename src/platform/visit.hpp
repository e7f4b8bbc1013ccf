// A fence in every thread of the process without membarrier (README.md beside this file, "The process fence").
#pragma once

#include <dozer/detail/platform.hpp>

namespace dozer::inline DOZER_PLATFORM::detail {

/// Before the first visit: finds out how many processors there can ever be, while files can still be read.
void prepare_to_visit() noexcept;

/// The calling thread runs once on each processor on which a thread of the process can run. So each of them has
/// executed a full fence. False: the system does not let it, or there is no proof that these were all.
[[nodiscard]] bool visit_every_processor() noexcept;

}  // namespace dozer::inline DOZER_PLATFORM::detail
