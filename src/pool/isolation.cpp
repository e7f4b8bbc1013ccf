#include <dozer/isolate.hpp>

#include <dozer/detail/pool_core.hpp>

namespace dozer::inline DOZER_PLATFORM::detail {

isolation isolations::begin() noexcept {
  // A slot with an old number in it is worth nothing, as the exchange that wins it finds out: so relaxed does, below.
  const std::uint32_t from = last_.load(relaxed);  // relaxed: a hint
  for (std::uint32_t i = 0; i < max_isolations; ++i) {
    const std::uint32_t number = (from + i) % max_isolations + 1;
    std::uint32_t uses = 0;
    if (uses_[number - 1].compare_exchange(uses, 1, relaxed, relaxed)) {  // relaxed: as above
      last_.store(number, relaxed);                                       // relaxed: a hint
      return isolation::numbered(number);
    }
  }
  return isolation::nameless();
}

void isolations::add(isolation to) noexcept {
  if (to.any() && to != isolation::nameless()) {
    uses_[to.number() - 1].fetch_add(1, relaxed);  // relaxed: whoever adds is inside, so it is in use
  }
}

void isolations::let_go(isolation of) noexcept {
  if (of.any() && of != isolation::nameless()) {
    uses_[of.number() - 1].fetch_sub(1, relaxed);  // relaxed: as in begin
  }
}

job_line* seat::line_in(isolation in) {
  if (!in.any()) {
    return &line_;
  }
  return in == isolation::nameless() ? nullptr : &lines_[in.number()];
}

isolated_stay::isolated_stay(seat& me) noexcept
    : me_(me), in_(me.pool->isolated.begin()), before_(me.own().enter(in_)) {}

isolated_stay::~isolated_stay() {
  me_.own().leave_to(before_);
  me_.pool->isolated.let_go(in_);
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
