// How many bodies may run at once in a pool that is a limit: one place for each (src/pool/README.md, "A limit").
#pragma once

#include <dozer/detail/platform.hpp>

#include <cstdint>

namespace dozer::inline DOZER_PLATFORM::detail {

class places {
 public:
  /// Only before the pool runs.
  void limit_to(std::uint32_t most) noexcept {
    free_.store(most, relaxed);  // relaxed: nobody else is here yet
  }

  /// Blocks until a place is free.
  void take() noexcept;
  void leave() noexcept;
  /// A body waits for a place.
  [[nodiscard]] bool wanted() const noexcept { return waiting_.load(relaxed) != 0; }  // relaxed: a hint

 private:
  atomic<std::uint32_t> free_{0};
  atomic<std::uint32_t> waiting_{0};
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
