// What of a parallel loop does not depend on its body.
#include <dozer/detail/loop.hpp>

#include "late_stay.hpp"

#include <dozer/detail/short_loops.hpp>
#include <dozer/thread_pool.hpp>

#include <algorithm>
#include <array>
#include <bit>

namespace dozer::inline DOZER_PLATFORM {

namespace {

/// It is never destroyed: the destructors of other static objects may run loops. Before it is made it is zero, as
/// after.
union kept_options {
  kept_options() noexcept : options{} {}
  ~kept_options() {}
  loop_options options;
};
const kept_options kept;

}  // namespace

constinit const loop_options& default_options = kept.options;

}  // namespace dozer::inline DOZER_PLATFORM

namespace dozer::inline DOZER_PLATFORM::detail {

namespace {

/// What a block should take: long enough to make a fork and a look at the clock cheap.
constexpr std::uint64_t aim = 2 * ticks_per_us;
/// Iterations between two looks for hungry members are few, so that long ones are soon noticed. Where they are very
/// short there are more, so that the looks cost little and the compiler can vectorise what is between them.
constexpr std::uint64_t most_between_looks = 32 * loop_look;
/// So many iterations that take less than three microseconds together are very short.
constexpr std::uint64_t very_many = 4096;

}  // namespace

// ---- the loop -----------------------------------------------------------------------------------

void loop::keep_exception() noexcept {
  if (!thrown_.exchange(true, relaxed)) {  // relaxed: the latches order the exception
    error_ = std::current_exception();
  }
}

void loop::rethrow() { std::rethrow_exception(std::move(error_)); }

/// With its first block.
[[gnu::always_inline]] inline void loop::run_whole(loop_part& whole, block first) {
  try {
    kind_.run(whole, first.first, first.last);
  } catch (...) {
    keep_exception();
  }
  whole.drop_rest();
  if (has_thrown()) [[unlikely]] {
    rethrow();
  }
}

void loop::run_stolen(loop_part& part, std::uint64_t size) noexcept {
  try {
    const block first = part.begin_known(size);
    kind_.run(part, first.first, first.last);
  } catch (...) {
    keep_exception();
  }
  part.drop_rest();
}

/// Of the numbers after `low` up to `high` the one with the most zeros at its end.
[[nodiscard]] static std::uint64_t roundest(std::uint64_t low, std::uint64_t high) noexcept {
  return high & ~(std::bit_floor(low ^ high) - 1);
}

/// Where stolen iterations are cut in two. A search must not look far behind its hit: a thief takes as much as was
/// taken before.
[[nodiscard]] static std::uint64_t cut(block all, std::uint64_t size, bool search) noexcept {
  const std::uint64_t count = all.last - all.first;
  const std::uint64_t near = std::max(all.first, 2 * size);
  return search && near < count / 2 ? roundest(all.first + near / 2, all.first + near + near / 2)
                                    : roundest(all.first + count / 4, all.last - count / 4);
}

void loop::run_shared(block all, std::uint64_t size) noexcept {
  if (is_over()) {
    return;
  }
  seat& me = own_seat();
  const std::uint64_t count = all.last - all.first;
  if (count / 2 <= size) {  // halves would be over before they are stolen
    loop_part part(*this, &me, all);
    run_stolen(part, size);
    return;
  }
  const std::uint64_t middle = cut(all, size, kind_.searches);
  loop_part lower(*this, &me, {all.first, middle});
  loop_part upper(*this, &me, {middle, all.last});
  upper.rest_size_ = size;
  const bool is_forked = upper.fork_all();
  run_stolen(lower, size);
  if ((!is_forked || upper.get_rest_back()) && !is_over()) {
    run_stolen(upper, size);
  }
}

// ---- its first iterations ------------------------------------------------------------------------

const char* single_iterations::name(const job& self) noexcept {
  return static_cast<const single_iterations&>(self).of_.name();
}

void single_iterations::run(job& self, seat& here) noexcept {
  auto& all = static_cast<single_iterations&>(self);
  seat& owner = *here.took_from;
  const std::uint32_t before = all.stolen_.fetch_add(1, relaxed);  // relaxed: each thief gets another number
  if (!all.of_.has_thrown()) {
    const std::uint64_t i = all.count_ - 1 - before;
    try {
      all.of_.kind_.each(all.of_.closure_, i, i + 1);
    } catch (...) {
      all.of_.keep_exception();
    }
  }
  if (all.count_down()) {
    wake_latch_owner(owner, &here);
  }
}

/// All from that one on are stolen, or will be: thieves take the lowest positions first.
void single_iterations::wait_for_thieves(std::uint64_t from) noexcept {
  if (expect(static_cast<std::uint32_t>(count_ - from))) {
    wait_until(own_seat(), *this, wait_reason::join, this);
  }
}

bool single_iterations::get_back(std::uint64_t i) noexcept {
  if (!detail::get_back(*this, end_ - i)) {
    wait_for_thieves(i);
    return false;
  }
  if (of_.has_thrown()) {
    drop(i + 1);
    return false;
  }
  return true;
}

void single_iterations::drop(std::uint64_t from) noexcept {
  for (; from != count_; ++from) {
    if (!take_back(end_ - from) && !detail::get_back(*this, end_ - from)) {
      wait_for_thieves(from);
      return;
    }
  }
}

void single_iterations::break_off(std::uint64_t i) noexcept {
  of_.keep_exception();
  drop(i + 1);
}

// ---- a part of it -------------------------------------------------------------------------------

const char* loop_part::name(const job& self) noexcept { return static_cast<const loop_part&>(self).of_.name(); }

void loop_part::run(job& self, seat& here) noexcept {
  auto& part = static_cast<loop_part&>(self);
  seat& owner = *here.took_from;
  part.of_.run_shared(part.rest_, part.rest_size_);
  if (part.set()) {
    wake_latch_owner(owner, &here);
  }
}

void loop_part::tell_the_hungry() noexcept { me_->sleep->jobs_forked(*me_); }

/// For the rest. False: the deque cannot grow, or a child of fork() is in no pool. Then the part goes on alone to its
/// end: a loop must not fail in the middle for want of memory, since algorithms could not put everything back.
inline bool loop_part::find_place() noexcept {
  if (me_ == nullptr) {
    me_ = current_seat();
  }
  if (me_ == nullptr || !me_->own().try_reserve()) [[unlikely]] {
    how_ = mode::alone;
    alone_until_ = for_ever;
    most_alone_ = of_.grain() != 0 ? of_.grain() : most_while_alone();
    size_ = 1;
    stride_ = ~std::uint64_t{0};
    began_at_ = ticks();
    return false;
  }
  position_ = me_->own().position();
  return true;
}
/// A part of all that is not too large if it turns out to be dear.
inline std::uint64_t loop_part::most_while_alone() const noexcept {
  const std::uint64_t left = rest_.last - rest_.first;
  return left < very_many ? std::max(left / loop_tail, 3 * loop_look) : left / 2;
}

/// To its place.
inline void loop_part::offer_rest() noexcept {
  me_->own().push_isolated_at(position_, *this);
  if (somebody_is_hungry(*me_)) [[unlikely]] {
    tell_the_hungry();
  }
}

bool loop_part::fork_all() noexcept {
  if (!find_place()) {
    return false;
  }
  offer_rest();
  me_->own().publish();
  return true;
}

/// A block off the front; the rest is forked.
inline block loop_part::take(std::uint64_t count) noexcept {
  const block b{rest_.first, rest_.first + std::min(count, rest_.last - rest_.first)};
  rest_.first = b.last;
  if (b.last != rest_.last) {
    rest_size_ = count;
    offer_rest();
  }
  return b;
}

block loop_part::begin(mode how, std::uint64_t size) noexcept {
  how_ = how;
  stride_ = ~std::uint64_t{0};
  set_size(size);
  if (how == mode::alone) {
    most_alone_ = most_while_alone();
    began_at_ = ticks();
    alone_until_ = began_at_ + alone_for;
    return take_alone();
  }
  if (!find_place()) {
    return take_alone();
  }
  const block first = piece(take(size));
  if (how != mode::fixed) {
    began_at_ = ticks();  // when others have been told
  }
  return first;
}

block loop_part::begin_known(std::uint64_t size) noexcept {
  return of_.grain() != 0 ? begin(mode::fixed, of_.grain())
                          : begin(mode::learning, std::max<std::uint64_t>(std::min(size, most_in_a_block()), 1));
}

/// True: it is the caller's. It has a place, or the part goes on alone.
bool loop_part::get_rest_back() noexcept {
  if (take_back(position_)) {
    return true;
  }
  const bool is_back = take_back_or_wait(*this, *this, position_);
  const block rest = std::exchange(rest_, {});  // a thief has read it before
  if (!is_back) {
    return false;
  }
  rest_ = rest;
  static_cast<void>(find_place());  // the head may have moved
  return true;
}

inline void loop_part::drop_rest() noexcept {
  if (rest_.first != rest_.last && how_ != mode::alone && !take_back(position_)) [[unlikely]] {
    static_cast<void>(take_back_or_wait(*this, *this, position_));
  }
}

/// The first iterations of a block.
inline block loop_part::piece(block b) noexcept {
  pieces_end_ = b.last;
  return b.last - b.first > stride_ ? block{b.first, b.first + stride_} : b;
}

/// A block off the front; the rest is not forked.
[[gnu::always_inline]] inline block loop_part::take_alone() noexcept {
  const block b{rest_.first, rest_.first + std::min(size_, rest_.last - rest_.first)};
  rest_.first = b.last;
  return piece(b);
}

/// Looks for hungry members cost little if there are few in a block, and iterations vectorise if there are some between
/// two looks.
inline void loop_part::set_size(std::uint64_t size) noexcept {
  size_ = size;
  if (of_.kind().may_be_cut && how_ == mode::learning) {
    stride_ = std::clamp(size / 16, loop_look, most_between_looks);
  }
}

/// True while three microseconds are not over, or if what is left takes less than three times as long. If the block was
/// long enough to tell, and what is left takes much longer, the time alone ends at once. Blocks grow quickly while they
/// are far too short.
[[gnu::always_inline]] inline bool loop_part::goes_on_alone() noexcept {
  const std::uint64_t now = ticks();
  const std::uint64_t took = now - began_at_;
  if (now >= alone_until_ || took >= alone_for / 8) {
    // Not in whole numbers: 2^62 iterations of some milliseconds are too much for them.
    const double blocks_left = static_cast<double>(rest_.last - rest_.first) / static_cast<double>(size_);
    if (blocks_left * static_cast<double>(took) >= static_cast<double>((now >= alone_until_ ? 3 : 4) * alone_for)) {
      return false;
    }
  }
  const std::uint64_t by = took < alone_for / 32 && size_ != 1 ? 16 : took < alone_for / 8 ? 4 : 1;
  if (took >= alone_for / 2) {
    set_size(std::max<std::uint64_t>(size_ / 2, 1));
  } else {
    set_size(size_ > most_alone_ / by ? most_alone_ : by * size_);
  }
  began_at_ = now;
  return true;
}

/// The place is not found before: iterations may have forked, and if such a job was stolen the head has moved.
bool loop_part::end_alone() noexcept {
  if (!find_place()) {
    return false;
  }
  how_ = mode::learning;
  return true;
}

block loop_part::next(std::uint64_t up_to) noexcept {
  if (first_took_ == 0) [[unlikely]] {
    first_took_ = ticks() - began_at_;
  }
  if (up_to < pieces_end_) {
    const block left{up_to, pieces_end_};
    if (!others_are_hungry() || !share(left)) {
      return piece(left);
    }
  }
  if (rest_.first == rest_.last) {
    return {};
  }
  if (of_.is_over()) {
    drop_rest();
    rest_ = {};
    return {};
  }
  if (how_ != mode::alone && !get_rest_back()) {
    return {};
  }
  if (how_ == mode::alone && (goes_on_alone() || !end_alone())) {
    return take_alone();
  }
  if (how_ == mode::learning) {
    learn();
  }
  return piece(take(size_));
}

/// A hint: whether others have nothing to do, and it is news.
inline bool loop_part::others_are_hungry() const noexcept {
  const counters now = me_->hunger->load(relaxed);  // relaxed: a hint
  return now.hungry() != 0 && now != seen_;
}

/// Towards the end blocks become small, so that a last block that is long has a small part of the iterations; not
/// sooner than it must be, or a short loop would have many blocks. At the end of the loop they become tiny.
std::uint64_t loop_part::most_in_a_block() const noexcept {
  constexpr std::uint64_t near_the_end = 128;
  const std::uint64_t left = rest_.last - rest_.first;
  return left > near_the_end ? left / 2 : rest_.last == of_.count() ? left / loop_tail : left;
}

/// How long the block took decides how many iterations the next one has.
void loop_part::learn() noexcept {
  const std::uint64_t now = ticks();
  const std::uint64_t took = std::max<std::uint64_t>(now - began_at_, 1);
  const std::uint64_t fits = size_ * aim / took;
  set_size(std::max<std::uint64_t>(std::min({fits, loop_growth * size_, most_in_a_block()}), 1));
  began_at_ = now;
  seen_ = counters(0);
}

/// Others are hungry while a block runs: sees to it that they find something, if that is worth it. True: that is what
/// was left of the block.
bool loop_part::share(block left) noexcept {
  if (of_.has_thrown()) {
    return true;
  }
  if (ticks() - began_at_ < 2 * aim) {
    seen_ = me_->hunger->load(relaxed);  // it is soon over, if it goes on so  relaxed: a hint
    return false;
  }
  if (rest_.first != rest_.last && me_->own().holds(position_)) {
    return false;  // they will find that
  }
  of_.run_shared(left, 1);
  return true;
}

// ---- loops from outside -------------------------------------------------------------------------

namespace {

short_loops& known_of(const loop_kind& kind) noexcept {
  constexpr std::size_t kinds = 16;
  static constinit thread_local std::array<short_loops, kinds> known{};
  return known[reinterpret_cast<std::uintptr_t>(&kind) / sizeof(loop_kind) % kinds];
}

}  // namespace

/// A loop of few iterations that is likely to be short.
void loop::run_short(seat* me, short_loops& known) {
  const std::uint64_t start = ticks();
  run_alone(me);
  known.ran_alone(ticks() - start);
}

/// A loop of few iterations by a thread that has just come. If it goes on like the last ones of its kind, nobody is
/// told of it for the first microseconds.
void loop::run_first_of_a_stay(seat& me) {
  short_loops& known = known_of(kind_);
  if (known.trusts(kind_)) {
    run_short(&me, known);
  } else {
    known.ran(run_small(me) * count_);
  }
}

/// A loop that begins alone needs no seat before it forks, or an iteration asks for it. False: this one needs its
/// seat at once, or none could be kept for it.
bool loop::run_without_a_seat() {
  if (options_.grain != 0) {
    return false;
  }
  short_loops* few = nullptr;
  if (count_ != 1 && count_ < kind_.many) {
    few = &known_of(kind_);
    if (may_be_stopped() || !few->trusts(kind_)) {
      return false;
    }
  }
  late_stay inside;
  if (!inside.begun()) {
    return false;
  }
  if (count_ == 1) {
    run_one();
  } else if (few != nullptr) {
    run_short(nullptr, *few);
  } else {
    run_alone(nullptr);
  }
  return true;
}

void loop::run_from_outside(std::uint64_t count) {
  count_ = count;
  if (!is_over() && !run_without_a_seat()) {
    global_pool().install([&] { run(own_seat(), count); });
  }
}

// ---- the whole loop -----------------------------------------------------------------------------

/// The first block is a small part of all.
void loop::run_alone(seat* me) {
  loop_part whole(*this, me, {0, count_});
  run_whole(whole, whole.begin(loop_part::mode::alone,
                               may_be_stopped() ? 1 : std::clamp<std::uint64_t>(count_ / 512, 1, 2 * loop_singles)));
}

void loop::run_one() {
  loop_part whole(*this, nullptr, {});
  kind_.run(whole, 0, 1);
}

/// Forks at once. Returns what the first iteration took.
std::uint64_t loop::run_small(seat& me) {
  const std::uint64_t count = count_;
  const std::uint64_t singles = std::min(count, loop_singles);
  const std::uint64_t forks = singles - 1 + (count != singles ? 1 : 0);
  if (kind_.singles == nullptr || !me.own().try_reserve(forks)) {
    loop_part whole(*this, &me, {0, count});
    const block first = whole.begin(loop_part::mode::learning, 1);
    whole.first_took_ = 0;
    run_whole(whole, first);
    return whole.first_took_;
  }
  loop_part rest(*this, &me, {singles, count});
  rest.position_ = me.own().position();
  single_iterations forked(*this, rest.position_ + forks, singles);
  me.own().place(rest.position_, rest);  // if there is none, the next line writes to its slot
  me.own().push_often(rest.position_ + (forks - (singles - 1)), forked, singles - 1);
  if (somebody_is_hungry(me)) [[unlikely]] {
    me.sleep->jobs_forked(me);
  }
  const std::uint64_t first_took = run_singles(forked);
  if (count != singles && !has_thrown() && rest.get_rest_back()) {
    run_whole(rest, rest.begin_known(loop_growth));
  } else {
    rest.drop_rest();
    if (has_thrown()) {
      rethrow();
    }
  }
  return first_took;
}

/// Returns what the first one took.
std::uint64_t loop::run_singles(single_iterations& forked) {
  const std::uint64_t start = ticks();
  try {
    kind_.each(closure_, 0, 1);
  } catch (...) {
    forked.break_off(0);
    return 0;
  }
  const std::uint64_t took = ticks() - start;
  if (forked.next_is(1)) {
    kind_.singles(forked, closure_, 1);
  }
  return took;
}

inline void loop::run_few(seat& me, std::uint64_t count) {
  const std::uint64_t position = me.own().position();
  single_iterations forked(*this, position + (count - 1), count);
  if (count != 1) {  // loops over what is left are often so small
    me.own().push_often(position, forked, count - 1);
    if (somebody_is_hungry(me)) [[unlikely]] {
      me.sleep->jobs_forked(me);
    }
  }
  kind_.singles(forked, closure_, 0);
  if (has_thrown()) [[unlikely]] {
    rethrow();
  }
}

void loop::run(seat& me, std::uint64_t count) {
  count_ = count;
  const bool came_just_now = std::exchange(me.came_just_now, false);
  if (is_over()) {
    return;
  }
  if (options_.grain != 0) {
    loop_part whole(*this, &me, {0, count});
    run_whole(whole, whole.begin(loop_part::mode::fixed, options_.grain));
  } else if (count >= kind_.many) {
    run_alone(&me);
  } else if (may_be_stopped()) {
    loop_part whole(*this, &me, {0, count});
    run_whole(whole, whole.begin(loop_part::mode::learning, 1));
  } else if (count == 1) {
    run_one();
  } else if (came_just_now) {
    run_first_of_a_stay(me);
  } else {
    static_cast<void>(run_small(me));
  }
}

void run_blocks_of_iterations(loop_part& part, std::uint64_t first, std::uint64_t last) {
  walk(part, first, last,
       [&](std::uint64_t from, std::uint64_t to) { part.of().kind().each(part.closure(), from, to); });
}

namespace {

[[gnu::noinline]] void run_other_loop(const loop_kind& kind, const void* closure, std::uint64_t count,
                                      const loop_options& options, const char* name) {
  loop all(kind, closure, name, options);
  if (seat* const me = current_seat()) {
    all.run(*me, count);
  } else {
    all.run_from_outside(count);
  }
}

}  // namespace

void run_loop(const loop_kind& kind, const void* closure, std::uint64_t count, const loop_options& options,
              const char* name) {
  deque& jobs = *current_jobs;
  // Nobody's deque has no room.
  if (count > loop_singles || kind.singles == nullptr || options.grain != 0 || options.stop.stop_possible() ||
      !deque_owner(jobs).has_room_for(count - 1) || static_cast<seat&>(jobs).came_just_now) {
    run_other_loop(kind, closure, count, options, name);
  } else {
    loop(kind, closure, name, options).run_few(static_cast<seat&>(jobs), count);
  }
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
