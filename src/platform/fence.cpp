// The process-wide fence: membarrier, asked for once and registered for the process.
#include <dozer/detail/abort.hpp>
#include <dozer/detail/platform.hpp>

#if defined(__linux__)
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace dozer::inline DOZER_PLATFORM::detail {

#if defined(__linux__) && defined(SYS_membarrier)

bool fence_process_available() noexcept {
  if (hooks.deny_process_fence.load(relaxed)) {  // relaxed: set by a test before it makes a pool
    return false;
  }
  // Registering again costs a system call and changes nothing, so a child of fork() needs no special care.
  const long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
  return commands > 0 && (commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0 &&
         syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

void fence_process() noexcept {
  if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0) {
    abort_with("the kernel refused a membarrier that it had granted before");
  }
  fence_seq_cst();
}

#else

bool fence_process_available() noexcept { return false; }
void fence_process() noexcept { abort_with("there is no process-wide fence on this system"); }

#endif

}  // namespace dozer::inline DOZER_PLATFORM::detail
