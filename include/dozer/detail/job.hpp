// A job: something to run once, known by its address.
#pragma once

#include <dozer/detail/isolation.hpp>
#include <dozer/detail/platform.hpp>

namespace dozer::inline DOZER_PLATFORM::detail {

struct job;
class seat;

/// What all jobs of one type share.
struct job_kind {
  void (*run)(job& self, seat& here) noexcept;  // may destroy `self`
  const char* (*name)(const job& self) noexcept;
  const void* (*awaited_as)(const job& self) noexcept;  // what those who wait for it say that they wait for
};

struct job {
  explicit job(const job_kind& k) noexcept : kind(&k) {}
  job(const job&) = delete;
  job& operator=(const job&) = delete;

  const job_kind* kind;
};

inline const void* awaited_by_address(const job& self) noexcept { return &self; }

template <class Job>
[[nodiscard]] constexpr job_kind make_kind() noexcept {
  if constexpr (requires { &Job::awaited_as; }) {
    return {&Job::run, &Job::name, &Job::awaited_as};
  } else {
    return {&Job::run, &Job::name, &awaited_by_address};
  }
}

/// The kind of a job class that has the functions as static members; without awaited_as it is awaited as itself.
template <class Job>
inline constexpr job_kind kind_of = make_kind<Job>();

/// A job that can stand in the injector or in a mailbox, and so carries their link.
struct posted_job : job {
  using job::job;
  posted_job* next = nullptr;
  isolation made_in;  // for where it stands in no deque
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
