// The watchdog of a pool: notices that no job begins or ends though there is something to do or to wait for
// (src/deadlock/README.md, "Stalls").
#pragma once

#include <dozer/detail/platform.hpp>

#include <cstdint>

namespace dozer::inline DOZER_PLATFORM::detail {

class pool_core;

class watchdog {
 public:
  explicit watchdog(pool_core& pool) noexcept : pool_(pool) {}
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;

  /// If the options or the environment want one. Returns 0, or the error the system gave if the options do.
  [[nodiscard]] int start() noexcept;
  /// From now on a thread waits in the pool's destructor.
  void end_is_awaited() noexcept { end_awaited_.set(true); }
  /// The pool ends.
  void stop() noexcept;
  /// After stop: returns once it is gone; or, if the caller cannot wait, at once.
  void finish(bool wait) noexcept;

 private:
  static void main(void* self) noexcept;
  [[nodiscard]] bool is_over_within(std::uint64_t pause) noexcept;
  void watch() noexcept;
  [[nodiscard]] std::uint64_t progress() const noexcept;
  [[nodiscard]] bool something_is_left() const noexcept;
  [[nodiscard]] bool stands_still() const noexcept;
  void report() noexcept;

  pool_core& pool_;
  thread thread_;
  bool started_ = false;
  std::uint64_t limit_ = 0;  // nanoseconds
  bool waits_too_ = false;   // also while nothing is queued
  reported<bool> end_awaited_{false};
  atomic<std::uint32_t> over_{0};
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
