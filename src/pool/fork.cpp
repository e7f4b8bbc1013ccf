// What becomes of pools at fork(): the child has none of the threads, so every pool of before is left behind.
#include <dozer/detail/abort.hpp>
#include <dozer/detail/pool_core.hpp>

#include "fork.hpp"
#include "global.hpp"
#include "late_stay.hpp"

#include <new>
#include <stdexcept>

namespace dozer::inline DOZER_PLATFORM::detail {

namespace {

constinit atomic<std::uint64_t> generation{0};

// Runs in the child, where this thread is the only one.
void begin_new_generation() {
  generation.fetch_add(1, relaxed);  // relaxed: alone
  thread_came_out_of_fork();
  get_up();
  auto* const fresh = new (std::nothrow) domain;
  if (fresh == nullptr) {
    abort_with("a process has forked, and there is no memory for pools in the child");
  }
  set_current_domain(*fresh);
  late_stay::came_out_of_fork();
  forget_global_pool();
}

bool watch_for_forks() noexcept {
  static const bool watching = [] {
    at_fork_in_child(&begin_new_generation);
    return true;
  }();
  return watching;
}

// A child needs it also without a pool, for its thread's number. But a static constructor that makes a pool may run
// sooner than this.
[[maybe_unused]] const bool from_the_start = watch_for_forks();

}  // namespace

void keep_reachable(void* object) noexcept {
  struct link {
    void* object;
    link* older;
  };
  [[gnu::used]] static link* newest = nullptr;
  link* const made = object != nullptr ? new (std::nothrow) link{object, newest} : nullptr;
  if (made != nullptr) {  // else a leak checker may complain, and nothing else
    newest = made;
  }
}

std::uint64_t fork_generation() noexcept {
  static_cast<void>(watch_for_forks());
  return generation.load(relaxed);  // relaxed: only changes in a child that has one thread
}

bool pool_core::left_behind_by_fork() const noexcept {
  return generation_ != generation.load(relaxed);  // relaxed: only changes in a child that has one thread
}

void pool_core::check_usable() const {
  if (left_behind_by_fork()) {
    throw std::runtime_error(
        "dozer: this pool was left behind by fork(): its threads are the parent's. In the child use global_pool(), or "
        "make a new pool");
  }
}

void pool_core::abort_if_forked() const noexcept {
  if (left_behind_by_fork()) {
    abort_after_fork();
  }
}

void abort_after_fork() noexcept {
  abort_with("a job called fork() and then, in the child, went back to its pool, end the child with _exit or exec");
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
