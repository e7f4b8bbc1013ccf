// Which processor a thread runs on, and may run on.
#include <dozer/detail/platform.hpp>

#include "affinity.hpp"

#if defined(__linux__)

#include <sched.h>

#include <new>
#include <type_traits>

namespace dozer::inline DOZER_PLATFORM::detail {

int current_processor() noexcept {
  const int pretended = hooks.processor.load(relaxed);  // relaxed: set by a test, before
  return pretended != no_processor ? pretended : sched_getcpu();
}

bool pin_thread(int processor) noexcept { return processor_set::only(processor).apply() == 0; }

namespace {

constinit atomic<bool> changes_are_refused{false};

}  // namespace

kept_off::kept_off(int processor, std::uint32_t others) noexcept {
  if (processor == no_processor ||
      changes_are_refused.load(relaxed)) {  // relaxed: seen too late it costs a system call
    return;
  }
  processor_set allowed;
  // If it may not run there it is kept off already, and not by us.
  if (!allowed.read() || !allowed.has(processor) || allowed.count() < 2 ||
      static_cast<std::uint32_t>(allowed.count()) - 1 < others) {
    return;
  }
  static_assert(sizeof(own_affinity) <= sizeof before_ && alignof(own_affinity) <= 8 &&
                std::is_trivially_destructible_v<own_affinity>);
  const auto& before = *new (before_) own_affinity;
  if (!before.is_known()) {
    changes_are_refused.store(true, relaxed);  // relaxed: as above
  } else if (before.request().without(processor).apply() == 0) {
    processor_ = processor;
  }
}

kept_off::~kept_off() {
  if (processor_ == no_processor) {
    return;
  }
  const auto& before = *std::launder(reinterpret_cast<const own_affinity*>(before_));
  processor_set now;
  if (!now.read()) {
    return;
  }
  if (!(now == before.at_first().without(processor_))) {
    // The cpuset has changed, or another thread has had a wish. If the same request leads there again it was the
    // cpuset. (A cpuset that has nothing of a request is open to the thread as a whole.)
    processor_set again;
    const bool is_ours =
        (before.request().without(processor_).apply() == 0 || processor_set::all().apply() == 0) && again.read();
    if (!is_ours || !(again == now)) {
      static_cast<void>(now.apply());
      return;
    }
  }
  before.put_back();
}

}  // namespace dozer::inline DOZER_PLATFORM::detail

#else

namespace dozer::inline DOZER_PLATFORM::detail {

int current_processor() noexcept { return no_processor; }
bool pin_thread(int) noexcept { return false; }
kept_off::kept_off(int, std::uint32_t) noexcept {}
kept_off::~kept_off() = default;

}  // namespace dozer::inline DOZER_PLATFORM::detail

#endif
