// Fibers: the threads of a checked program, all on one thread of the system. A switch is a few instructions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace verify {

/// A suspended stack. Copying the bytes from `sp` to the stack's end, and putting them back, copies the whole fiber.
struct fiber {
  void* sp = nullptr;

  /// Makes a fiber that calls body(argument) on the given stack when it is first switched to. `body` never returns.
  void prepare(std::byte* stack_end, void (*body)(void*), void* argument) noexcept;
};

/// Saves the running one in `from` and goes on with `to`. The exception state of the C++ runtime goes with each.
void switch_fiber(fiber& from, fiber& to) noexcept;

}  // namespace verify
