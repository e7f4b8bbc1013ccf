// Memory for elements that a sort moves out of its range.
#include <dozer/detail/raw_buffer.hpp>

#include <algorithm>
#include <cstdint>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace dozer::inline DOZER_PLATFORM::detail {

namespace {

constexpr std::size_t huge_page = std::size_t{1} << 21;

/// Radix sort writes to hundreds of places at a time, which needs as many entries of the TLB with small pages.
void prefer_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(__linux__)
  static_cast<void>(madvise(memory, bytes, MADV_HUGEPAGE));  // a wish: nothing is lost if it is not granted
#endif
}

}  // namespace

raw_buffer::raw_buffer(std::size_t count, std::size_t size, std::size_t alignment) noexcept
    : alignment_(alignment), memory_(nullptr) {
  if (count > PTRDIFF_MAX / size) {
    return;
  }
  const std::size_t bytes = count * size;
  const bool is_large = bytes >= 2 * huge_page;
  alignment_ = is_large ? std::max(alignment, huge_page) : alignment;
  memory_ = ::operator new(bytes, std::align_val_t(alignment_), std::nothrow);
  if (memory_ != nullptr && is_large) {
    prefer_huge_pages(memory_, bytes / huge_page * huge_page);
  }
}

raw_buffer::~raw_buffer() { ::operator delete(memory_, std::align_val_t(alignment_)); }

}  // namespace dozer::inline DOZER_PLATFORM::detail
