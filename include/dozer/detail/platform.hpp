// The seam: every atomic, fence, park, yield, clock reading, random number and thread of the core goes through here,
// so that one source runs on several platforms.
//
//   native   std::atomic, futex (or a condition variable), membarrier (or full fences)
//   tsan     the same, with sequentially consistent fences spelled as an RMW, which ThreadSanitizer can see
//   model    the checker's machine (verify/); not installed
#pragma once

#include <dozer/detail/platform_name.hpp>

#include <cstddef>
#include <type_traits>

namespace dozer::inline DOZER_PLATFORM::detail {

/// What two fields written by different threads keep between them. A constant, because the value that the compiler
/// offers depends on its tuning flags and would make the layout of one program differ from another's.
inline constexpr std::size_t cache_line = 64;

}  // namespace dozer::inline DOZER_PLATFORM::detail

// Marks what is off the fast path: not inlined, and kept away from hot code.
#define DOZER_COLD [[gnu::cold, gnu::noinline]]
/// Marks the way from a post to the start of the job in a thread that slept, which is in no cache then: close together
/// it takes fewer lines and pages.
#define DOZER_WAKE_PATH [[gnu::hot]]
/// For the few functions of which a fork consists: a call would cost as much as what they do.
#define DOZER_HOT [[gnu::always_inline]] inline

namespace dozer::inline DOZER_PLATFORM::detail {

/// A copy of the value, for which GCC finds a new register where it would have kept one through code that ends before.
template <class T>
DOZER_HOT T in_a_new_register(T value) noexcept requires std::is_integral_v<T> {
#if defined(__x86_64__) && !defined(__clang__)
  if constexpr (sizeof(T) >= 4 && sizeof(T) <= 8) {
    T copy;
    __asm__("mov %1, %0" : "=r"(copy) : "a"(value));
    return copy;
  }
#endif
  return value;
}

}  // namespace dozer::inline DOZER_PLATFORM::detail

#if defined(DOZER_PLATFORM_MODEL)
#include <platform_model.hpp>
#else
#include <dozer/detail/platform_std.hpp>
#endif
