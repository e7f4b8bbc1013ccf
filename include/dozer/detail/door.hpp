// Where outsiders come into a pool with jobs. A pool has several doors, each on a line of its own, so that producers do
// not get in each other's way (src/pool/README.md, "How long it lives").
#pragma once

#include <dozer/detail/platform.hpp>

#include <cstdint>

namespace dozer::inline DOZER_PLATFORM::detail {

class alignas(cache_line) door {
 public:
  /// False: it is shut.
  [[nodiscard]] bool enter() noexcept {
    std::uint32_t seen = inside_.load(relaxed);  // relaxed: the exchange checks it
    while (seen < shut_bit) {
      if (inside_.compare_exchange_weak(seen, seen + 1, relaxed, relaxed)) {  // relaxed: leaving publishes
        return true;
      }
    }
    return false;
  }
  /// By one who is inside.
  void bring_job() noexcept { jobs_.fetch_add(1, relaxed); }  // relaxed: leaving publishes it
  /// True: the door is shut, and this was the last: it has to settle. False: the pool may be gone.
  [[nodiscard]] bool leave() noexcept {
    return inside_.fetch_sub(1, seq_cst) ==
           shut_bit + 1;  // pairs: door.inside (shut, the other ones who leave, confirm)
  }

  /// From now on nobody enters. True: nobody is inside, so the caller has to settle.
  [[nodiscard]] bool shut() noexcept {
    return inside_.fetch_or(shut_bit, acq_rel) == 0;  // pairs: door.inside (those who leave)
  }
  /// For who settles: how many were brought.
  [[nodiscard]] std::int64_t jobs() const noexcept { return jobs_.load(relaxed); }  // relaxed: ordered by inside_

  /// For the reporter, after its fence.
  [[nodiscard]] bool somebody_inside() const noexcept {
    return (inside_.load(relaxed) & ~shut_bit) != 0;  // relaxed: the fence in confirm orders it
  }

 private:
  static constexpr std::uint32_t shut_bit = std::uint32_t{1} << 31;

  atomic<std::uint32_t> inside_{0};
  atomic<std::int64_t> jobs_{0};
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
