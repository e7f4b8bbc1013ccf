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
    pool_core& pool = *here.pool;
    me.done_.set(&here);
    pool.let_go();  // the job's; by us, since its caller may count as nobody once it is through
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
  return handed.wait();
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
