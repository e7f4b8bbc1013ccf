// A job: something to run once, known by its address.
#pragma once

#include <dozer/detail/platform.hpp>

namespace dozer::inline DOZER_PLATFORM::detail {

struct job;
class seat;

/// What all jobs of one type share.
struct job_kind {
  void (*run)(job& self, seat& here) noexcept;  // may destroy `self`
  const char* (*name)(const job& self) noexcept;
};

struct job {
  explicit job(const job_kind& k) noexcept : kind(&k) {}
  job(const job&) = delete;
  job& operator=(const job&) = delete;

  const job_kind* kind;
};

/// The kind of a job class that has the two functions as static members.
template <class Job>
inline constexpr job_kind kind_of{&Job::run, &Job::name};

/// A job that can stand in the injector or in a mailbox, and so carries their link.
struct posted_job : job {
  using job::job;
  posted_job* next = nullptr;
};

/// Turns a chain of posted jobs round. Returns its new first.
inline posted_job* reversed(posted_job* chain) noexcept {
  posted_job* turned = nullptr;
  while (chain != nullptr) {
    posted_job* const rest = chain->next;
    chain->next = turned;
    turned = chain;
    chain = rest;
  }
  return turned;
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
