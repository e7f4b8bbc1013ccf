#include "monitor.hpp"

namespace verify {

monitor::monitor(pool_core& pool, bool jobs_of_one_worker) : pool_(pool), one_worker_(jobs_of_one_worker) {
  if (!now_set.sequential || !now_set.costs) {
    return;
  }
  on().count_as_state(members_, sizeof members_);
  on().count_as_state(posters_, sizeof posters_);
  on().count_as_state(&posts_over_, sizeof posts_over_);
  on().count_as_state(&jobs_run_, sizeof jobs_run_);
  on().on_report([](void* self, const void* field, std::uint64_t value,
                    thread_id by) { static_cast<monitor*>(self)->state_reported(field, value, by); },
                 this);
  on().listen(
      &pool.sleep, [](void* self, std::uint64_t, thread_id by, bool) { static_cast<monitor*>(self)->word_used(by); },
      this);
  on().watch(
      &pool.sleep,
      [](void* self, std::uint64_t before, std::uint64_t now, thread_id by) {
        expect_counts(counters(now));
        static_cast<monitor*>(self)->word_changed(counters(before), counters(now), by);
      },
      this);
  const auto disturb = [](void* self, std::uint64_t, std::uint64_t, thread_id by) {
    static_cast<monitor*>(self)->disturb_all_but(by);
  };
  on().watch(&pool.injected, disturb, this);
  for (std::uint32_t i = 0; i < pool.seats.workers(); ++i) {
    on().watch(&pool.seats[i].parker, disturb, this);
    on().watch(&pool.seats[i].stop, disturb, this);
    on().watch(&pool.seats[i].mail, disturb, this);
  }
}

void monitor::state_reported(const void* field, std::uint64_t value, thread_id by) noexcept {
  bool of_a_seat = false;
  for (std::uint32_t i = 0; i < pool_.seats.capacity(); ++i) {
    of_a_seat |= field == &pool_.seats[i].state;
  }
  if (!of_a_seat) {
    return;
  }
  member& m = members_[by];
  if (value != static_cast<std::uint64_t>(dozer::activity::sleepy)) {
    m.announced = false;
    return;
  }
  expect(!m.announced || m.counter_moved, "needless round", "a worker announces again though nobody has posted");
  m = {};
  m.announced = true;
  m.job_since_before = posts_over_ > jobs_run_;
  for (poster& p : posters_) {
    p.saw &= static_cast<thread_mask>(~bit(by));
  }
}

void monitor::word_used(thread_id by) noexcept {
  poster& p = posters_[by];
  if (p.posting && !p.looked) {
    p.looked = true;
    for (thread_id t = 0; t < max_threads; ++t) {
      p.saw |= members_[t].announced ? bit(t) : thread_mask{0};
    }
  }
}

void monitor::word_changed(counters before, counters now, thread_id by) noexcept {
  if (now.jec() != before.jec() && now.work_announced()) {
    for (thread_id t = 0; t < max_threads; ++t) {
      members_[t].counter_moved |= t != by;
    }
  }
  member& m = members_[by];
  const bool same_inactive = now.inactive() == before.inactive();
  if (same_inactive && now.asleep() == before.asleep() + 1) {
    expect(!m.seen, "counter's promise", "a worker registers as asleep though a post has seen its announcement since");
    expect(!one_worker_ || !m.job_since_before || jobs_run_ >= posts_over_, "counter's promise",
           "a worker registers as asleep though a job was there before it announced");
    m.registered = true;
  } else if (same_inactive && now.asleep() + 1 == before.asleep() && m.registered) {
    expect(!one_worker_ || m.disturbed, "needless round", "a worker gives up its sleep though nothing has happened");
    m.registered = false;
  }
  disturb_all_but(by);
}

void monitor::disturb_all_but(thread_id by) noexcept {
  for (thread_id t = 0; t < max_threads; ++t) {
    members_[t].disturbed |= t != by;
  }
}

void monitor::post_begins() noexcept {
  const outside checker(on());
  posters_[on().self()] = {};
  posters_[on().self()].posting = true;
}

void monitor::post_ends() noexcept {
  const outside checker(on());
  poster& p = posters_[on().self()];
  p.posting = false;
  for (thread_id t = 0; t < max_threads; ++t) {
    members_[t].seen |= (p.saw & bit(t)) != 0 && members_[t].announced;
  }
  ++posts_over_;
}

void monitor::job_runs() noexcept {
  const outside checker(on());
  ++jobs_run_;
}

}  // namespace verify
