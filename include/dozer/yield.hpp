// Yielding: a member that has to wait for something of its own runs another job meanwhile.
#pragma once

#include <dozer/detail/platform.hpp>

#include <cstdint>

namespace dozer::inline DOZER_PLATFORM {

enum class yielded : std::uint8_t { executed, idle, not_a_worker };

/// Runs one job: of the own deque, else of anyone's. In a pool that is a limit (pool_options::extra_guests) a thread
/// that waits for its turn goes first, also if there is no job.
yielded yield_now();

/// Runs one job of the own deque or mailbox.
yielded yield_local();

}  // namespace dozer::inline DOZER_PLATFORM
