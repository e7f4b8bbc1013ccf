// The seam: every atomic, fence, park, yield, clock reading, random number and thread of the core goes through here,
// so that one source runs on several platforms.
//
//   native   std::atomic, futex (or a condition variable), membarrier (or full fences)
//   tsan     the same, with sequentially consistent fences spelled as an RMW, which ThreadSanitizer can see
//   model    the checker's machine (verify/); not installed
//
// A macro picks the platform for a whole binary: DOZER_PLATFORM_NATIVE, DOZER_PLATFORM_TSAN or DOZER_PLATFORM_MODEL;
// without one it follows from whether ThreadSanitizer is on. All of dozer lives in an inline namespace named after the
// platform, so objects of two platforms do not link.
#pragma once

#include <cstddef>

#if !defined(DOZER_PLATFORM_NATIVE) && !defined(DOZER_PLATFORM_TSAN) && !defined(DOZER_PLATFORM_MODEL)
#if defined(__SANITIZE_THREAD__)
#define DOZER_PLATFORM_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define DOZER_PLATFORM_TSAN 1
#endif
#endif
#if !defined(DOZER_PLATFORM_TSAN)
#define DOZER_PLATFORM_NATIVE 1
#endif
#endif

#if defined(DOZER_PLATFORM_NATIVE) && defined(DOZER_PLATFORM_TSAN)
#error "dozer: one platform for a binary, not two"
#elif defined(DOZER_PLATFORM_MODEL)
#define DOZER_PLATFORM model
#elif defined(DOZER_PLATFORM_TSAN)
#define DOZER_PLATFORM tsan
#else
#define DOZER_PLATFORM native
#endif

namespace dozer::inline DOZER_PLATFORM::detail {

/// What two fields written by different threads keep between them. A constant, because the value that the compiler
/// offers depends on its tuning flags and would make the layout of one program differ from another's.
inline constexpr std::size_t cache_line = 64;

}  // namespace dozer::inline DOZER_PLATFORM::detail

// Marks what is off the fast path: not inlined, and kept away from hot code.
#define DOZER_COLD [[gnu::cold, gnu::noinline]]
/// For the few functions of which a fork consists: a call would cost as much as what they do.
#define DOZER_HOT [[gnu::always_inline]] inline

namespace dozer::inline DOZER_PLATFORM::detail {

/// A value whose origin the compiler is not told, so that it keeps this one and not also what it was made from.
template <class T>
DOZER_HOT T opaque(T value) noexcept {
  __asm__("" : "+r"(value));
  return value;
}

}  // namespace dozer::inline DOZER_PLATFORM::detail

#if defined(DOZER_PLATFORM_MODEL)
#include <platform_model.hpp>
#else
#include <dozer/detail/platform_std.hpp>
#endif
