#include "topology.hpp"

#include <dozer/thread_pool.hpp>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>

namespace dozer::inline DOZER_PLATFORM::detail {

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
  unsigned count = std::min(static_cast<unsigned>(allowed_processors().size()), max_num_threads());
  if (const std::optional<unsigned> granted = cpus_by_cgroup("")) {
    count = std::min(count, *granted);
  }
  return std::max(count, 1u);
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
