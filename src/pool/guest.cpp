// A guest comes and goes.
#include <dozer/detail/pool_core.hpp>

namespace dozer::inline DOZER_PLATFORM::detail {

namespace {

/// In reports the extra seat is the calling thread's.
void show_occupant(seat& place, bool guest) noexcept {
  place.guest = guest;
  place.guest_inside.set(guest);
  place.state.set(activity::active);
  note_occupant(place);
}

void show_vacant(seat& place) noexcept {
  forget_occupant(place);
  place.guest_inside.set(false);
  place.state.set(activity::vacant);
}

}  // namespace

extra_stay::extra_stay(seat& place, bool guest) noexcept : place_(place) {
  fence_seq_cst();  // pairs: sleep.alone (look_for_all)
  if (!guest) {     // a guest is shown since the seat is kept for it
    show_occupant(place_, false);
  }
  sit_down(place_);
}

extra_stay::~extra_stay() {
  get_up();
  place_.came_just_now = false;
  pool_core& pool = *place_.pool;
  if (place_.guest) {
    pool.give_up_seat(place_);
  } else {  // a spare looks as soon as it can be called again
    show_vacant(place_);
    pool.seats.count_out_spare();
    pool.seats.return_extra(place_);
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
    return nullptr;
  }
  show_occupant(*extra, true);
  return extra;
}

void pool_core::give_up_seat(seat& kept) noexcept {
  show_vacant(kept);
  seats.count_out_guest();
  seats.return_extra(kept);
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
