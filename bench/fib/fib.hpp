// The recursion that computes Fibonacci numbers: nothing but forks.
#pragma once
inline constexpr int fib_of = 35;
inline constexpr long fib_expected = 9'227'465;
