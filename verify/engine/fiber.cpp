#include "fiber.hpp"

#include <cxxabi.h>

#include <cstring>

#if !defined(__x86_64__)
#error "the checker's fibers are written for x86-64"
#endif

namespace verify {

namespace {

// What the runtime keeps for each thread: the caught exceptions and the number of those in flight.
struct exception_state {
  void* caught;
  unsigned uncaught;
};

}  // namespace

// verify_switch_stacks: callee-saved registers go on the old stack, then the stack pointers are exchanged.
__asm__(R"(
.text
.globl verify_switch_stacks
.type verify_switch_stacks, @function
verify_switch_stacks:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size verify_switch_stacks, .-verify_switch_stacks

.globl verify_note_registers
.type verify_note_registers, @function
verify_note_registers:
  movq %rbx, verify_registers(%rip)
  movq %rbp, 8+verify_registers(%rip)
  movq %r12, 16+verify_registers(%rip)
  movq %r13, 24+verify_registers(%rip)
  movq %r14, 32+verify_registers(%rip)
  movq %r15, 40+verify_registers(%rip)
  movq %rsp, 48+verify_registers(%rip)
  ret
.size verify_note_registers, .-verify_note_registers

.globl verify_enter_fiber
.type verify_enter_fiber, @function
verify_enter_fiber:
  movq %r13, %rdi
  call *%r12
  ud2
.size verify_enter_fiber, .-verify_enter_fiber
)");

extern "C" {
noted_registers verify_registers;
}
extern "C" void verify_switch_stacks(void** from, void* to) noexcept;
extern "C" void verify_enter_fiber() noexcept;

void fiber::prepare(std::byte* stack_end, void (*body)(void*), void* argument) noexcept {
  auto* top = reinterpret_cast<std::uint64_t*>(stack_end);
  *--top = 0;  // keeps the stack aligned at the call
  *--top = 0;
  *--top = reinterpret_cast<std::uint64_t>(&verify_enter_fiber);
  *--top = 0;                                          // rbp
  *--top = 0;                                          // rbx
  *--top = reinterpret_cast<std::uint64_t>(body);      // r12
  *--top = reinterpret_cast<std::uint64_t>(argument);  // r13
  *--top = 0;                                          // r14
  *--top = 0;                                          // r15
  sp = top;
}

void switch_fiber(fiber& from, fiber& to) noexcept {
  auto* const state = reinterpret_cast<exception_state*>(abi::__cxa_get_globals());
  const exception_state mine = *state;
  verify_switch_stacks(&from.sp, to.sp);
  *state = mine;
}

std::uint64_t exceptions_of_this_fiber() noexcept {
  const auto* const state = reinterpret_cast<const exception_state*>(abi::__cxa_get_globals());
  return reinterpret_cast<std::uint64_t>(state->caught) + state->uncaught;
}

}  // namespace verify
