// The watchdog of a pool: notices that no job begins or ends though jobs are queued (src/deadlock/README.md, "Stalls").
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

  /// If the options want one. Returns 0, or the error the system gave.
  [[nodiscard]] int start() noexcept;
  /// The pool ends.
  void stop() noexcept;
  /// After stop: returns once it is gone; or, if the caller cannot wait, at once.
  void finish(bool wait) noexcept;

 private:
  static void main(void* self) noexcept;
  void watch() noexcept;
  [[nodiscard]] std::uint64_t progress() const noexcept;
  void report() noexcept;

  pool_core& pool_;
  thread thread_;
  bool started_ = false;
  atomic<std::uint32_t> over_{0};
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
