// Small programs whose outcomes under C++20 are known: the machine must show all that are possible, but for load
// buffering, and none that is not.
#pragma once

namespace verify {

/// Prints a line for each. Returns how many were wrong.
int run_litmus(bool verbose);

}  // namespace verify
