// A parallel loop. The thread that runs a part of it takes a block of iterations off the front and forks all the rest
// as one job, so whatever has not begun can be stolen. Only the code around the body depends on its type; the rest is
// in src/pool/loop.cpp (src/pool/README.md, "Loops").
#pragma once

#include <dozer/detail/join_job.hpp>
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

/// What a loop is, whoever runs it.
struct loop_body {
  void (*run)(loop_part& part);  // runs blocks of the part until there are none
  const void* closure;
  const char* name;
};

/// What the threads that run parts of a loop share. It stands on the caller's stack.
class loop {
 public:
  loop(const loop_body& body, const loop_options& options) noexcept : body_(body), options_(options) {}

  [[nodiscard]] const loop_body& body() const noexcept { return body_; }
  [[nodiscard]] std::uint64_t grain() const noexcept { return options_.grain; }
  /// An iteration has thrown: no more are begun.
  [[nodiscard]] bool has_thrown() const noexcept {
    return thrown_.load(relaxed);  // relaxed: too late it costs a block, and the latches order the exception
  }
  [[nodiscard]] bool is_over() const noexcept { return has_thrown() || options_.stop.stop_requested(); }
  [[nodiscard]] bool may_be_stopped() const noexcept { return options_.stop.stop_possible(); }

  /// Runs all of it. Throws what an iteration has thrown. Alone: for the first microseconds nobody is told of it.
  /// Returns how many ticks the first iteration took, if it was to be timed.
  std::uint64_t run(std::uint64_t count, bool alone, bool timed = false);
  /// Runs iterations that were stolen, or are to be shared with those that are hungry.
  void run_shared(block all) noexcept;

 private:
  void run_part(loop_part& part, bool alone) noexcept;
  void keep_exception() noexcept;

  const loop_body& body_;
  const loop_options& options_;
  atomic<bool> thrown_{false};
  std::exception_ptr error_;  // of whoever has set thrown_
};

/// A part of a loop, on the stack of the thread that runs it. It takes blocks off its front. While a block runs, the
/// rest stands in that thread's deque, as this job; if it is stolen, the part ends where the thief has run it.
class loop_part : public job, public core_latch {
 public:
  loop_part(loop& of, block all) noexcept : job(kind_of<loop_part>), of_(of), me_(own_seat()), rest_(all) {}

  [[nodiscard]] const void* closure() const noexcept { return of_.body().closure; }
  /// The first block.
  [[nodiscard]] block first() const noexcept { return first_; }
  /// After a block of one iteration: the next one, while blocks have one. This decides what a small loop costs. False:
  /// next comes next.
  [[nodiscard]] DOZER_HOT bool next_single(std::uint64_t& i) {
    const std::uint64_t first = rest_.first;
    if (first >= singles_end_) {
      return false;
    }
    deque& jobs = *current_jobs;  // in a child of fork() it is nobody's
    if (!deque_owner(jobs).take_private(position_) || of_.has_thrown()) [[unlikely]] {
      return single_after_theft(i);
    }
    i = first;
    take_until(first + 1, static_cast<seat&>(jobs));
    return true;
  }
  /// The next block. False: there is none for the caller.
  [[nodiscard]] bool next(block& b);

  /// Within a long block, a hint: whether others have nothing to do, and it is news.
  [[nodiscard]] DOZER_HOT bool others_are_hungry() const noexcept {
    const counters now = me_.hunger->load(relaxed);  // relaxed: a hint
    return now.hungry() != 0 && now != seen_;
  }
  /// So many iterations are run between two such looks.
  [[nodiscard]] std::uint64_t stride() const noexcept { return stride_; }
  /// Then: sees to it that they find something, if that is worth it. Returns where what is left of the block ends.
  [[nodiscard]] DOZER_COLD std::uint64_t share(block left) noexcept;

  static void run(job& self, seat& here) noexcept;
  static const char* name(const job& self) noexcept;

 private:
  friend class loop;

  void find_position();
  void fork_all();
  void begin(bool alone);
  void begin_singles() noexcept;
  [[nodiscard]] bool get_rest_back();
  void drop_rest() noexcept;
  DOZER_COLD bool single_after_theft(std::uint64_t& i);
  DOZER_COLD void tell_the_hungry() noexcept;
  [[nodiscard]] bool goes_on_alone() noexcept;
  void learn() noexcept;

  /// A block off the front; the rest is forked.
  DOZER_HOT void take_until(std::uint64_t until, seat& me) noexcept {
    rest_.first = until;
    if (until != rest_.last) {
      me.own().push_isolated_at(position_, *this);
      if (somebody_is_hungry(me)) [[unlikely]] {
        tell_the_hungry();
      }
    }
  }
  [[nodiscard]] block take(std::uint64_t count) noexcept {
    const block b{rest_.first, rest_.first + count};
    take_until(b.last, me_);
    return b;
  }

  loop& of_;
  seat& me_;
  block rest_;                     // has not begun
  std::uint64_t position_ = 0;     // of the rest, in the deque
  std::uint64_t singles_end_ = 0;  // up to here blocks have one iteration, and no clock is read
  bool alone_ = false;             // the rest is not in the deque
  std::uint64_t size_ = 1;         // of blocks
  std::uint64_t stride_ = ~std::uint64_t{0};
  counters seen_{0};            // when it was last found that the hungry need not be seen to
  std::uint64_t began_at_ = 0;  // the block; 0: it was not noted
  std::uint64_t alone_until_ = 0;
  std::uint64_t most_alone_ = 0;   // iterations in a block, while alone
  std::uint64_t first_began_ = 0;  // if the first iteration is timed, and not over yet
  std::uint64_t first_took_ = 0;
  block first_{};
};

/// Calls the closure for each iteration. From a copy if that is cheap: no iteration can change it then, as far as the
/// compiler knows, and loops vectorise that could not otherwise.
template <class Body>
void run_iterations(loop_part& part) {
  using kept = std::conditional_t<std::is_trivially_copyable_v<Body>, const Body, const Body&>;
  kept body = *static_cast<const Body*>(part.closure());
  block b = part.first();
  do {
    std::uint64_t i = b.first;
    if (b.last - i == 1) {
      do {
        body(i);
      } while (part.next_single(i));
      continue;
    }
    for (;;) {
      const std::uint64_t until = b.last - i > part.stride() ? i + part.stride() : b.last;
      for (; i != until; ++i) {
        body(i);
      }
      if (i == b.last) {
        break;
      }
      if (part.others_are_hungry()) [[unlikely]] {
        b.last = part.share({i, b.last});
      }
    }
  } while (part.next(b));
}

/// Calls the closure for each block.
template <class Body>
void run_blocks(loop_part& part) {
  const Body& body = *static_cast<const Body*>(part.closure());
  block b = part.first();
  do {
    body(b.first, b.last);
  } while (part.next(b));
}

/// In the pool of the calling thread, else in the global one. `count` is not 0.
void run_loop(const loop_body& body, std::uint64_t count, const loop_options& options);

}  // namespace dozer::inline DOZER_PLATFORM::detail
