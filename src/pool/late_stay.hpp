// A stay in the global pool that begins when it is needed (README.md, "Entering late").
#pragma once

#include <dozer/detail/domain.hpp>
#include <dozer/detail/pool_core.hpp>

#include <optional>

namespace dozer::inline DOZER_PLATFORM::detail {

/// For a thread of no pool, around calls that count as inside the global pool. The thread enters the pool when it first
/// asks for its seat. Until then it holds a token: a deadlock must not be reported while the calls may end a wait.
class late_stay {
 public:
  /// Not inside another one, and not if the pool is a limit.
  [[nodiscard]] static bool is_possible() noexcept;

  /// In the child, where the calling thread is the only one: from now on its token is one of the child's domain.
  static void came_out_of_fork() noexcept;

  late_stay() noexcept;
  ~late_stay();
  late_stay(const late_stay&) = delete;
  late_stay& operator=(const late_stay&) = delete;

 private:
  friend seat* enter_late() noexcept;

  domain* home_;  // has the token
  std::optional<guest_stay> inside_;
};

/// Of the calling thread, while it has not entered.
extern constinit thread_local late_stay* put_off_stay;

}  // namespace dozer::inline DOZER_PLATFORM::detail
