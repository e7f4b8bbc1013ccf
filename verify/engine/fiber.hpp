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

/// The running fiber's exceptions, as a number: those caught, and how many are in flight.
[[nodiscard]] std::uint64_t exceptions_of_this_fiber() noexcept;

/// All that a function still needs after a call that it makes is here, or in memory.
struct noted_registers {
  std::uint64_t saved[6];  // those that a called function leaves as they are
  const std::byte* sp;     // there stands where the call returns to, and above it the stack of the caller
};
extern "C" noted_registers verify_registers;
/// Notes those of its caller.
extern "C" void verify_note_registers() noexcept;

/// The checked program calls the machine while this lives. Before: what the program knows is noted. After: what the
/// machine has left on the stack is cleared. It would show up in frames of the program, in places that they do not use.
class seam_call {
 public:
  [[gnu::always_inline]] seam_call() noexcept { verify_note_registers(); }
  [[gnu::always_inline]] ~seam_call() {
    __asm__ __volatile__(
        "leaq %c0(%%rsp), %%rdi\n\t"
        "movl %1, %%ecx\n\t"
        "xorl %%eax, %%eax\n\t"
        "rep stosq"
        :
        : "i"(-as_far_as), "i"(as_far_as / 8)
        : "rax", "rcx", "rdi", "cc", "memory");
  }
  seam_call(const seam_call&) = delete;
  seam_call& operator=(const seam_call&) = delete;

 private:
  static constexpr long as_far_as = 3072;
};

}  // namespace verify
