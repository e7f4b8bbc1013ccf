// A parallel loop. A thread that runs a part of it takes a block of iterations off the front and forks all the rest as
// one job, so whatever has not begun can be stolen. The first few iterations of a loop are forked one by one. Only the
// code around the body depends on its type; the rest is in src/pool/loop.cpp (src/pool/README.md, "Loops").
#pragma once

#include <dozer/detail/join_job.hpp>
#include <dozer/detail/kept_closure.hpp>
#include <dozer/detail/latch.hpp>
#include <dozer/detail/platform.hpp>
#include <dozer/detail/pool_core.hpp>
#include <dozer/loop_options.hpp>

#include <cstdint>
#include <exception>
#include <type_traits>

namespace dozer::inline DOZER_PLATFORM::detail {

/// Iterations from first to before last.
struct block {
  std::uint64_t first, last;
};

class loop_part;
class short_loops;
class single_iterations;

/// What loops over bodies of one type have in common.
struct loop_kind {
  /// Runs the block of the part from first to before last, and the next ones until there are none. (The numbers one by
  /// one: GCC 12 would put a `block` together in memory and wait for that.)
  void (*run)(loop_part& part, std::uint64_t first, std::uint64_t last);
  bool may_be_cut;                 // what it gets as a block may be a piece of one
  std::uint64_t many = loop_many;  // a loop of so many iterations begins alone
  /// Loops that call a closure for each iteration: calls it for those from first to before last. Otherwise null.
  void (*each)(const void* closure, std::uint64_t first, std::uint64_t last) = nullptr;
  /// The same loops: runs iteration i, which is the caller's, and the next ones as long as they are.
  void (*singles)(single_iterations& forked, const void* closure, std::uint64_t i) = nullptr;
  bool searches = false;  // it ends at a hit, so threads stay near the front
};

/// What the threads that run parts of a loop share. It stands on the caller's stack.
class loop {
 public:
  loop(const loop_kind& kind, const void* closure, const char* name, const loop_options& options) noexcept
      : kind_(kind), closure_(closure), name_(name), options_(options) {}

  [[nodiscard]] const loop_kind& kind() const noexcept { return kind_; }
  [[nodiscard]] const void* closure() const noexcept { return closure_; }
  [[nodiscard]] const char* name() const noexcept { return name_; }
  [[nodiscard]] std::uint64_t grain() const noexcept { return options_.grain; }
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  /// An iteration has thrown: no more are begun.
  [[nodiscard]] bool has_thrown() const noexcept {
    return thrown_.load(relaxed);  // relaxed: too late it costs a block, and the latches order the exception
  }
  [[nodiscard]] bool is_over() const noexcept { return has_thrown() || options_.stop.stop_requested(); }
  [[nodiscard]] bool may_be_stopped() const noexcept { return options_.stop.stop_possible(); }

  /// Runs all of it. Throws what an iteration has thrown.
  void run(seat& me, std::uint64_t count);
  /// The same by a thread of no pool.
  void run_from_outside(std::uint64_t count);
  /// The same for up to loop_singles iterations, without options, if the deque has room for them.
  void run_few(seat& me, std::uint64_t count);
  /// Runs iterations that were stolen, or are to be shared with those that are hungry. `size`: how many of them make a
  /// block of the right length, as far as it is known.
  void run_shared(block all, std::uint64_t size) noexcept;

 private:
  friend class single_iterations;

  void run_whole(loop_part& whole, block first);
  std::uint64_t run_small(seat& me);
  [[nodiscard]] std::uint64_t run_singles(single_iterations& forked);
  void run_one();
  void run_alone(seat* me);
  void run_short(seat* me, short_loops& known);
  DOZER_COLD void run_first_of_a_stay(seat& me);
  [[nodiscard]] bool run_without_a_seat();
  void run_stolen(loop_part& part, std::uint64_t size) noexcept;
  DOZER_COLD void keep_exception() noexcept;
  DOZER_COLD void rethrow();

