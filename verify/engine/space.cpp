#include "space.hpp"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>

namespace verify {

namespace {

constexpr std::size_t header = 16;  // before each block: its size

}  // namespace

space::space() : allocated_(size / 8) {
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
  std::uint8_t* const marks = allocated_.data() + (offset(heap_begin(t)) / 8);
  std::fill(marks + (used[t] + 7) / 8, marks + start / 8, std::uint8_t{0});
  std::fill_n(marks + start / 8, bytes / 8, std::uint8_t{0xFF});
  if (bytes % 8 != 0) {
    marks[(start + bytes) / 8] = static_cast<std::uint8_t>((1u << bytes % 8) - 1);
  }
  used[t] = start + bytes;
  std::byte* const block = heap_begin(t) + start;
  *reinterpret_cast<std::size_t*>(block - header) = bytes;
  return block;
}

void space::free(void* p) noexcept {
  std::fill_n(allocated_.data() + offset(p) / 8, (allocated_at(p) + 7) / 8, std::uint8_t{0});
}

std::size_t space::allocated_at(const void* p) const noexcept {
  return *reinterpret_cast<const std::size_t*>(static_cast<const std::byte*>(p) - header);
}

}  // namespace verify
