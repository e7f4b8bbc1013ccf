// The processor on which a worker should not come up when it is woken (src/sleep/README.md, "Which processor").
#pragma once

#include <dozer/detail/platform.hpp>

#include <cstdint>

namespace dozer::inline DOZER_PLATFORM::detail {

/// The worker's own.
class shunned {
 public:
  /// In the sleep that begins now. Now and then none, to see whether the system would do better by itself.
  [[nodiscard]] int in_this_sleep() noexcept {
    if (++sleeps_ == enough) {
      where_ = no_processor;
    }
    return where_;
  }
  /// `from` is where the waker works on, or none.
  void woken(int from) noexcept {
    if (from == no_processor) {
      where_ = no_processor;
    } else if (from == current_processor()) {
      where_ = from;
      sleeps_ = 0;
    }
  }

 private:
  static constexpr std::uint32_t enough = 64;

  int where_ = no_processor;
  std::uint32_t sleeps_ = 0;  // since it was chosen
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
