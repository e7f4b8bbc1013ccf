// A stay in the global pool whose thread sits down when it needs a seat (README.md, "Entering late").
#pragma once

#include <dozer/detail/pool_core.hpp>

#include <optional>

namespace dozer::inline DOZER_PLATFORM::detail {

/// For a thread of no pool, around calls that count as inside the global pool. The thread is counted as a guest, and an
/// extra seat is kept for it. It sits down when it first asks for its seat: there, or in that of a sleeping worker.
class late_stay {
 public:
  late_stay() noexcept;
  ~late_stay();
  late_stay(const late_stay&) = delete;
  late_stay& operator=(const late_stay&) = delete;

  /// False: there is no global pool yet, or it has no seat to keep. Then the thread is outside, as before.
  [[nodiscard]] bool begun() const noexcept { return pool_ != nullptr; }

  /// In the child, where the calling thread is the only one: its stay was one in a pool of the parent.
  static void came_out_of_fork() noexcept;

 private:
  friend seat* enter_late() noexcept;
  [[nodiscard]] DOZER_COLD seat* sit_down() noexcept;

  pool_core* pool_;
  seat* kept_ = nullptr;  // until the thread sits down
  std::optional<guest_stay> inside_;
};

/// Of the calling thread, until it sits down.
extern constinit thread_local late_stay* put_off_stay;

}  // namespace dozer::inline DOZER_PLATFORM::detail
