// How many threads this process may run at once.
#pragma once

#include <dozer/detail/platform.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace dozer::inline DOZER_PLATFORM::detail {

/// DOZER_THREADS if it makes sense, else what affinity and cgroup allow. At least 1.
[[nodiscard]] unsigned default_num_threads();

/// CPUs in the affinity mask. At least 1.
[[nodiscard]] unsigned cpus_by_affinity() noexcept;

/// CPUs that the cgroups of this process grant, rounded up; none if there is no limit. `root` stands before /proc and
/// /sys, so that a test can make up a system.
[[nodiscard]] std::optional<unsigned> cpus_by_cgroup(const std::string& root);

/// A number of threads from 1 to max_num_threads(), or none.
[[nodiscard]] std::optional<unsigned> parse_thread_count(std::string_view text) noexcept;

}  // namespace dozer::inline DOZER_PLATFORM::detail
