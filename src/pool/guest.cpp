// A guest comes and goes.
#include <dozer/detail/pool_core.hpp>

namespace dozer::inline DOZER_PLATFORM::detail {

extra_stay::extra_stay(seat& place, bool guest) noexcept : place_(place) {
  fence_seq_cst();  // pairs: sleep.alone (look_for_all)
  place_.guest = guest;
  place_.guest_inside.set(guest);
  place_.state.set(activity::active);
  sit_down(place_);
  note_occupant(place_);
}

extra_stay::~extra_stay() {
  get_up();
  place_.came_just_now = false;
  forget_occupant(place_);
  place_.guest_inside.set(false);
  place_.state.set(activity::vacant);
  pool_core& pool = *place_.pool;
  const bool guest = place_.guest;  // read before: afterwards it may be somebody else's seat
  guest ? pool.seats.count_out_guest() : pool.seats.count_out_spare();
  pool.seats.return_extra(place_);
  if (guest) {  // a spare looks as soon as it can be called again
    pool.guest_is_gone();
  }
}

seat* pool_core::keep_seat_for_guest() noexcept {
  if (!seats.try_count_in_guest()) {
    return nullptr;
  }
  seat* const extra = seats.take_extra();
  if (extra == nullptr) {
    seats.count_out_guest();
    fence_seq_cst();  // pairs: pool.aside (step_aside)
    stand_in_if_nobody_runs();
  }
  return extra;
}

void pool_core::give_up_seat(seat& kept) noexcept {
  seats.count_out_guest();
  seats.return_extra(kept);
  guest_is_gone();
}

void pool_core::guest_is_gone() noexcept {
  // pairs: pool.aside (step_aside)
  // pairs: spares.lacking (take_place)
  fence_seq_cst();
  spare_workers.serve();
  stand_in_if_nobody_runs();
}

guest_stay::guest_stay(pool_core& pool) noexcept : pool_(pool), borrowed_(nullptr) {
  pool_.hold();
  pool_.home.enter();
  if (borrow()) {
    borrowed_->came_just_now = true;
  } else if (seat* const extra = pool_.keep_seat_for_guest()) {
    extra_.emplace(*extra, true);
    extra->came_just_now = true;
  }
}

guest_stay::guest_stay(pool_core& pool, seat& kept) noexcept : pool_(pool), borrowed_(nullptr) {
  pool_.hold();
  if (borrow()) {
    pool_.give_up_seat(kept);
  } else {
    extra_.emplace(kept, true);
  }
}

inline bool guest_stay::borrow() noexcept {
  borrowed_ = pool_.sleep.borrow_seat();
  if (borrowed_ == nullptr) {
    return false;
  }
  sit_down(*borrowed_);
  note_occupant(*borrowed_);
  fence_seq_cst();  // pairs: pool.aside (step_aside)
  pool_.stand_in_if_nobody_runs();
  pool_.runs(*borrowed_);
  return true;
}

guest_stay::~guest_stay() {
  domain& home = pool_.home;
  bool counted = true;
  if (borrowed_ != nullptr) {
    pool_.rests(*borrowed_);
    get_up();
    borrowed_->came_just_now = false;
    forget_occupant(*borrowed_);
    counted = !pool_.sleep.give_back(*borrowed_);
  }
  extra_.reset();
  pool_.let_go();
  if (counted) {
    home.leave();
  }
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
