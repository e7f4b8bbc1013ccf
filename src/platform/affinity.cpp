#include "affinity.hpp"

#if defined(__linux__)

#include <cerrno>
#include <cstring>

namespace dozer::inline DOZER_PLATFORM::detail {

processor_set processor_set::all() noexcept {
  processor_set out;
  std::memset(out.sets_, 0xFF, sizeof out.sets_);
  return out;
}

processor_set processor_set::only(int processor) noexcept {
  processor_set out;
  out.add(processor);
  return out;
}

processor_set processor_set::without(int processor) const noexcept {
  processor_set out = *this;
  CPU_CLR_S(static_cast<std::size_t>(processor), sizeof out.sets_, out.sets_);
  return out;
}

// Weak, as the test_hooks are: two plug-ins that share a Dozer each have one, and one of them is used.
[[gnu::weak]] constinit affinity_calls affinity_of_system{
    [](pid_t thread, std::size_t size, cpu_set_t* into) { return sched_getaffinity(thread, size, into); },
    [](pid_t thread, std::size_t size, const cpu_set_t* to) { return sched_setaffinity(thread, size, to); }};

bool processor_set::read() noexcept { return affinity_of_system.get(0, sizeof sets_, sets_) == 0; }

int processor_set::apply() const noexcept { return affinity_of_system.set(0, sizeof sets_, sets_) == 0 ? 0 : errno; }

own_affinity::own_affinity() noexcept {
  if (!at_first_.read() || processor_set::all().apply() != 0) {
    return;
  }
  known_ = true;
  processor_set whole;
  roams_ = whole.read() && whole == at_first_;
  if (!roams_) {
    put_back();
  }
}

}  // namespace dozer::inline DOZER_PLATFORM::detail

#endif
