// What only burns time, checked step by step with sequentially consistent memory: the promises of the jobs event
// counter, and no step for nothing. The safety of the sleep protocol does not rest on any of it.
#pragma once

#include "support.hpp"

namespace verify {

class monitor {
 public:
  /// `jobs_of_one_worker`: there is one worker, so a job that it does not take nobody takes.
  monitor(pool_core& pool, bool jobs_of_one_worker);

  /// Around each post by an outside thread.
  void post_begins() noexcept;
  void post_ends() noexcept;
  void job_runs() noexcept;

 private:
  struct member {
    bool announced = false;         // sleepy, and not yet registered, asleep or active
    bool seen = false;              // its announcement, by a post that is over
    bool counter_moved = false;     // since it announced
    bool job_since_before = false;  // there was a job, all of its post over, when it announced
    bool registered = false;
    bool disturbed = false;  // by anybody, since it announced
  };
  struct poster {
    bool posting = false;
    bool looked = false;
    thread_mask saw = 0;  // whose announcements
  };

  void state_reported(const void* field, std::uint64_t value, thread_id by) noexcept;
  void word_used(thread_id by) noexcept;
  void word_changed(counters before, counters now, thread_id by) noexcept;
  void disturb_all_but(thread_id by) noexcept;

  pool_core& pool_;
  const bool one_worker_;
  member members_[max_threads];
  poster posters_[max_threads];
  std::uint8_t posts_over_ = 0;
  std::uint8_t jobs_run_ = 0;
};

}  // namespace verify
