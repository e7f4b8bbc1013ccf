#include "late_stay.hpp"

#include "global.hpp"

#include <dozer/thread_pool.hpp>

#include <utility>

namespace dozer::inline DOZER_PLATFORM::detail {

constinit thread_local late_stay* put_off_stay = nullptr;

late_stay::late_stay() noexcept : pool_(global_pool_now()) {
  if (pool_ == nullptr || pool_->options().extra_guests == 0) {
    pool_ = nullptr;
    return;
  }
  pool_->home.enter();
  kept_ = pool_->keep_seat_for_guest();
  if (kept_ == nullptr) {
    pool_->home.leave();
    pool_ = nullptr;
    return;
  }
  put_off_stay = this;
}

late_stay::~late_stay() {
  if (kept_ != nullptr) {
    put_off_stay = nullptr;
    pool_->give_up_seat(*kept_);
    pool_->home.leave();
  }
}

void late_stay::came_out_of_fork() noexcept {
  if (late_stay* const stay = std::exchange(put_off_stay, nullptr)) {
    stay->kept_ = nullptr;
  }
}

seat* late_stay::sit_down() noexcept {
  put_off_stay = nullptr;
  inside_.emplace(*pool_, *std::exchange(kept_, nullptr));
  return &own_seat();
}

seat* enter_late() noexcept { return put_off_stay == nullptr ? nullptr : put_off_stay->sit_down(); }

}  // namespace dozer::inline DOZER_PLATFORM::detail
