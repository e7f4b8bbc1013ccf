#include <dozer/detail/seating.hpp>

#include <dozer/detail/counters.hpp>

#include <algorithm>

namespace dozer::inline DOZER_PLATFORM::detail {

static_assert(sizeof(seat) % cache_line == 0, "neighbours must not share a line");

seating::seating(std::uint32_t workers, std::uint32_t spares, std::uint32_t guests)
    : workers_(workers),
      capacity_(workers + std::min(std::min(guests, counters::max_members) + std::min(spares, counters::max_members),
                                   counters::max_members - workers)),
      most_guests_(guests),
      seats_(new seat[capacity_]) {
  for (std::uint32_t i = 0; i < capacity_; ++i) {
    seats_[i].index = i;
    seats_[i].chance = random(i + 1);
  }
}

std::uint32_t seating::lent() const noexcept {
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < workers_; ++i) {
    count += seats_[i].parker.load().is_lent() ? 1 : 0;
  }
  return count;
}

std::uint32_t seating::seated_workers() const noexcept { return workers_ - lent() + spares_.now(); }

bool seating::try_count_in_guest() noexcept { return guests_.come_if_fewer_than(most_guests_); }

bool seating::occupants::come_if_fewer_than(std::uint32_t most) noexcept {
  const std::uint64_t gone = left();  // first, as in now(); a later departure is seen next time
  std::uint64_t seen = came();
  while (seen - gone < most) {
    if (came_.compare_exchange_weak(seen, seen + 1, relaxed, relaxed)) {  // relaxed: the comer's fence orders it
      return true;
    }
  }
  return false;
}

seat* seating::take_extra() noexcept {
  for (std::uint32_t i = workers_; i < capacity_; ++i) {
    seat& s = seats_[i];
    // relaxed: the exchange decides
    if (!s.taken.load(relaxed) && !s.taken.exchange(true, acquire)) {  // pairs: seating.hand_over (return_extra)
      std::uint32_t used = extra_used_.load(relaxed);                  // relaxed: the exchange checks it
      const std::uint32_t needed = i - workers_ + 1;
      // pairs: seating.extra (bound)
      while (used < needed && !extra_used_.compare_exchange_weak(used, needed, release, relaxed)) {
        // somebody has raised it, perhaps far enough
      }
      return &s;
    }
  }
  return nullptr;
}

void seating::return_extra(seat& s) noexcept {
  s.taken.store(false, release);  // pairs: seating.hand_over (take_extra)
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
