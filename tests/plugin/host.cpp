// A program without Dozer that opens plug-ins with it: plugin_host SCENARIO PLUGIN PLUGIN
#include "plugin.hpp"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>

namespace {

void check(bool holds, const char* claim, int line) {
  if (!holds) {
    std::fprintf(stderr, "line %d: not so: %s\n", line, claim);
    std::exit(1);
  }
}
#define CHECK(claim) check((claim), #claim, __LINE__)

void* open(const char* path, int flags) {
  void* const handle = dlopen(path, flags);
  if (handle == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(1);
  }
  return handle;
}

class plugin {
  void* handle_;  // first: the functions are looked up in it

 public:
  plugin(const char* path, int flags) : handle_(open(path, flags)) {}
  plugin(const plugin&) = delete;
  plugin& operator=(const plugin&) = delete;
  ~plugin() { CHECK(dlclose(handle_) == 0); }

  template <class F>
  [[nodiscard]] F* function(const char* name) const {
    void* const found = dlsym(handle_, name);
    CHECK(found != nullptr);
    return reinterpret_cast<F*>(found);
  }
#define FUNCTION(name) decltype(::plugin_##name)* name = function<decltype(::plugin_##name)>("plugin_" #name)
  FUNCTION(uses_its_data);
  FUNCTION(fib);
  FUNCTION(fib_in_a_pool_of_its_own);
  FUNCTION(fib_alone);
  FUNCTION(is_in_a_pool);
  FUNCTION(install);
  FUNCTION(leaves_jobs_behind);
  FUNCTION(global_pool);
#undef FUNCTION
};

/// In this thread and in another one.
void use(const plugin& p) {
  CHECK(p.uses_its_data());
  CHECK(p.fib(15) == 610);
  CHECK(p.fib_in_a_pool_of_its_own(15) == 610);
  std::thread([&p] {
    CHECK(p.uses_its_data());
    CHECK(p.fib(15) == 610);
    CHECK(p.fib_in_a_pool_of_its_own(15) == 610);
  }).join();
  CHECK(!p.is_in_a_pool());
}

void open_use_close(const char* path, const char*) { use(plugin(path, RTLD_NOW | RTLD_LOCAL)); }

void a_pool_of_its_own_again_and_again(const char* path, const char*) {
  for (int i = 0; i < 20; ++i) {
    const plugin p(path, RTLD_LAZY | RTLD_LOCAL);
    CHECK(p.fib_in_a_pool_of_its_own(10) == 55);
  }
}

/// The code of those jobs, and of the threads that run them, must stay.
void close_while_jobs_run(const char* path, const char*) {
  plugin(path, RTLD_NOW | RTLD_LOCAL).leaves_jobs_behind();
  for (int i = 0; i < 50; ++i) {
    usleep(1000);
  }
}

void open_again(const char* path, const char*) {
  plugin(path, RTLD_NOW | RTLD_LOCAL).fib(15);
  const plugin p(path, RTLD_NOW | RTLD_LOCAL);
  CHECK(p.fib(15) == 610);
}

/// Its handlers of fork() must not be called where they are not any more.
void fork_after_close(const char* path, const char*) {
  open_use_close(path, nullptr);
  const pid_t child = fork();
  if (child == 0) {
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/// For fork_cost_test.
void print_fib(const char* path, const char* n) {
  std::printf("%ld\n", plugin(path, RTLD_NOW | RTLD_LOCAL).fib_alone(std::atoi(n)));
}

// ---- two: all that they have of Dozer is shared, or nothing is
// -------------------------------------------------------

const plugin* inner = nullptr;
bool is_inside = false;

void both(const char* path_a, int flags_a, const char* path_b, int flags_b, bool shared) {
  const plugin a(path_a, flags_a);
  const plugin b(path_b, flags_b);
  use(a);
  use(b);
  CHECK((a.global_pool() == b.global_pool()) == shared);
  const auto seen_inside = [](const plugin& outer, const plugin& seen) {
    inner = &seen;
    outer.install([] {
      is_inside = inner->is_in_a_pool() != 0;
      CHECK(inner->fib(15) == 610);
      CHECK(inner->fib_in_a_pool_of_its_own(15) == 610);
    });
    return is_inside;
  };
  CHECK(seen_inside(a, b) == shared);
  CHECK(seen_inside(b, a) == shared);
  CHECK(seen_inside(a, a));
  CHECK(seen_inside(b, b));
}

void two_local(const char* a, const char* b) { both(a, RTLD_NOW | RTLD_LOCAL, b, RTLD_NOW | RTLD_LOCAL, false); }
/// They link with libdozer.so, which there can be only one of.
void two_of_a_shared_dozer(const char* a, const char* b) {
  both(a, RTLD_NOW | RTLD_LOCAL, b, RTLD_NOW | RTLD_LOCAL, true);
}
void two_global(const char* a, const char* b) { both(a, RTLD_NOW | RTLD_GLOBAL, b, RTLD_NOW | RTLD_GLOBAL, true); }
void local_then_global(const char* a, const char* b) {
  both(a, RTLD_LAZY | RTLD_LOCAL, b, RTLD_LAZY | RTLD_GLOBAL, false);
}
void global_then_local(const char* a, const char* b) {
  both(a, RTLD_LAZY | RTLD_GLOBAL, b, RTLD_LAZY | RTLD_LOCAL, true);
}

const std::map<std::string, void (*)(const char*, const char*)> scenarios{
    {"open_use_close", open_use_close},
    {"a_pool_of_its_own_again_and_again", a_pool_of_its_own_again_and_again},
    {"close_while_jobs_run", close_while_jobs_run},
    {"open_again", open_again},
    {"fork_after_close", fork_after_close},
    {"print_fib", print_fib},
    {"two_local", two_local},
    {"two_of_a_shared_dozer", two_of_a_shared_dozer},
    {"two_global", two_global},
    {"local_then_global", local_then_global},
    {"global_then_local", global_then_local},
};

}  // namespace

int main(int argc, char** argv) {
  const auto found = argc == 4 ? scenarios.find(argv[1]) : scenarios.end();
  if (found == scenarios.end()) {
    std::fprintf(stderr, "usage: plugin_host SCENARIO PLUGIN PLUGIN\n");
    return 2;
  }
  found->second(argv[2], argv[3]);
  return 0;
}
