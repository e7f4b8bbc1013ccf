// broadcast: the same closure once in every seat.
#pragma once

#include <dozer/detail/latch.hpp>
#include <dozer/detail/outcome.hpp>
#include <dozer/detail/pool_core.hpp>
#include <dozer/named.hpp>
#include <dozer/thread_pool.hpp>

#include <cstdint>
#include <deque>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace dozer::inline DOZER_PLATFORM {

/// What a broadcast tells its closure.
class broadcast_context {
 public:
  broadcast_context(unsigned index, unsigned threads) noexcept : index_(index), threads_(threads) {}
  /// Of the seat, from 0 to num_threads() - 1.
  [[nodiscard]] unsigned index() const noexcept { return index_; }
  [[nodiscard]] unsigned num_threads() const noexcept { return threads_; }

 private:
  unsigned index_;
  unsigned threads_;
};

namespace detail {

template <class F>
class broadcast_job : public posted_job {
 public:
  using result_type = std::invoke_result_t<F&, broadcast_context>;
  using latch_type = std::optional<counting_latch<caller_latch>>;

  broadcast_job(F& f, std::uint32_t threads, latch_type& done) noexcept
      : posted_job(kind_of<broadcast_job>), f_(f), threads_(threads), done_(done) {}

  static void run(job& self, seat& here) noexcept {
    auto& me = static_cast<broadcast_job&>(self);
    me.result.run(me.f_, broadcast_context(here.index, me.threads_));
    pool_core& pool = *here.pool;
    me.done_->count_down(&here);
    pool.let_go();  // the job's
  }
  static const char* name(const job& self) noexcept { return name_of(static_cast<const broadcast_job&>(self).f_); }
  static const void* awaited_as(const job& self) noexcept { return &static_cast<const broadcast_job&>(self).done_; }

  outcome<result_type> result;

 private:
  F& f_;
  std::uint32_t threads_;
  latch_type& done_;
};

/// Puts a job into the mailbox of every worker's seat, and waits for all of them.
template <class F>
auto broadcast_in(pool_core& pool, F& f) {
  using job_type = broadcast_job<F>;
  using R = typename job_type::result_type;
  pool.check_usable();
  const std::uint32_t threads = pool.seats.workers();
  typename job_type::latch_type done;
  std::deque<job_type> jobs;
  for (std::uint32_t i = 0; i < threads; ++i) {
    jobs.emplace_back(f, threads, done);
  }
  std::vector<unit_for_void<std::decay_t<R>>> results;
  if constexpr (!std::is_void_v<R>) {
    results.reserve(threads);
  }
  done.emplace(threads);                 // last: once made it must be set, and nothing more may fail
  pool.hold(std::int64_t{threads} + 1);  // the jobs', and ours until the last wake is sent
  {
    const token_from_outside until_all_know(pool.home);
    for (std::uint32_t i = 0; i < threads; ++i) {
      pool.send_mail(i, jobs[i]);
    }
    pool.mail_sent();
    pool.let_go();
  }
  done->latch().wait(wait_reason::broadcast, &done);
  if constexpr (std::is_void_v<R>) {
    for (job_type& j : jobs) {
      j.result.take();
    }
  } else {
    for (job_type& j : jobs) {
      results.push_back(j.result.take());
    }
    return results;
  }
}

}  // namespace detail

template <class F>
auto thread_pool::broadcast(F&& f) {
  static_assert(std::is_invocable_v<F&, broadcast_context>, "a broadcast's closure takes a dozer::broadcast_context");
  return detail::broadcast_in(*core_, f);
}

/// In the pool of the calling thread, else in the global pool.
template <class F>
auto broadcast(F&& f) {
  static_assert(std::is_invocable_v<F&, broadcast_context>, "a broadcast's closure takes a dozer::broadcast_context");
  return detail::broadcast_in(detail::current_core(), f);
}

}  // namespace dozer::inline DOZER_PLATFORM
