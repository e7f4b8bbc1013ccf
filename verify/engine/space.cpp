#include "space.hpp"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>

namespace verify {

namespace {

constexpr std::size_t header = 16;  // before each block: its size

}  // namespace

space::space() {
  void* const got = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (got == MAP_FAILED) {
    std::perror("verify: no memory for the checked program");
    std::exit(2);
  }
  base_ = static_cast<std::byte*>(got);
  for (thread_id t = 0; t < max_threads; ++t) {
    mprotect(stack_begin(t), 4096, PROT_NONE);  // a stack that overflows faults
  }
}

void* space::allocate(thread_id t, std::size_t bytes, std::size_t alignment) noexcept {
  if (alignment < header) {
    alignment = header;
  }
  const std::size_t start = (used[t] + header + alignment - 1) / alignment * alignment;
  if (start + bytes > heap_size) {
    return nullptr;
  }
  used[t] = start + bytes;
  std::byte* const block = heap_begin(t) + start;
  *reinterpret_cast<std::size_t*>(block - header) = bytes;
  return block;
}

std::size_t space::allocated_at(const void* p) const noexcept {
  return *reinterpret_cast<const std::size_t*>(static_cast<const std::byte*>(p) - header);
}

}  // namespace verify
