// Times against serial code, measured so that an opponent would accept them.
#pragma once

#include <chrono>
#include <functional>

namespace tour {

[[nodiscard]] double milliseconds_since(std::chrono::steady_clock::time_point start);
/// Of all threads of this process.
[[nodiscard]] double cpu_milliseconds();

/// Says how the times below are measured.
void explain_comparisons();

/// Prints the median times of serial(), of parallel() in a pool of one thread, and of parallel() in the global pool.
/// Each runs once before, unmeasured: that starts threads and touches memory. Then they take turns, at least five times
/// each. prepare() runs before each of them and is not measured. Says so if other programs kept processors busy.
void compare(
    const char* what, const std::function<void()>& serial, const std::function<void()>& parallel,
    const std::function<void()>& prepare = [] {});

}  // namespace tour
