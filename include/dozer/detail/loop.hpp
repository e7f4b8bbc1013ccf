// A parallel loop. The thread that runs a part of it takes a block of iterations off the front and forks all the rest
// as one job, so whatever has not begun can be stolen. Only the code around the body depends on its type; the rest is
// in src/pool/loop.cpp (src/pool/README.md, "Loops").
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

/// What loops over bodies of one type have in common.
struct loop_kind {
  /// Runs the block of the part from first to before last, and the next ones until there are none. (The numbers one by
  /// one: GCC 12 would put a `block` together in memory and wait for that.)
  void (*run)(loop_part& part, std::uint64_t first, std::uint64_t last);
  bool may_be_cut;  // what it gets as a block may be a piece of one
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
  /// An iteration has thrown: no more are begun.
  [[nodiscard]] bool has_thrown() const noexcept {
    return thrown_.load(relaxed);  // relaxed: too late it costs a block, and the latches order the exception
  }
  [[nodiscard]] bool is_over() const noexcept { return has_thrown() || options_.stop.stop_requested(); }
  [[nodiscard]] bool may_be_stopped() const noexcept { return options_.stop.stop_possible(); }

  /// Runs all of it. Throws what an iteration has thrown.
  void run(seat& me, std::uint64_t count);
  /// The same for a small loop of a member, with no options.
  void run_small(seat& me, std::uint64_t count);
  /// Runs iterations that were stolen, or are to be shared with those that are hungry. `size`: how many of them make a
  /// block of the right length, as far as it is known.
  void run_shared(block all, std::uint64_t size) noexcept;

 private:
  void run_whole(loop_part& whole, block first);
  DOZER_COLD void run_from_outside(loop_part& whole, std::uint64_t count);
  void run_stolen(loop_part& part, std::uint64_t size) noexcept;
  DOZER_COLD void keep_exception() noexcept;
  DOZER_COLD void rethrow();

  const loop_kind& kind_;
  const void* closure_;
  const char* name_;
  const loop_options& options_;
  atomic<bool> thrown_{false};
  std::exception_ptr error_;  // of whoever has set thrown_
};

/// A part of a loop, on the stack of the thread that runs it. It takes blocks off its front. While a block runs, the
/// rest stands in that thread's deque, as this job; if it is stolen, the part ends where the thief has run it.
class loop_part : public job, public core_latch {
 public:
  loop_part(loop& of, seat& me, block all) noexcept : job(kind_of<loop_part>), of_(of), me_(me), rest_(all) {}

  [[nodiscard]] const void* closure() const noexcept { return of_.closure(); }
  /// When blocks of one iteration have run up to here: whether iteration i comes next, as another one. This decides
  /// what a small loop costs. False: next() comes next.
  [[nodiscard]] DOZER_HOT bool next_is(std::uint64_t i) noexcept {
    if (i >= singles_end_) {
      return false;
    }
    deque& jobs = *current_jobs;  // in a child of fork() it is nobody's
    const std::uint64_t position = position_;
    if (!deque_owner(jobs).take_private(position)) [[unlikely]] {
      return single_after_theft();
    }
    rest_.first = i + 1;
    if (i + 1 != rest_.last) {
      deque_owner(jobs).push_again(position);
      if (somebody_is_hungry(static_cast<seat&>(jobs))) [[unlikely]] {
        tell_the_hungry();
      }
    }
    return true;
  }
  /// When all up to here have run: the next block. An empty one: there is none for the caller.
  [[nodiscard]] block next(std::uint64_t up_to) noexcept;

  static void run(job& self, seat& here) noexcept;
  static const char* name(const job& self) noexcept;

 private:
  friend class loop;

  [[nodiscard]] bool fork_all() noexcept;
  /// How the size of blocks is found.
  enum class mode : std::uint8_t {
    singles,      // one iteration each, and nothing is known
    first_timed,  // the same, and the first one is timed
    alone,        // learnt from the clock; the rest is not in the deque
    learning,     // learnt from the clock
    fixed,        // the user has said it
  };

  [[nodiscard]] block begin_with_singles() noexcept;
  [[nodiscard]] block begin(mode how, std::uint64_t size) noexcept;
  [[nodiscard]] block begin_stolen(std::uint64_t size) noexcept;
  [[nodiscard]] bool find_place() noexcept;
  [[nodiscard]] std::uint64_t most_while_alone() const noexcept;
  void allow_singles() noexcept;
  [[nodiscard]] bool get_rest_back() noexcept;
  void drop_rest() noexcept;
  DOZER_COLD bool single_after_theft() noexcept;
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

  loop& of_;
  seat& me_;
  block rest_;                     // has not begun
  std::uint64_t rest_size_ = 1;    // blocks of the rest should have so many iterations; for whoever steals it
  std::uint64_t position_;         // of the rest, in the deque
  std::uint64_t singles_end_ = 0;  // before this one blocks have one iteration, and no clock is read
  mode how_ = mode::singles;
  bool is_stolen_ = false;  // others run parts of the loop as well, and may throw

  // Not in use while there are single iterations only.
  std::uint64_t size_;            // of blocks
  std::uint64_t began_at_;        // the block; 0: it was not noted
  std::uint64_t pieces_end_;      // a block is run in pieces
  std::uint64_t stride_;          // of so many iterations; after each of them is a look for hungry members
  counters seen_{0};              // when it was last found that these need not be seen to
  std::uint64_t alone_until_;     // while alone
  std::uint64_t most_alone_;      // iterations in a block, while alone
  std::uint64_t first_took_ = 0;  // the first iteration, if it was timed
};

/// What a part calls: a copy of the body if that is cheap. No iteration can change it then, as far as the compiler
/// knows, and loops vectorise that could not otherwise.
template <class Body>
using body_of_part = std::conditional_t<is_cheap_to_copy<Body>, const Body, const Body&>;

/// Calls the closure for the iterations of a block.
template <class Body>
[[gnu::noinline]] void run_block(const Body& given, std::uint64_t first, std::uint64_t last) {
  body_of_part<Body> body = given;
  for (; first != last; ++first) {
    body(first);
  }
}

/// Calls the closure for each iteration. Single ones do not go through run_block: they decide what a small loop costs.
template <class Body>
void run_iterations(loop_part& part, std::uint64_t first, std::uint64_t last) {
  const Body& body = *static_cast<const Body*>(part.closure());
  do {
    if (last - first == 1) {
      do {
        body(first);
      } while (part.next_is(++first));
      last = first;
    } else {
      run_block(body, first, last);
    }
    const block b = part.next(last);
    first = b.first;
    last = b.last;
  } while (first != last);
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

template <class Body>
inline constexpr loop_kind by_iterations{&run_iterations<Body>, true};
template <class Body>
inline constexpr loop_kind by_blocks{&run_blocks<Body>, false};
/// By blocks, or by pieces of them.
template <class Body>
inline constexpr loop_kind by_pieces{&run_blocks<Body>, true};

/// In the pool of the calling thread, else in the global one. `count` is not 0.
void run_loop(const loop_kind& kind, const void* closure, std::uint64_t count, const loop_options& options,
              const char* name);

}  // namespace dozer::inline DOZER_PLATFORM::detail
