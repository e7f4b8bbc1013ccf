// What of a parallel loop does not depend on its body.
#include <dozer/detail/loop.hpp>

#include <dozer/thread_pool.hpp>

#include <algorithm>
#include <array>

namespace dozer::inline DOZER_PLATFORM::detail {

namespace {

/// What a block should take: long enough to make a fork and a look at the clock cheap.
constexpr std::uint64_t aim = 2 * ticks_per_us;
/// A loop that takes less is over before anybody could be of help.
constexpr std::uint64_t alone_for = 3 * ticks_per_us;

/// Iterations between two looks for hungry members are few, so that long ones are soon noticed. Where they are very
/// short there are more, so that the looks cost little and the compiler can vectorise what is between them.
constexpr std::uint64_t most_between_looks = 16 * loop_look;

}  // namespace

// ---- the loop -----------------------------------------------------------------------------------

void loop::keep_exception() noexcept {
  if (!thrown_.exchange(true, relaxed)) {  // relaxed: the latches order the exception
    error_ = std::current_exception();
  }
}

void loop::run_part(loop_part& part, bool alone) noexcept {
  try {
    part.begin(alone);
    body_.run(part);
  } catch (...) {
    keep_exception();
  }
  part.drop_rest();
}

std::uint64_t loop::run(std::uint64_t count, bool alone, bool timed) {
  if (is_over()) {
    return 0;
  }
  loop_part whole(*this, {0, count});
  whole.first_began_ = timed ? 1 : 0;
  run_part(whole, alone);
  if (has_thrown()) {
    std::rethrow_exception(std::move(error_));
  }
  return whole.first_took_;
}

void loop::run_shared(block all) noexcept {
  if (is_over()) {
    return;
  }
  const std::uint64_t middle = all.first + (all.last - all.first) / 2;
  loop_part lower(*this, {all.first, middle});
  loop_part upper(*this, {middle, all.last});
  try {
    upper.fork_all();
    if (all.first != middle) {
      run_part(lower, false);
    }
    if (upper.get_rest_back() && !is_over()) {
      run_part(upper, false);
    }
  } catch (...) {
    keep_exception();  // no room in the deque: upper is not in it
  }
}

// ---- a part of it -------------------------------------------------------------------------------

const char* loop_part::name(const job& self) noexcept { return static_cast<const loop_part&>(self).of_.body().name; }

void loop_part::run(job& self, seat& here) noexcept {
  auto& part = static_cast<loop_part&>(self);
  seat& owner = *here.took_from;
  part.of_.run_shared(part.rest_);
  if (part.set()) {
    wake_latch_owner(owner, &here);
  }
}

void loop_part::tell_the_hungry() noexcept { me_.sleep->jobs_forked(me_); }

void loop_part::find_position() {
  me_.own().reserve();
  position_ = me_.own().position();
}

void loop_part::fork_all() {
  find_position();
  me_.own().push_isolated_at(position_, *this);
  if (somebody_is_hungry(me_)) {
    tell_the_hungry();
  }
}

void loop_part::begin(bool alone) {
  find_position();
  if (of_.grain() != 0) {
    size_ = of_.grain();
  } else if (alone) {
    alone_ = true;
    most_alone_ = std::max((rest_.last - rest_.first) / (2 * loop_tail), loop_look);
    began_at_ = ticks();
    alone_until_ = began_at_ + alone_for;
  } else if (!of_.may_be_stopped()) {
    begin_singles();
  }
  const std::uint64_t count = std::min(size_, rest_.last - rest_.first);
  if (alone_) {
    first_ = {rest_.first, rest_.first += count};
  } else {
    first_ = take(count);
  }
  if (first_began_ != 0) {
    singles_end_ = rest_.first;  // next comes after the first one
    first_began_ = ticks();      // when others have been told
  }
}

bool loop_part::get_rest_back() {
  if (take_back(position_)) {
    return true;
  }
  const bool is_back = take_back_or_wait(*this, *this, position_);
  const block rest = std::exchange(rest_, {});  // a thief has read it before
  if (!is_back) {
    return false;
  }
  find_position();  // the head may have moved
  rest_ = rest;
  return true;
}

void loop_part::drop_rest() noexcept {
  if (rest_.first != rest_.last && !alone_ && !take_back(position_)) {
    static_cast<void>(take_back_or_wait(*this, *this, position_));
  }
}

void loop_part::begin_singles() noexcept {
  singles_end_ = rest_.first + std::min(loop_singles, rest_.last - rest_.first);
}

bool loop_part::single_after_theft(std::uint64_t& i) {
  if (!get_rest_back()) {
    return false;
  }
  if (of_.is_over()) {
    rest_ = {};
    return false;
  }
  i = take(1).first;
  return true;
}

bool loop_part::next(block& b) {
  if (first_began_ != 0) {
    first_took_ = ticks() - first_began_;
    first_began_ = 0;
    begin_singles();
  }
  if (of_.is_over()) {
    drop_rest();
    rest_ = {};
    return false;
  }
  if (rest_.first == rest_.last) {
    return false;
  }
  if (alone_ && goes_on_alone()) {
    b.first = rest_.first;
    b.last = rest_.first += std::min(size_, rest_.last - rest_.first);
    return true;
  }
  if (alone_) {
    find_position();  // the body may have forked, and the head have moved
    alone_ = false;
  } else if (!get_rest_back()) {
    return false;
  }
  if (of_.grain() == 0 && rest_.first >= singles_end_) {
    learn();
    stride_ = std::clamp(size_ / 64, loop_look, most_between_looks);
    seen_ = counters(0);
  }
  b = take(std::min(size_, rest_.last - rest_.first));
  return true;
}

/// And then with a larger block.
bool loop_part::goes_on_alone() noexcept {
  const std::uint64_t now = ticks();
  if (now >= alone_until_) {
    return false;
  }
  began_at_ = now;
  size_ = std::min(4 * size_, most_alone_);
  return true;
}

/// How long the block took decides how many iterations the next one has. Towards the end they become few, so that a
/// last block that is long has a small part of them; not sooner than it must be, or a short loop would have many
/// blocks.
void loop_part::learn() noexcept {
  const std::uint64_t now = ticks();
  const std::uint64_t took = now - began_at_;
  const std::uint64_t fits = began_at_ != 0 ? size_ * aim / std::max<std::uint64_t>(took, 1) : loop_growth;
  constexpr std::uint64_t near_the_end = 128;
  const std::uint64_t left = rest_.last - rest_.first;
  const std::uint64_t most = std::min(loop_growth * size_, left / (left > near_the_end ? 2 : loop_tail));
  size_ = std::max<std::uint64_t>(std::min(fits, most), 1);
  began_at_ = now;
  if (size_ == 1 && !of_.may_be_stopped()) {
    begin_singles();  // the clock would tell nothing new
    began_at_ = 0;
  }
}

std::uint64_t loop_part::share(block left) noexcept {
  if (of_.has_thrown()) {
    return left.first;
  }
  if (ticks() - began_at_ < 2 * aim) {
    seen_ = me_.hunger->load(relaxed);  // it is soon over, if it goes on so  relaxed: a hint
    return left.last;
  }
  if (rest_.first != rest_.last && me_.own().holds(position_)) {
    return left.last;  // they will find that
  }
  of_.run_shared(left);
  return left.first;
}

// ---- loops from outside -------------------------------------------------------------------------

namespace {

/// Loops of one kind that a thread ran from outside the pool. If all the last ones were short, the next one begins
/// alone, so that nobody is woken for nothing. After a mistake it takes twice as many.
class short_loops {
 public:
  [[nodiscard]] bool will_go_on(const loop_body& body) noexcept {
    if (of_ != body.run) {
      *this = short_loops();
      of_ = body.run;
    }
    return in_a_row_ >= enough_;
  }
  /// `iterations`: what all of them take if each is like the first one. `took`: the whole loop.
  void ran(bool alone, std::uint64_t iterations, std::uint64_t took) noexcept {
    constexpr std::uint64_t wake_up = 4 * alone_for;  // about what it takes until somebody is of help
    if (iterations < alone_for && !(alone && took >= wake_up)) {
      in_a_row_ += in_a_row_ < enough_ ? 1 : 0;
      return;
    }
    in_a_row_ = 0;
    // A mistake, unless it has lost no more than those before have saved: the thread may have been interrupted.
    constexpr std::uint32_t most = 1u << 30;
    if (alone && took >= usual / 2 * wake_up && enough_ < most) {
      enough_ *= 2;
    }
  }

 private:
  static constexpr std::uint32_t usual = 16;

  void (*of_)(loop_part&) = nullptr;
  std::uint32_t in_a_row_ = 0;
  std::uint32_t enough_ = usual;
};

short_loops& known_of(const loop_body& body) noexcept {
  constexpr std::size_t kinds = 16;
  static constinit thread_local std::array<short_loops, kinds> known{};
  return known[reinterpret_cast<std::uintptr_t>(body.run) / 16 % kinds];
}

}  // namespace

void run_loop(const loop_body& body, std::uint64_t count, const loop_options& options) {
  seat* const me = current_seat();
  if (me == nullptr) {
    global_pool().install([&] { run_loop(body, count, options); });
    return;
  }
  loop all(body, options);
  if (!std::exchange(me->came_just_now, false) || count >= loop_many || options.grain != 0) {
    static_cast<void>(all.run(count, count >= loop_many));
    return;
  }
  short_loops& known = known_of(body);
  const bool alone = known.will_go_on(body);
  const std::uint64_t start = ticks();
  const std::uint64_t first_took = all.run(count, alone, true);
  known.ran(alone, first_took * count, ticks() - start);
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
