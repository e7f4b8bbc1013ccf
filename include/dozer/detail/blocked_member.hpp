// A member that waits for something that is no job: what it declares, and who takes its place meanwhile.
#pragma once

#include <dozer/detail/platform.hpp>
#include <dozer/detail/situation.hpp>

namespace dozer::inline DOZER_PLATFORM::detail {

class seat;
class spare;

class blocked_member {
 public:
  blocked_member(seat& who, const doing_now& wait) noexcept;
  ~blocked_member();
  blocked_member(const blocked_member&) = delete;
  blocked_member& operator=(const blocked_member&) = delete;

 private:
  seat& who_;
  activity before_;
  bool held_a_place_;
  bool leaves_its_place_ = false;
  spare* in_its_place_ = nullptr;
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
