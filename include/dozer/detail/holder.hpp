// Who holds a mutex, as a number: a member's seat, or a thread in no pool.
#pragma once

#include <dozer/detail/platform.hpp>

#include <cstdint>

namespace dozer::inline DOZER_PLATFORM::detail {

class seat;

/// 0: nobody. The two lowest bits of a seat's address are free.
[[nodiscard]] inline std::uint64_t holder_id(const seat* s) noexcept { return reinterpret_cast<std::uintptr_t>(s); }
[[nodiscard]] constexpr bool is_outsider(std::uint64_t holder) noexcept { return (holder & 2) != 0; }
[[nodiscard]] constexpr std::uint64_t outsider_id(std::uint64_t thread) noexcept { return thread << 2 | 2; }
[[nodiscard]] constexpr std::uint64_t outsider_thread(std::uint64_t holder) noexcept { return holder >> 2; }

/// Of the calling thread.
[[nodiscard]] std::uint64_t my_holder_id() noexcept;

}  // namespace dozer::inline DOZER_PLATFORM::detail
