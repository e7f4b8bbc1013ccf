// Threads, the clock, yielding, and what happens to them at fork().
#include <dozer/detail/platform.hpp>

#include <pthread.h>
#include <sched.h>
#if defined(__linux__)
#include <sys/syscall.h>
#endif
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace dozer::inline DOZER_PLATFORM::detail {

test_hooks hooks;

namespace {

bool test_denies_thread() noexcept {
  std::int64_t left = hooks.threads_until_failure.load(relaxed);  // relaxed: nothing comes with the counts
  while (left > 0) {
    if (hooks.threads_until_failure.compare_exchange_weak(left, left - 1, relaxed, relaxed)) {  // relaxed: as above
      return false;
    }
  }
  if (left < 0) {
    return false;
  }
  std::int64_t more = hooks.thread_failures.load(relaxed);  // relaxed: as above
  while (more > 0) {
    if (hooks.thread_failures.compare_exchange_weak(more, more - 1, relaxed, relaxed)) {  // relaxed: as above
      return true;
    }
  }
  return more < 0;
}

}  // namespace

int thread::start(void (*body)(void*) noexcept, void* argument, std::size_t stack_size) noexcept {
  static_assert(sizeof(pthread_t) <= sizeof handle_);
  if (test_denies_thread()) {
    return EAGAIN;
  }
  body_ = body;
  argument_ = argument;
  pthread_attr_t attributes;
  if (const int error = pthread_attr_init(&attributes)) {
    return error;
  }
  int error = stack_size == 0 ? 0 : pthread_attr_setstacksize(&attributes, stack_size);
  pthread_t made{};
  if (error == 0) {
    const auto run = [](void* self) -> void* {
      auto* const me = static_cast<thread*>(self);
      me->body_(me->argument_);
      return nullptr;
    };
    error = pthread_create(&made, &attributes, run, this);
  }
  pthread_attr_destroy(&attributes);
  if (error == 0) {
    std::memcpy(&handle_, &made, sizeof made);
  }
  return error;
}

void thread::join() noexcept {
  pthread_t made{};
  std::memcpy(&made, &handle_, sizeof made);
  pthread_join(made, nullptr);
}

void thread::detach() noexcept {
  pthread_t made{};
  std::memcpy(&made, &handle_, sizeof made);
  pthread_detach(made);
}

void set_thread_name(const char* name) noexcept {
#if defined(__linux__)
  char shortened[16] = {};  // what the kernel keeps, terminator included
  std::strncpy(shortened, name, sizeof shortened - 1);
  pthread_setname_np(pthread_self(), shortened);
#else
  static_cast<void>(name);
#endif
}

namespace {

thread_local constinit std::uint64_t own_number = 0;  // 0: not asked for yet

}  // namespace

std::uint64_t thread_number() noexcept {
#if defined(__linux__)
  if (own_number == 0) {
    own_number = static_cast<std::uint64_t>(syscall(SYS_gettid));
  }
#endif
  return own_number;
}

void forget_thread_number() noexcept { own_number = 0; }

namespace {

struct stack_of_a_thread {
  std::uintptr_t end = 0;  // the lowest address; 0: not known
  std::size_t size = 0;
};

stack_of_a_thread own_stack() noexcept {
  stack_of_a_thread out;
#if defined(__linux__)
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    void* end = nullptr;
    std::size_t size = 0;
    if (pthread_attr_getstack(&attributes, &end, &size) == 0) {
      out = {reinterpret_cast<std::uintptr_t>(end), size};
    }
    pthread_attr_destroy(&attributes);
  }
#endif
  return out;
}

}  // namespace

bool stack_has_less_than(std::size_t wanted) noexcept {
  static thread_local const stack_of_a_thread mine = own_stack();  // asked once: for the first thread it takes long
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (mine.end == 0 || here < mine.end || here - mine.end > mine.size) {
    return false;  // not known; or the caller has made itself another stack
  }
  const std::size_t half = mine.size / 2;
  return here - mine.end < (wanted < half ? wanted : half);
}

void yield_thread() noexcept { sched_yield(); }

std::uint64_t now_ns() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

std::uint64_t deadline_after(double seconds) noexcept {
  constexpr double longest = 1e9;  // thirty years, and no overflow anywhere
  if (!(seconds > 0)) {
    return now_ns();
  }
  return seconds > longest ? no_deadline : now_ns() + static_cast<std::uint64_t>(seconds * 1e9);
}

void at_fork_in_child(void (*handler)()) noexcept { pthread_atfork(nullptr, nullptr, handler); }

}  // namespace dozer::inline DOZER_PLATFORM::detail