  const loop_kind& kind_;
  const void* closure_;
  const char* name_;
  const loop_options& options_;
  std::uint64_t count_;  // of all iterations; only a loop of few does not know it
  atomic<bool> thrown_{false};
  std::exception_ptr error_;  // of whoever has set thrown_
};

/// The first iterations of a loop, on the caller's stack. Each one but the first is forked, the second one on top, and
/// this is the job of all of them. Thieves take them from the last one on, and it does not matter which slot a thief
/// has won: so many were stolen, and so many iterations are theirs.
class single_iterations : public job, public late_counting_latch {
 public:
  /// `end` is the position behind the forks.
  single_iterations(loop& of, std::uint64_t end, std::uint64_t count) noexcept
      : job(kind_of<single_iterations>), of_(of), end_(end), count_(static_cast<std::uint32_t>(count)) {}

  /// When those before it have run: whether iteration i is the caller's. If not, all have run, or are dropped since one
  /// of them has thrown. This decides what a small loop costs.
  [[nodiscard]] DOZER_HOT bool next_is(std::uint64_t i) noexcept {
    return i != count_ && (take_back(end_ - i) || get_back(i));
  }
  /// Iteration i has thrown, in a catch block: those after it are dropped.
  DOZER_COLD void break_off(std::uint64_t i) noexcept;

  static void run(job& self, seat& here) noexcept;
  static const char* name(const job& self) noexcept;

 private:
  DOZER_COLD bool get_back(std::uint64_t i) noexcept;
  void drop(std::uint64_t from) noexcept;
  void wait_for_thieves(std::uint64_t from) noexcept;

  loop& of_;
  std::uint64_t end_;
  std::uint32_t count_;
  atomic<std::uint32_t> stolen_{0};  // so many iterations, the last ones
};

/// A part of a loop, on the stack of the thread that runs it. It takes blocks off its front. While a block runs, the
/// rest stands in that thread's deque, as this job; if it is stolen, the part ends where the thief has run it.
class loop_part : public job, public core_latch {
 public:
  /// Without a seat only if the part begins alone.
  loop_part(loop& of, seat* me, block all) noexcept : job(kind_of<loop_part>), of_(of), me_(me), rest_(all) {}

  [[nodiscard]] const loop& of() const noexcept { return of_; }
  [[nodiscard]] const void* closure() const noexcept { return of_.closure(); }
  /// During a block: no other thread has begun any iteration of the loop.
  [[nodiscard]] bool is_alone() const noexcept { return how_ == mode::alone && alone_until_ != for_ever; }
  /// When all up to here have run: the next block. An empty one: there is none for the caller.
  [[nodiscard]] block next(std::uint64_t up_to) noexcept;

  static void run(job& self, seat& here) noexcept;
  static const char* name(const job& self) noexcept;

 private:
  friend class loop;

  [[nodiscard]] bool fork_all() noexcept;
  /// How the size of blocks is found.
  enum class mode : std::uint8_t {
    alone,     // learnt from the clock; the rest is not in the deque
    learning,  // learnt from the clock
    fixed,     // the user has said it
  };

  [[nodiscard]] block begin(mode how, std::uint64_t size) noexcept;
  [[nodiscard]] block begin_known(std::uint64_t size) noexcept;
  [[nodiscard]] bool find_place() noexcept;
  [[nodiscard]] std::uint64_t most_while_alone() const noexcept;
  [[nodiscard]] bool get_rest_back() noexcept;
  void drop_rest() noexcept;
  DOZER_COLD void tell_the_hungry() noexcept;
  void offer_rest() noexcept;
  [[nodiscard]] block take(std::uint64_t count) noexcept;
  [[nodiscard]] block take_alone() noexcept;
  [[nodiscard]] block piece(block b) noexcept;
  [[nodiscard]] bool others_are_hungry() const noexcept;
  [[nodiscard]] DOZER_COLD bool share(block left) noexcept;
  [[nodiscard]] bool goes_on_alone() noexcept;
  [[nodiscard]] bool end_alone() noexcept;
  void learn() noexcept;
  [[nodiscard]] std::uint64_t most_in_a_block() const noexcept;
  void set_size(std::uint64_t size) noexcept;

