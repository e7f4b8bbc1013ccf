// Spare workers: each takes the place of a member that waits for the world outside (src/pool/README.md, "Spares").
#pragma once

#include <dozer/detail/latch.hpp>
#include <dozer/detail/platform.hpp>
#include <dozer/detail/short_lock.hpp>

#include <cstdint>
#include <memory>

namespace dozer::inline DOZER_PLATFORM::detail {

class pool_core;
class seat;

/// A thread that works in an extra seat when it is called, until it is dismissed or nothing is left to do. Then it
/// waits for the next call, and if none comes it ends.
class spare {
  friend class spares;

  spare(pool_core& pool, std::uint32_t number) noexcept : pool_(pool), number_(number) {}

  enum class task : std::uint8_t { takes_a_place, runs_what_is_left };

  static void main(void* self) noexcept;
  void work() noexcept;

  static constexpr std::uint32_t unborn = 0, idle = 1, called = 2, sent_home = 3;

  pool_core& pool_;
  const std::uint32_t number_;
  thread thread_;
  atomic<std::uint32_t> word_{unborn};
  seat* place_ = nullptr;  // by the caller, as is the task
  task task_ = task::takes_a_place;
  core_latch dismissed_;   // anew at each call
  spare* next_ = nullptr;  // of the idle ones
};

class spares {
 public:
  spares(pool_core& pool, std::uint32_t most) : pool_(pool), most_(most), number_taken_(new bool[most]()) {}
  spares(const spares&) = delete;
  spares& operator=(const spares&) = delete;

  /// In place of somebody. Null: there are enough, or the system refuses one.
  [[nodiscard]] spare* call() noexcept { return call(spare::task::takes_a_place); }
  /// It finishes the job that it is in.
  static void dismiss(spare& s) noexcept;
  /// One that runs what is queued while everybody waits. False: as call.
  [[nodiscard]] bool run_what_is_left() noexcept { return call(spare::task::runs_what_is_left) != nullptr; }

  /// The pool ends: whoever is idle goes home, and so does who becomes idle.
  void send_home() noexcept;
  /// After that, by a thread that is not one of them: the last worker. So they need no share of the pool's memory.
  void wait_until_gone() noexcept;

 private:
  friend class spare;
  static constexpr double idle_for = 5;  // seconds, then it ends

  [[nodiscard]] spare* call(spare::task to_do) noexcept;
  [[nodiscard]] spare* take_idle_or_make() noexcept;
  /// False: the system refuses a thread; it is gone.
  [[nodiscard]] bool start(spare& s) noexcept;
  /// False: it must end, and counts as able until it is gone.
  [[nodiscard]] bool wait_for_call(spare& s) noexcept;
  /// False: the pool ends.
  [[nodiscard]] bool become_idle(spare& s) noexcept;
  void gone(std::uint32_t number) noexcept;
  void free_number(std::uint32_t number) noexcept;
  void one_fewer_alive() noexcept;

  pool_core& pool_;
  const std::uint32_t most_;
  short_lock lock_;
  spare* idle_ = nullptr;  // under the lock, as are the following
  std::unique_ptr<bool[]> number_taken_;
  bool ending_ = false;
  atomic<std::uint32_t> alive_{0};  // comes down as the last act of a spare
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
