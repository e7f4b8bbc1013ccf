// How many bodies may run at once in a pool that is a limit: one place for each (src/pool/README.md, "A limit").
#pragma once

#include <dozer/detail/platform.hpp>
#include <dozer/detail/short_lock.hpp>

#include <cstdint>

namespace dozer::inline DOZER_PLATFORM::detail {

class places {
 public:
  /// Only before the pool runs.
  void limit_to(std::uint32_t most) noexcept { free_ = most; }

  /// Blocks until a place is free and nobody has waited longer.
  void take() noexcept;
  /// To the one that has waited longest, if one waits.
  void leave() noexcept;
  /// A body waits for a place.
  [[nodiscard]] bool wanted() const noexcept { return first_.load(relaxed) != nullptr; }  // relaxed: a hint

 private:
  struct waiting {
    atomic<std::uint32_t> has_place{0};
    waiting* next = nullptr;
  };

  short_lock lock_;  // for all that follows
  std::uint32_t free_ = 0;
  atomic<waiting*> first_{nullptr};
  waiting* last_ = nullptr;
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
