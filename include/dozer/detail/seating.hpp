// All seats of a pool: one for each worker, then the extra ones for guests who find no worker asleep.
#pragma once

#include <dozer/detail/platform.hpp>
#include <dozer/detail/seat.hpp>

#include <cstdint>
#include <memory>

namespace dozer::inline DOZER_PLATFORM::detail {

class seating {
 public:
  /// Extra seats for so many spares, and for guests.
  seating(std::uint32_t workers, std::uint32_t spares);

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
  /// Who sits in one: a guest, or a spare worker.
  void count_in(bool guest) noexcept {
    (guest ? extra_guests_ : extra_spares_).fetch_add(1, relaxed);  // relaxed: the asker's fence orders it
  }
  void count_out(bool guest) noexcept {
    (guest ? extra_guests_ : extra_spares_).fetch_sub(1, relaxed);  // relaxed: the asker's fence orders it
  }
  [[nodiscard]] bool has_room_for_a_guest() const noexcept {
    return extra_guests_.load(relaxed) < max_extra_seats;  // relaxed: the other seats are for spares, more or less
  }
  /// Workers' seats, and extra ones in which somebody sits.
  [[nodiscard]] std::uint32_t seated() const noexcept {
    return workers_ + extra_guests_.load(relaxed) + extra_spares_.load(relaxed);  // relaxed: the asker's fence
  }
  /// Those of them in which no guest sits.
  [[nodiscard]] std::uint32_t seated_workers() const noexcept;

 private:
  [[nodiscard]] std::uint32_t lent() const noexcept;

  std::uint32_t workers_;
  std::uint32_t capacity_;
  std::unique_ptr<seat[]> seats_;
  alignas(cache_line) atomic<std::uint32_t> extra_used_{0};  // only grows
  atomic<std::uint32_t> extra_guests_{0};                    // now
  atomic<std::uint32_t> extra_spares_{0};                    // now
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
