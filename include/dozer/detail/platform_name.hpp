// The platform's name, DOZER_PLATFORM, and what a compiler must offer. Every other header comes here first.
//
// A macro picks the platform for a whole binary: DOZER_PLATFORM_NATIVE, DOZER_PLATFORM_TSAN or DOZER_PLATFORM_MODEL;
// without one it follows from whether ThreadSanitizer is on. All of dozer lives in an inline namespace named after the
// platform, so objects of two platforms do not link.
#pragma once

// A file that does not exist ends the compilation: else a thousand errors would follow the one that counts.
#if __cplusplus < 202002L
#error "dozer needs C++20: compile with -std=c++20"
#include <dozer/needs-c++20>
#elif !defined(__cpp_exceptions)
#error "dozer needs exceptions: compile without -fno-exceptions. Whatever a closure throws leaves where you wait for it"
#include <dozer/needs-exceptions>
#endif

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
