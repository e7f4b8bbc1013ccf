// What a pool has done so far, counted by member.
#pragma once

#include <dozer/detail/platform.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace dozer::inline DOZER_PLATFORM {

/// What a member is doing.
enum class activity : std::uint8_t { vacant, active, idle, sleepy, asleep, blocked };

/// Why a member looks for other work, or sleeps: one for each place that waits.
enum class wait_reason : std::uint8_t {
  none,
  work,
  join,
  scope,
  future,
  broadcast,
  install,
  pool_end,
  slot,
  mutex,
  condition,
  semaphore,
  event,
  outside
};

/// Why somebody was woken.
enum class wake_cause : std::uint8_t {
  job_forked,
  job_detached,
  job_injected,
  search_left,
  latch_set,
  mail,
  guest_left
};
inline constexpr std::size_t wake_causes = 7;

[[nodiscard]] std::string_view to_string(activity) noexcept;
[[nodiscard]] std::string_view to_string(wait_reason) noexcept;
/// What one waits for, in words: "a future".
[[nodiscard]] std::string_view awaited(wait_reason) noexcept;
[[nodiscard]] std::string_view to_string(wake_cause) noexcept;

/// The counts of one member; of all threads that are no members; or of the whole pool.
struct member_stats {
  std::uint64_t jobs = 0;                               ///< run that were not taken back by the join that forked them
  std::uint64_t steals = 0;                             ///< from other members' deques
  std::uint64_t steals_lost = 0;                        ///< somebody else was faster
  std::uint64_t injected = 0;                           ///< jobs taken from the injector
  std::uint64_t parks = 0;                              ///< times it really slept
  std::uint64_t wakes_fruitless = 0;                    ///< times it was woken and found nothing in its first search
  std::uint64_t sleeps_cancelled = 0;                   ///< sleepers caught before they slept, by this member
  std::uint64_t heavy_fences = 0;                       ///< process-wide fences, or the full fences in their place
  std::array<std::uint64_t, wake_causes> wakes_sent{};  ///< sleepers woken by this member, by cause

  [[nodiscard]] std::uint64_t wakes(wake_cause cause) const noexcept {
    return wakes_sent[static_cast<std::size_t>(cause)];
  }
  [[nodiscard]] std::uint64_t all_wakes_sent() const noexcept {
    std::uint64_t sum = 0;
    for (const std::uint64_t sent : wakes_sent) {
      sum += sent;
    }
    return sum;
  }
  member_stats& operator+=(const member_stats& other) noexcept;
};

/// A member as it is now. Taken while everything runs on, so two of them need not fit together.
struct member_snapshot {
  unsigned index = 0;
  activity state = activity::vacant;
  wait_reason why = wait_reason::none;
  const char* job_name = nullptr;  ///< of the named job it runs, if it has one
  bool guest = false;
  int pinned_to = -1;  ///< the processor that its worker is pinned to (pool_options::pin); -1: none
  member_stats counts;
};

struct pool_stats {
  std::vector<member_snapshot> members;
  member_stats outside;  ///< by threads that are no members: wakes sent, mostly
  member_stats total;
  unsigned asleep = 0;
  unsigned inactive = 0;
};

}  // namespace dozer::inline DOZER_PLATFORM
