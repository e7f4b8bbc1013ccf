#include <dozer/detail/parker.hpp>

namespace dozer::inline DOZER_PLATFORM::detail {

bool parker::wait(std::uint32_t marks, std::uint64_t deadline) const noexcept {
  const std::uint32_t up = parked(parked::awake, marks & parked::lent).bits();
  for (;;) {
    // A worker whose seat is lent meanwhile sees the guest's states here; all of them mean: wait.
    const std::uint32_t seen = word_.load(acquire);  // pairs: parker.state (waker, guest)
    if (seen == up) {
      return true;
    }
    if (deadline != no_deadline && now_ns() >= deadline) {
      return false;
    }
    park(word_, seen, channel_of(marks), deadline);
  }
}

void parker::wake_claimed(parked won) noexcept {
  const std::uint32_t marks = won.bits() & parked::lent;
  word_.store(parked(parked::awake, marks).bits(), release);  // pairs: parker.state (sleeper)
  unpark_one(&word_, channel_of(marks));
}

void parker::give_back_awake() noexcept {
  word_.exchange(parked(parked::awake, 0).bits(), acq_rel);  // pairs: parker.state (the seat's worker)
  unpark_one(&word_, channel::first);
}

std::string to_string(parked value) {
  static constexpr const char* names[] = {"awake", "drowsy", "asleep", "claimed"};
  std::string text = names[value.at()];
  if (value.is_lent()) {
    text += ", lent";
  }
  if ((value.bits() & parked::bound) != 0) {
    text += ", bound";
  }
  if (value.is_timed()) {
    text += ", timed";
  }
  if (value.is_apart()) {
    text += ", apart";
  }
  return text;
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
