// The memory of a checked program: for each thread a stack and a heap of its own, so that addresses depend on what that
// thread did and not on how the threads were interleaved. Freed memory is not used again within a run.
#pragma once

#include "view.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace verify {

class space {
 public:
  static constexpr std::size_t stack_size = 64 * 1024;
  static constexpr std::size_t heap_size = 128 * 1024;
  static constexpr std::size_t part_size = stack_size + heap_size;
  static constexpr std::size_t size = max_threads * part_size;

  space();

  [[nodiscard]] bool contains(const void* p) const noexcept {
    return static_cast<std::size_t>(static_cast<const std::byte*>(p) - base_) < size;
  }
  [[nodiscard]] std::size_t offset(const void* p) const noexcept {
    return static_cast<std::size_t>(static_cast<const std::byte*>(p) - base_);
  }
  [[nodiscard]] std::byte* stack_begin(thread_id t) const noexcept { return base_ + t * part_size; }
  [[nodiscard]] std::byte* stack_end(thread_id t) const noexcept { return stack_begin(t) + stack_size; }
  [[nodiscard]] std::byte* heap_begin(thread_id t) const noexcept { return stack_end(t); }

  /// Null: the heap of that thread is full.
  [[nodiscard]] void* allocate(thread_id t, std::size_t bytes, std::size_t alignment) noexcept;
  /// In the set-up: from then on it was never allocated.
  void free(void* p) noexcept;
  [[nodiscard]] std::size_t allocated_at(const void* p) const noexcept;
  /// Whether all of these bytes of a heap, from that offset on, have been allocated. Those that were freed count, too.
  [[nodiscard]] bool is_allocated(std::size_t offset, std::size_t bytes) const noexcept {
    const std::size_t in_heap = offset % part_size - stack_size;
    if (in_heap + bytes > used[offset / part_size]) {
      return false;
    }
    const unsigned wanted = ((1u << std::min<std::size_t>(bytes, 8)) - 1) << offset % 8;
    if (wanted <= 0xFF) [[likely]] {
      return (allocated_[offset / 8] & wanted) == wanted && (bytes <= 8 || is_allocated(offset + 8, bytes - 8));
    }
    const std::size_t in_this_cell = 8 - offset % 8;
    return is_allocated(offset, in_this_cell) && is_allocated(offset + in_this_cell, bytes - in_this_cell);
  }

  std::size_t used[max_threads] = {};  // of each heap

 private:
  std::byte* base_;
  std::vector<std::uint8_t> allocated_;  // of each eight bytes which, as bits; valid below `used`
};

}  // namespace verify
