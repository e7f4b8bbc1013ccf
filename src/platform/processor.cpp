// Which processor a thread runs on, and may run on.
#include <dozer/detail/platform.hpp>

#if defined(__linux__)

#include <sched.h>

#include <cstring>

namespace dozer::inline DOZER_PLATFORM::detail {

int current_processor() noexcept {
  const int pretended = hooks.processor.load(relaxed);  // relaxed: set by a test, before
  return pretended != no_processor ? pretended : sched_getcpu();
}

namespace {

/// False also where the system has more processors than a set holds.
bool get_affinity(cpu_set_t& into) noexcept { return sched_getaffinity(0, sizeof into, &into) == 0; }

}  // namespace

kept_off::kept_off(int processor, std::uint32_t others) noexcept : processor_(no_processor) {
  if (cpu_set_t allowed; processor != no_processor && get_affinity(allowed)) {
    if (CPU_ISSET(processor, &allowed) == 0) {
      return;  // it is kept off already, and not by us
    }
    CPU_CLR(processor, &allowed);
    const auto left = static_cast<std::uint32_t>(CPU_COUNT(&allowed));
    if (left != 0 && left >= others && sched_setaffinity(0, sizeof allowed, &allowed) == 0) {
      static_assert(sizeof allowed == sizeof meanwhile_);
      std::memcpy(meanwhile_, &allowed, sizeof allowed);
      processor_ = processor;
    }
  }
}

kept_off::~kept_off() {
  if (processor_ == no_processor) {
    return;
  }
  cpu_set_t allowed;
  // Somebody else may have had a wish meanwhile.
  if (get_affinity(allowed) && std::memcmp(&allowed, meanwhile_, sizeof allowed) == 0) {
    CPU_SET(processor_, &allowed);
    sched_setaffinity(0, sizeof allowed, &allowed);
  }
}

}  // namespace dozer::inline DOZER_PLATFORM::detail

#else

namespace dozer::inline DOZER_PLATFORM::detail {

int current_processor() noexcept { return no_processor; }
kept_off::kept_off(int, std::uint32_t) noexcept : processor_(no_processor) {}
kept_off::~kept_off() = default;

}  // namespace dozer::inline DOZER_PLATFORM::detail

#endif
