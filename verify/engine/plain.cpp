// Plain memory: the program's heap, races, and use after free.
#include "machine.hpp"

#include <fmt/format.h>
#include <cstring>

namespace verify {

void* machine::allocate(std::size_t bytes, std::size_t alignment) noexcept {
  outside guard(*this);
  if (me().without_memory) {
    return nullptr;
  }
  ++me().did.allocations;
  void* const block = space_.allocate(current_, bytes, alignment);
  if (block == nullptr) {
    fail("scenario", "the heap of a thread is full");
  }
  return block;
}

void machine::free(void* p) noexcept {
  if (!exploring_) {
    if (in_program_) {
      space_.free(p);
    }
    return;
  }
  const std::size_t bytes = space_.allocated_at(p);
  plain_access(p, bytes, true);
  outside guard(*this);
  const std::size_t first = space_.offset(p) / 8;
  ended_hash_ += fold(first, 1);
  for (std::size_t i = first; i < first + (bytes + 7) / 8; ++i) {
    cells_[i].freed = true;
    if (!cell_kinds_[i].visible) {
      cell_kinds_[i].visible = true;
      found_new_visible_ = true;
    }
  }
}

void machine::plain_access(const void* p, std::size_t bytes, bool write) noexcept {
  const std::size_t begin = space_.offset(p);
  if (!exploring_ || begin >= space::size) {
    return;
  }
  check_live(begin, bytes);
  const std::size_t first = begin / 8, last = (begin + bytes - 1) / 8;
  if (first == last) {
    // Most accesses: what nobody else ever uses, on the own stack or only read.
    const kind_of_cell& kind = cell_kinds_[first];
    if (!kind.visible && kind.users == bit(current_) &&
        (!write || (kind.written && begin - current_ * space::part_size < space::stack_size))) {
      return;
    }
  }
  outside guard(*this);
  for (std::size_t i = first; i <= last; ++i) {
    unsigned touched = 0xFF;
    if (i * 8 < begin) {
      touched &= 0xFFu << (begin - i * 8);
    }
    if (begin + bytes < (i + 1) * 8) {
      touched &= 0xFFu >> ((i + 1) * 8 - begin - bytes);
    }
    access_cell(i, touched, write);
  }
}

/// On a heap: a block that was allocated. On the own stack: a frame that has not returned. (For other stacks, and for
/// what was freed, access_cell looks.)
void machine::check_live(std::size_t begin, std::size_t bytes) noexcept {
  const std::size_t in_part = begin % space::part_size;
  if (in_part >= space::stack_size) {
    if (!space_.is_allocated(begin, bytes)) {
      fail("out of bounds", "memory of the heap that was not allocated");
    }
  } else if (begin / space::part_size == current_ && begin < space_.offset(__builtin_frame_address(0))) {
    fail("use after free", "memory on the stack of a function that has returned");
  }
}

void machine::access_cell(std::size_t i, unsigned touched, bool write) noexcept {
  kind_of_cell& kind = cell_kinds_[i];
  if (!kind.visible) {
    kind.users |= bit(current_);
    kind.written |= write;
    if (kind.written && (kind.users & (kind.users - 1)) != 0) {
      kind.visible = true;
      found_new_visible_ = true;
    }
  }
  const std::size_t part = i / (space::part_size / 8);
  const std::size_t in_part = i - part * (space::part_size / 8);
  const bool on_stack = in_part < space::stack_size / 8;
  if (!kind.visible && (!write || (on_stack && part == current_))) {
    return;
  }
  if (kind.visible) {
    me().touched_at = me().cur.before.of[current_];
  }
  std::byte* const memory = space_.stack_begin(0) + i * 8;
  if (part != current_ && on_stack && memory < threads_[part].context.sp) {
    fail("use after free", "memory on the stack of a function that has returned");
  }
  cell& c = cells_[i];
  if (c.run != run_number_) {
    c = {};
    c.run = run_number_;
    used_cells_.push_back(static_cast<std::uint32_t>(i));
  }
  if (!write) {
    std::uint64_t value;
    std::memcpy(&value, memory, sizeof value);
    observe(i, value);
  } else if (!c.dirty && (!on_stack || part != current_)) {
    c.dirty = true;
    dirty_.push_back(static_cast<std::uint32_t>(i));
  }
  if (c.freed) {
    fail("use after free", "memory that has been freed");
  }
  if ((touched & 0x0F) != 0) {
    access_half(c.halves[0], touched & 0x0F, write);
  }
  if ((touched & 0xF0) != 0) {
    access_half(c.halves[1], touched & 0xF0, write);
  }
}

void machine::access_half(half_cell& c, unsigned touched, bool write) noexcept {
  const clock& known = me().cur.before;
  if (c.written_by != current_ && (c.written_bytes & touched) != 0 && c.written_at > known.of[c.written_by]) {
    fail("race", fmt::format("{} what {} wrote, with nothing to order them", write ? "writes" : "reads",
                             threads_[c.written_by].name));
  }
  if (write) {
    for (thread_id t = 0; t < thread_count_; ++t) {
      if (t != current_ && (c.read_bytes[t] & touched) != 0 && c.read_at[t] > known.of[t]) {
        fail("race", fmt::format("writes what {} read, with nothing to order them", threads_[t].name));
      }
    }
    c.written_by = current_;
    c.written_at = known.of[current_];
    c.written_bytes = static_cast<std::uint8_t>(touched);
  } else {
    c.read_at[current_] = known.of[current_];
    c.read_bytes[current_] = static_cast<std::uint8_t>(touched);
  }
}

}  // namespace verify
