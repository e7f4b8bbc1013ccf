// Memory for elements that a sort moves out of its range.
#pragma once

#include <dozer/detail/platform.hpp>

#include <cstddef>

namespace dozer::inline DOZER_PLATFORM::detail {

class raw_buffer {
 public:
  /// Without memory: get() is null.
  raw_buffer(std::size_t count, std::size_t size, std::size_t alignment) noexcept;
  raw_buffer(const raw_buffer&) = delete;
  raw_buffer& operator=(const raw_buffer&) = delete;
  ~raw_buffer();

  [[nodiscard]] void* get() const noexcept { return memory_; }

 private:
  std::size_t alignment_;
  void* memory_;
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
