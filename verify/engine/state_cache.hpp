// The states that were seen, each with a byte: a hash table without removal.
#pragma once

#include <cstdint>
#include <vector>

namespace verify {

class state_cache {
 public:
  state_cache() : slots_(1 << 12) {}

  /// The byte of that state; a new one has `fresh`.
  std::uint8_t& at(std::uint64_t key, std::uint8_t fresh) {
    if (2 * used_ >= slots_.size()) {
      grow();
    }
    key |= 1;  // 0 is a free slot
    slot& s = find(slots_, key);
    if (s.key == 0) {
      s = {key, fresh};
      ++used_;
    }
    return s.value;
  }
  [[nodiscard]] std::uint64_t size() const noexcept { return used_; }
  void clear() {
    slots_.assign(1 << 12, slot{});
    used_ = 0;
  }

 private:
  struct [[gnu::packed]] slot {
    std::uint64_t key = 0;
    std::uint8_t value = 0;
  };

  static slot& find(std::vector<slot>& in, std::uint64_t key) {
    const std::size_t mask = in.size() - 1;
    std::size_t i = (key >> 7) & mask;
    while (in[i].key != 0 && in[i].key != key) {
      i = (i + 1) & mask;
    }
    return in[i];
  }
  void grow() {
    std::vector<slot> larger(2 * slots_.size());
    for (const slot& s : slots_) {
      if (s.key != 0) {
        find(larger, s.key) = s;
      }
    }
    slots_.swap(larger);
  }

  std::vector<slot> slots_;
  std::uint64_t used_ = 0;
};

}  // namespace verify
