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

  /// For a member that waits for the world outside: calls a spare to its place. Null: the limit is reached, or the
  /// system refuses a thread or memory; then one comes as soon as it can.
  [[nodiscard]] spare* take_place() noexcept;
  /// The wait is over; `mine` is what take_place returned. The spare finishes the job that it is in.
  void give_place_back(spare* mine) noexcept;
  /// Something has changed that may let a spare come for a wait that lacks one. After a fence.
  void serve() noexcept {
    if (lacking_.load(relaxed) != 0) [[unlikely]] {  // relaxed: the caller's fence orders it
      serve_lacking();
    }
  }
  /// Calls one that runs what is queued while all members wait. False: it cannot.
  [[nodiscard]] bool run_what_is_left() noexcept { return call(spare::task::runs_what_is_left) != nullptr; }

  /// How many waits for the world outside lack a spare, for reports.
  [[nodiscard]] std::uint32_t lacking() const noexcept { return lacking_.load(relaxed); }  // relaxed: a snapshot
  /// Why the last call has failed, or null.
  [[nodiscard]] const char* why_none_came() const noexcept { return why_none_came_.get(); }

  /// The pool ends: whoever is idle goes home, and so does who becomes idle.
  void send_home() noexcept;
  /// After that, by a thread that is not one of them: the last worker. So they need no share of the pool's memory.
  void wait_until_gone() noexcept;

 private:
  friend class spare;
  static constexpr double idle_for = 5;  // seconds, then it ends

  static void dismiss(spare& s) noexcept;
  [[nodiscard]] spare* call(spare::task to_do) noexcept;
  DOZER_COLD void serve_lacking() noexcept;
  /// False: no wait lacks a spare, or another thread is at it and will look again.
  [[nodiscard]] bool begin_serving() noexcept;
  /// Null: no spare could come. False: there is no use in going on.
  [[nodiscard]] bool served_by(spare* called) noexcept;
  [[nodiscard]] spare* take_idle_or_make(bool& out_of_memory) noexcept;
  /// One that is idle, or, if it may be `also_made`, a number for another.
  [[nodiscard]] bool one_can_be_had(bool also_made) noexcept;
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
  // Waits without a spare of their own: those that lack one, and one for each spare that came late. Numbers are enough:
  // which wait a late spare stands in for does not matter.
  atomic<std::uint32_t> lacking_{0};  // read without the lock
  std::uint32_t being_served_ = 0;    // of those
  bool serve_again_ = false;          // something has changed while all of them were being served
  spare* came_late_ = nullptr;        // a list
  std::unique_ptr<bool[]> number_taken_;
  bool ending_ = false;
  reported<const char*> why_none_came_{nullptr};  // by any caller, without the lock: the last one wins
  atomic<std::uint32_t> alive_{0};                // comes down as the last act of a spare
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
