#include "late_stay.hpp"

#include "global.hpp"

#include <dozer/thread_pool.hpp>

#include <utility>

namespace dozer::inline DOZER_PLATFORM::detail {

constinit thread_local late_stay* put_off_stay = nullptr;

bool late_stay::is_possible() noexcept { return put_off_stay == nullptr && !global_pool_is_a_limit(); }

late_stay::late_stay() noexcept : home_(&current_domain()) {
  home_->take_token();
  put_off_stay = this;
}

late_stay::~late_stay() {
  if (put_off_stay == this) {
    put_off_stay = nullptr;
    home_->drop_token();
  } else {
    inside_.reset();
  }
}

void late_stay::came_out_of_fork() noexcept {
  if (late_stay* const stay = put_off_stay) {
    stay->home_ = &current_domain();
    stay->home_->take_token();
  }
}

seat* enter_late() noexcept {
  late_stay* const stay = std::exchange(put_off_stay, nullptr);  // first: what follows asks for the seat, too
  if (stay == nullptr) {
    return nullptr;
  }
  try {
    stay->inside_.emplace(core_of(global_pool()));
    if (stay->inside_->seated()) {
      stay->home_->drop_token();  // the guest is counted
      own_seat().came_just_now = false;
      return &own_seat();
    }
    stay->inside_.reset();
  } catch (...) {  // There is no global pool, and none can be made: a caller that needs it will say so.
  }
  put_off_stay = stay;
  return nullptr;
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
