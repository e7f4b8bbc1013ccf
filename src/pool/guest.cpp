// A guest comes and goes.
#include <dozer/detail/pool_core.hpp>

namespace dozer::inline DOZER_PLATFORM::detail {

namespace {

/// What a guest leaves in an extra seat has no worker to go to: it goes to the injector, in the order of a thief's.
void move_jobs_to_injector(pool_core& pool, seat& leaving) noexcept {
  posted_job* first = nullptr;
  posted_job* last = nullptr;
  std::uint32_t count = 0;
  while (leaving.others().in_sight()) {
    leaving.own().publish();  // each time: an exposer may have set its mark meanwhile
    const deque_thief::loot got = leaving.others().steal();
    if (got.stolen == nullptr) {
      continue;
    }
    // A join takes its job back or waits for it. So what is left was posted, alone or in a line: the seat's own, or
    // that of a scope that somebody else waits for.
    job_line* const line = job_line::from(*got.stolen);
    posted_job* const j = line != nullptr ? line->pop() : static_cast<posted_job*>(got.stolen);
    (last == nullptr ? first : last->next) = j;
    last = j;
    ++count;
  }
  if (count != 0) {
    const bool had_jobs = pool.injected.push_batch(*first, *last);
    pool.sleep.jobs_injected(count, had_jobs);
  }
}

}  // namespace

extra_stay::extra_stay(pool_core& pool, seat& place, bool guest) noexcept : pool_(pool), place_(place) {
  fence_seq_cst();  // pairs: sleep.alone (look_for_all)
  place_.guest = guest;
  place_.guest_inside.set(guest);
  place_.state.set(activity::active);
  sit_down(place_);
}

extra_stay::~extra_stay() {
  get_up();
  move_jobs_to_injector(pool_, place_);
  place_.guest_inside.set(false);
  place_.state.set(activity::vacant);
  pool_.seats.return_extra(place_);
}

guest_stay::guest_stay(pool_core& pool) noexcept : pool_(pool), borrowed_(nullptr) {
  pool_.hold();
  pool_.home.enter();
  borrowed_ = pool_.sleep.borrow_seat();
  if (borrowed_ != nullptr) {
    sit_down(*borrowed_);
  } else if (seat* const extra = pool_.seats.take_extra()) {
    extra_.emplace(pool_, *extra, true);
  }
}

guest_stay::~guest_stay() {
  domain& home = pool_.home;
  bool counted = true;
  if (borrowed_ != nullptr) {
    get_up();
    counted = !pool_.sleep.give_back(*borrowed_);
  }
  extra_.reset();
  pool_.let_go();
  if (counted) {
    home.leave();
  }
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
