#include <dozer/detail/abort.hpp>
#include <dozer/detail/platform.hpp>

namespace dozer::inline DOZER_PLATFORM::detail {

verify::machine& model_machine = verify::the_machine();
test_hooks hooks;

bool fence_process_available() noexcept { return !hooks.deny_process_fence.load(relaxed); }

void abort_with(const char* what) noexcept { on().fail("abort", what); }

}  // namespace dozer::inline DOZER_PLATFORM::detail