  static constexpr std::uint64_t not_asked = ~std::uint64_t{0}, for_ever = ~std::uint64_t{0};

  loop& of_;
  seat* me_;
  block rest_;                   // has not begun
  std::uint64_t rest_size_ = 1;  // blocks of the rest should have so many iterations; for whoever steals it
  std::uint64_t position_;       // of the rest, in the deque
  mode how_ = mode::learning;
  std::uint64_t size_;                    // of blocks
  std::uint64_t began_at_;                // the block
  std::uint64_t pieces_end_ = 0;          // a block is run in pieces
  std::uint64_t stride_;                  // of so many iterations; after each of them is a look for hungry members
  counters seen_{0};                      // when it was last found that these need not be seen to
  std::uint64_t alone_until_;             // while alone; for_ever: there is no room for the rest, and others may run
  std::uint64_t most_alone_;              // iterations in a block, while alone
  std::uint64_t first_took_ = not_asked;  // the first block; 0: the next look at the clock tells
};

/// What a part calls: a copy of the body if that is cheap. No iteration can change it then, as far as the compiler
/// knows, and loops vectorise that could not otherwise.
template <class Body>
using body_of_part = std::conditional_t<is_cheap_to_copy<Body>, const Body, const Body&>;

/// Calls the closure for the iterations of a block.
template <class Body>
void run_each(const void* closure, std::uint64_t first, std::uint64_t last) {
  body_of_part<Body> body = *static_cast<const Body*>(closure);
  for (; first != last; ++first) {
    body(first);
  }
}

/// Calls the closure for single iterations: they decide what a small loop costs. It makes no copy of the closure, which
/// would wait for the stores that made it.
template <class Body>
void run_singles(single_iterations& forked, const void* closure, std::uint64_t i) {
  const Body& body = *static_cast<const Body*>(closure);
  try {
    do {
      body(i);
    } while (forked.next_is(++i));
  } catch (...) {
    forked.break_off(i);
  }
}

/// Calls span(first, last) for one stretch of iterations after the other, until there is none left for the caller, or
/// until a call returns false.
template <class Span>
DOZER_HOT void walk(loop_part& part, std::uint64_t first, std::uint64_t last, const Span& span) {
  do {
    if constexpr (std::is_void_v<decltype(span(first, last))>) {
      span(first, last);
    } else if (!span(first, last)) {
      return;
    }
    const block b = part.next(last);
    first = b.first;
    last = b.last;
  } while (first != last);
}

/// Calls the closure for each block.
template <class Body>
void run_blocks(loop_part& part, std::uint64_t first, std::uint64_t last) {
  body_of_part<Body> body = *static_cast<const Body*>(part.closure());
  walk(part, first, last, [&](std::uint64_t from, std::uint64_t to) { body(from, to); });
}

/// Calls the closure of a loop by iterations for one block after the other.
void run_blocks_of_iterations(loop_part& part, std::uint64_t first, std::uint64_t last);

template <class Body>
inline constexpr loop_kind by_iterations{&run_blocks_of_iterations, true, loop_many, &run_each<Body>,
                                         &run_singles<Body>};
template <class Body, std::uint64_t many = loop_many>
inline constexpr loop_kind by_blocks{&run_blocks<Body>, false, many};
/// By blocks, or by pieces of them.
template <class Body>
inline constexpr loop_kind by_pieces{&run_blocks<Body>, true};

/// In the pool of the calling thread, else in the global one. `count` is not 0.
void run_loop(const loop_kind& kind, const void* closure, std::uint64_t count, const loop_options& options,
              const char* name);

}  // namespace dozer::inline DOZER_PLATFORM::detail
