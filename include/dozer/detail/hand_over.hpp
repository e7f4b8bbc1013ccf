// A closure handed to a pool by a thread that cannot sit in it, and waits.
#pragma once

#include <dozer/detail/latch.hpp>
#include <dozer/detail/outcome.hpp>
#include <dozer/detail/pool_core.hpp>
#include <dozer/named.hpp>

#include <type_traits>
#include <utility>

namespace dozer::inline DOZER_PLATFORM::detail {

template <class F>
class handed_job : public posted_job {
  using result_type = std::invoke_result_t<F>;

 public:
  explicit handed_job(std::remove_reference_t<F>& f) noexcept : posted_job(kind_of<handed_job>), f_(f) {}

  result_type wait() {
    done_.wait(wait_reason::install, static_cast<job*>(this));
    return take_result(outcome_);
  }

  static void run(job& self, seat& here) noexcept {
    auto& me = static_cast<handed_job&>(self);
    me.outcome_.run(std::forward<F>(me.f_));
    me.done_.set(&here);
  }
  static const char* name(const job& self) noexcept { return name_of(static_cast<const handed_job&>(self).f_); }

 private:
  std::remove_reference_t<F>& f_;
  outcome<result_type> outcome_;
  caller_latch done_;
};

/// Calls f in `pool` as an F and returns its result.
template <class F>
std::invoke_result_t<F> hand_over(pool_core& pool, std::remove_reference_t<F>& f) {
  handed_job<F> handed(f);
  pool.hold();  // until the closure has run, also if the handle goes meanwhile
  pool.inject(handed);
  struct let_go {
    pool_core& pool;
    ~let_go() { pool.let_go(); }
  } const at_end{pool};
  return handed.wait();
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
