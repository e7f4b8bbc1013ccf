// Who holds a mutex, as a number: a thread, and whether it was in a pool when it locked.
#pragma once

#include <dozer/detail/platform.hpp>

#include <cstdint>

namespace dozer::inline DOZER_PLATFORM::detail {

/// 0: nobody. A thread's number, with a mark if it is in no pool, and room for a mark of the mutex's own.
inline constexpr std::uint64_t mutex_mark = std::uint64_t{1} << 63;
inline constexpr std::uint64_t outsiders_mark = std::uint64_t{1} << 62;

[[nodiscard]] constexpr bool is_outsider(std::uint64_t holder) noexcept { return (holder & outsiders_mark) != 0; }
[[nodiscard]] constexpr std::uint64_t thread_of(std::uint64_t holder) noexcept {
  return holder & ~(mutex_mark | outsiders_mark);
}

/// Of the calling thread. Never 0.
[[nodiscard]] std::uint64_t my_holder_id() noexcept;

}  // namespace dozer::inline DOZER_PLATFORM::detail
