// How many threads this process may run at once, and where.
#pragma once

#include <dozer/detail/platform.hpp>
#include <dozer/pool_options.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dozer::inline DOZER_PLATFORM::detail {

/// DOZER_THREADS if it makes sense, else what affinity and cgroup allow. At least 1.
[[nodiscard]] unsigned default_num_threads();

/// The processors in the caller's affinity mask, in order. At least one.
[[nodiscard]] std::vector<int> allowed_processors();

/// These processors in the order in which workers are pinned to them. `root` is as below.
[[nodiscard]] std::vector<int> pinning_order(pinning how, const std::vector<int>& allowed, const std::string& root);

/// CPUs that the cgroups of this process grant, rounded up; none if there is no limit. `root` stands before /proc and
/// /sys, so that a test can make up a system.
[[nodiscard]] std::optional<unsigned> cpus_by_cgroup(const std::string& root);

/// A number of threads from 1 to max_num_threads(), or none.
[[nodiscard]] std::optional<unsigned> parse_thread_count(std::string_view text) noexcept;

}  // namespace dozer::inline DOZER_PLATFORM::detail
