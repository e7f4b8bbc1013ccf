#include <dozer/detail/abort.hpp>
#include <dozer/detail/platform.hpp>

#include <string_view>

namespace dozer::inline DOZER_PLATFORM::detail {

verify::machine& model_machine = verify::the_machine();
test_hooks hooks;

bool fence_process_available() noexcept { return !hooks.deny_process_fence.load(relaxed); }

bool stack_has_less_than(std::size_t bytes) noexcept { return hooks.stack_left.load(relaxed) < bytes; }

bool system_refuses_thread(const site& started_at) noexcept {
  const char* const file = hooks.refused_threads.load(relaxed);
  const std::uint32_t most = hooks.most_threads.load(relaxed);
  return (most != 0 && on().threads_started() >= most) ||
         (file != nullptr && std::string_view(started_at.file_name()).ends_with(file));
}

namespace {

using handler_in_child = void (*)();
constinit handler_in_child in_child = nullptr;

}  // namespace

void at_fork_in_child(void (*handler)()) noexcept { in_child = handler; }

void come_out_of_fork() {
  {
    const verify::outside a_run(on());
    in_child();  // the count of generations is no part of a run, and would not change in one
  }
  in_child();  // the rest is made anew, in the run's memory
}

void print_error(const char* text) noexcept {
  const std::string_view said = text;
  if (hooks.aborted.load(relaxed) == nullptr &&
      said.find("no thread could be started to report") == said.npos) {  // the usual case: see count_people
    on().fail(said.find("wake-up was lost") != said.npos ? "lost wake-up" : "said aloud", text);
  }
}

void abort_now() noexcept { abort_with("after what was printed"); }

void abort_with(const char* what) noexcept {
  if (const auto told = hooks.aborted.load(relaxed)) {
    told();
    for (const atomic<std::uint32_t> never{0};;) {
      park(never, 0, channel::first);
    }
  }
  on().fail("abort", what);
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
