// Whose turn it is: how often a member looks elsewhere though its own queues still hold jobs (src/pool/README.md,
// "Fairness").
#pragma once

#include <dozer/detail/platform.hpp>

#include <cstdint>

namespace dozer::inline DOZER_PLATFORM::detail {

/// The occupant's.
class turn {
 public:
  turn() = default;
  /// idle_options::deque_jobs_in_a_row and injected_jobs_in_a_row: kept here, where a member that was woken looks
  /// anyway.
  turn(std::uint32_t most_jobs, std::uint32_t most_injected) noexcept
      : most_jobs_(most_jobs), most_injected_(most_injected) {}

  /// Before each job. True after so many times: mailbox, injector and oldest job come first now.
  [[nodiscard]] bool is_others() noexcept {
    if (++jobs_ <= most_jobs_) {
      return false;
    }
    jobs_ = 0;
    ++round_;
    return true;
  }
  /// Which of so many comes first; another one each time.
  [[nodiscard]] std::uint32_t first_of(std::uint32_t others) const noexcept { return round_ % others; }

  void took_from_a_deque() noexcept { injected_ = 0; }
  void took_injected() noexcept { ++injected_; }
  /// Some injected jobs in a row, but fewer than that.
  [[nodiscard]] bool is_in_a_stream() const noexcept { return injected_ != 0 && injected_ < most_injected_; }
  /// So many injected jobs in a row: private jobs come first now.
  [[nodiscard]] bool is_private_jobs() noexcept {
    if (injected_ < most_injected_) {
      return false;
    }
    injected_ = 0;
    return true;
  }

 private:
  std::uint32_t most_jobs_ = 0;
  std::uint32_t most_injected_ = 0;
  std::uint32_t jobs_ = 0;
  std::uint32_t injected_ = 0;
  std::uint32_t round_ = 0;
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
