#include "topology.hpp"

#include <dozer/thread_pool.hpp>

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>

namespace dozer::inline DOZER_PLATFORM::detail {

unsigned cpus_by_affinity() noexcept {
#if defined(__linux__)
  // The kernel refuses a mask smaller than its own; double until it fits.
  for (std::size_t cpus = 1024; cpus <= (std::size_t{1} << 20); cpus *= 2) {
    cpu_set_t* const set = CPU_ALLOC(cpus);
    if (set == nullptr) {
      break;
    }
    const std::size_t bytes = CPU_ALLOC_SIZE(cpus);
    CPU_ZERO_S(bytes, set);
    const int result = sched_getaffinity(0, bytes, set);
    const int error = errno;
    const int count = result == 0 ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (count > 0) {
      return static_cast<unsigned>(count);
    }
    if (error != EINVAL) {
      break;
    }
  }
#endif
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? static_cast<unsigned>(online) : 1;
}

std::optional<unsigned> parse_thread_count(std::string_view text) noexcept {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value == 0 || value > max_num_threads()) {
    return std::nullopt;
  }
  return value;
}

namespace {

std::optional<unsigned> threads_by_environment() {
  const char* const text = std::getenv("DOZER_THREADS");
  if (text == nullptr || *text == '\0') {
    return std::nullopt;
  }
  const std::optional<unsigned> count = parse_thread_count(text);
  if (!count) {
    static constinit atomic<bool> warned{false};
    if (!warned.exchange(true, relaxed)) {  // relaxed: it only has to happen once
      std::fprintf(stderr, "dozer: DOZER_THREADS=%s is not a number from 1 to %u, using the default\n", text,
                   max_num_threads());
    }
  }
  return count;
}

}  // namespace

unsigned default_num_threads() {
  if (const std::optional<unsigned> asked = threads_by_environment()) {
    return *asked;
  }
  unsigned count = std::min(cpus_by_affinity(), max_num_threads());
  if (const std::optional<unsigned> granted = cpus_by_cgroup("")) {
    count = std::min(count, *granted);
  }
  return std::max(count, 1u);
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
