#include <dozer/detail/abort.hpp>

#include <cstdio>
#include <cstdlib>

namespace dozer::inline DOZER_PLATFORM::detail {

void print_error(const char* text) noexcept { std::fputs(text, stderr); }

void abort_now() noexcept { std::abort(); }

void abort_with(const char* what) noexcept {
  std::fprintf(stderr, "dozer: %s\n", what);
  abort_now();
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
