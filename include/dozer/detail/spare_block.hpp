// Memory for one small job, left by the last one. A lone job that comes into a sleeping pool finds the allocator's code
// and data in no cache: on the way to the first instruction of the job that is a fifth.
#pragma once

#include <dozer/detail/platform.hpp>

#include <cstddef>
#include <new>

namespace dozer::inline DOZER_PLATFORM::detail {

class spare_block {
 public:
  static constexpr std::size_t bytes = 64;

  spare_block() = default;
  ~spare_block() { ::operator delete(kept_.load(relaxed)); }  // relaxed: nobody else is left
  spare_block(const spare_block&) = delete;
  spare_block& operator=(const spare_block&) = delete;

  /// So many bytes, aligned as operator new does.
  [[nodiscard]] void* take() {
    void* const kept = kept_.load(relaxed) != nullptr ? kept_.exchange(nullptr, acquire)  // relaxed: a hint
                                                      : nullptr;                          // pairs: pool.spare (give)
    return kept != nullptr ? kept : ::operator new(bytes);
  }
  void give(void* block) noexcept {
    if (kept_.load(relaxed) == nullptr) {      // relaxed: a hint
      block = kept_.exchange(block, acq_rel);  // pairs: pool.spare (take, and another give: its block is freed here)
    }
    ::operator delete(block);
  }

 private:
  atomic<void*> kept_{nullptr};
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
