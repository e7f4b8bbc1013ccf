// All seats of a pool: one for each worker, then the extra ones for guests who find no worker asleep.
#pragma once

#include <dozer/detail/platform.hpp>
#include <dozer/detail/seat.hpp>

#include <cstdint>
#include <memory>

namespace dozer::inline DOZER_PLATFORM::detail {

class seating {
 public:
  /// Extra seats for so many spares and guests.
  seating(std::uint32_t workers, std::uint32_t spares, std::uint32_t guests = usual_extra_guests);

  /// Before the pool runs: the system gave fewer threads than asked for. The rest become extra seats.
  void set_workers(std::uint32_t workers) noexcept { workers_ = workers; }

  [[nodiscard]] std::uint32_t workers() const noexcept { return workers_; }
  [[nodiscard]] std::uint32_t capacity() const noexcept { return capacity_; }
  /// Every seat that ever had an occupant is below this.
  [[nodiscard]] std::uint32_t bound() const noexcept {
    return workers_ + extra_used_.load(acquire);  // pairs: seating.extra (guest)
  }
  [[nodiscard]] seat& operator[](std::uint32_t index) noexcept { return seats_[index]; }
  [[nodiscard]] const seat& operator[](std::uint32_t index) const noexcept { return seats_[index]; }

  /// True if a guest sits in every worker's seat, so that no worker will come for an injected job.
  [[nodiscard]] bool all_lent() const noexcept { return lent() == workers_; }

  /// An extra seat, or null if all are taken.
  [[nodiscard]] seat* take_extra() noexcept;
  void return_extra(seat& s) noexcept;
  /// A guest may take an extra seat, and counts as its occupant. False: the pool has as many as it allows.
  [[nodiscard]] bool try_count_in_guest() noexcept;
  void count_out_guest() noexcept { guests_.leave(); }
  void count_in_spare() noexcept { spares_.come(); }
  void count_out_spare() noexcept { spares_.leave(); }

  /// Workers' seats, and extra seats that are occupied.
  [[nodiscard]] std::uint32_t seated() const noexcept { return workers_ + guests_.now() + spares_.now(); }
  /// Those of them in which no guest sits.
  [[nodiscard]] std::uint32_t seated_workers() const noexcept;

  /// How many occupants have left an extra seat, ever.
  [[nodiscard]] std::uint64_t departures() const noexcept { return guests_.left() + spares_.left(); }
  /// At least as many as were seated when `departed` was read, and every occupant that came before the caller's last
  /// fence (src/sleep/README.md, "All inactive").
  [[nodiscard]] std::uint64_t seated_since(std::uint64_t departed) const noexcept {
    return workers_ + guests_.came() + spares_.came() - departed;
  }

 private:
  /// Comings and goings, counted apart: of two that cancel out a reader must be able to see one without the other.
  class occupants {
   public:
    void come() noexcept { came_.fetch_add(1, relaxed); }   // relaxed: the comer's fence orders it
    void leave() noexcept { left_.fetch_add(1, release); }  // pairs: seating.left (who reads how many have left)
    [[nodiscard]] bool come_if_fewer_than(std::uint32_t most) noexcept;
    [[nodiscard]] std::uint64_t came() const noexcept { return came_.load(relaxed); }  // relaxed: the reader's fence
    [[nodiscard]] std::uint64_t left() const noexcept {
      return left_.load(acquire);  // pairs: seating.left (who leaves)
    }
    [[nodiscard]] std::uint32_t now() const noexcept {
      const std::uint64_t gone = left();  // first: nobody leaves who has not come
      return static_cast<std::uint32_t>(came() - gone);
    }

   private:
    atomic<std::uint64_t> came_{0}, left_{0};
  };

  [[nodiscard]] std::uint32_t lent() const noexcept;

  std::uint32_t workers_;
  std::uint32_t capacity_;
  std::uint32_t most_guests_;
  std::unique_ptr<seat[]> seats_;
  atomic<std::uint32_t> extra_used_{0};            // only grows
  alignas(cache_line) occupants guests_, spares_;  // of extra seats
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
