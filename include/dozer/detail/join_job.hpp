// The job that join puts on the caller's stack, and the join itself.
#pragma once

#include <dozer/detail/latch.hpp>
#include <dozer/detail/outcome.hpp>
#include <dozer/detail/pool_core.hpp>
#include <dozer/detail/wait.hpp>

#include <type_traits>
#include <utility>

namespace dozer::inline DOZER_PLATFORM::detail {

/// B is called with whether another thread than the owner runs it.
template <class B>
class join_job : public job {
  using result_type = std::invoke_result_t<B&, bool>;

 public:
  join_job(seat& owner, B& b, const char* name) noexcept : job(kind_of<join_job>), b_(b), name_(name), done_(owner) {}

  /// True: nobody has stolen the job, it is the caller's to run. False: somebody has, and it has run.
  [[nodiscard]] bool take_back(seat& me) noexcept {
    job* j = nullptr;
    while ((j = me.own().take()) != this) {
      if (j == nullptr) {
        wait_until(me, done_.core(), wait_reason::join);
        return false;
      }
      run_job(me, *j);  // detached jobs that a has left on top
      if (done_.core().probe()) {
        return false;
      }
    }
    return true;
  }
  unit_for_void<result_type> take() { return outcome_.take(); }

  static void run(job& self, seat& here) noexcept {
    auto& me = static_cast<join_job&>(self);
    me.outcome_.run(me.b_, &here != &me.done_.owner());
    me.done_.set(here);
  }
  static const char* name(const job& self) noexcept { return static_cast<const join_job&>(self).name_; }

 private:
  B& b_;
  const char* name_;
  one_shot_latch done_;
  outcome<result_type> outcome_;
};

/// a() and b(migrated), the results in a pair. Both have finished when an exception leaves, and a's goes first.
template <class A, class B>
auto join_pair(seat& me, A& a, B& b, const char* b_name) {
  using RA = std::invoke_result_t<A&>;
  using RB = std::invoke_result_t<B&, bool>;
  using both = std::pair<unit_for_void<RA>, unit_for_void<RB>>;
  join_job<B> forked(me, b, b_name);
  fork_job(me, forked);
  outcome<RA> of_a;
  of_a.run(a);
  if (!forked.take_back(me)) {
    return both{of_a.take(), forked.take()};
  }
  if (of_a.failed()) [[unlikely]] {
    outcome<RB> ignored;
    ignored.run(b, false);
  }
  return both{of_a.take(), call(b, false)};
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
