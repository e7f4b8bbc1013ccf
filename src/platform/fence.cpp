// The process-wide fence: membarrier, asked for once and registered for the process; a visit to every processor if it
// stops working (README.md beside this file, "The process fence").
#include <dozer/detail/abort.hpp>
#include <dozer/detail/platform.hpp>

#include "visit.hpp"

#if defined(__linux__)
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace dozer::inline DOZER_PLATFORM::detail {

#if defined(__linux__) && defined(SYS_membarrier)

namespace {

long membarrier(int command) noexcept { return syscall(SYS_membarrier, command, 0, 0); }

DOZER_COLD void fence_process_otherwise() noexcept {
  if (membarrier(MEMBARRIER_CMD_GLOBAL) == 0) {  // step 2
    return;
  }
  if (!visit_every_processor()) {  // step 3
    abort_with(                    // step 4
        "the kernel refuses membarrier, which it had granted when the pool was made, and it cannot be replaced: "
        "sched_setaffinity is refused, too, or threads of the process run where this one must not, or /proc cannot be "
        "read. Forbid membarrier before the first pool is made, or set idle_options::fences to fence_policy::full");
  }
}

}  // namespace

bool fence_process_available() noexcept {
  if (hooks.deny_process_fence.load(relaxed)) {  // relaxed: set by a test before it makes a pool
    return false;
  }
  // Registering again costs a system call and changes nothing, so a child of fork() needs no special care.
  const long commands = membarrier(MEMBARRIER_CMD_QUERY);
  if (commands <= 0 || (commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0 ||
      membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) != 0) {
    return false;
  }
  prepare_to_visit();
  return true;
}

void fence_process() noexcept {
  if (membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0) [[unlikely]] {  // step 1
    fence_process_otherwise();
  }
  fence_seq_cst();
}

#else

bool fence_process_available() noexcept { return false; }
void fence_process() noexcept { abort_with("there is no process-wide fence on this system"); }

#endif

}  // namespace dozer::inline DOZER_PLATFORM::detail
