// Threads, the clock, yielding, and what happens to them at fork().
#include <dozer/detail/platform.hpp>

#include "affinity.hpp"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#if defined(__linux__)
#include <sys/resource.h>
#include <sys/syscall.h>
#endif
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

namespace dozer::inline DOZER_PLATFORM::detail {

constinit test_hooks hooks;

namespace {

bool test_denies_thread() noexcept {
  std::int64_t left = hooks.threads_until_failure.load(relaxed);  // relaxed: one thread makes pools in such a test
  if (left > 0) {
    hooks.threads_until_failure.store(left - 1, relaxed);  // relaxed: likewise
  }
  return left == 0;
}

}  // namespace

thread_settings::thread_settings() noexcept {
  static_assert(sizeof(sigset_t) <= sizeof signals_);
  pthread_sigmask(SIG_SETMASK, nullptr, reinterpret_cast<sigset_t*>(signals_));
#if defined(__linux__)
  // Of the thread, whatever these calls are named after; and not as the C library remembers it.
  sched_param parameters{};
  sched_getparam(0, &parameters);
  priority_ = parameters.sched_priority;
  nice_ = getpriority(PRIO_PROCESS, 0);
  policy_ = sched_getscheduler(0);
  if ((policy_ & SCHED_RESET_ON_FORK) != 0) {
    policy_ = SCHED_OTHER;  // what it starts has neither its policy nor its priority
    priority_ = 0;
    nice_ = std::max(nice_, 0);
  }
  static_assert(sizeof(processor_set) == sizeof may_run_on_);
  static_cast<void>((new (may_run_on_) processor_set)->read());
#endif
}

void thread_settings::apply() const noexcept {
#if defined(__linux__)
  sched_param parameters{};
  parameters.sched_priority = priority_;
  sched_setscheduler(0, policy_, &parameters);
  setpriority(PRIO_PROCESS, 0, nice_);
  static_cast<void>(std::launder(reinterpret_cast<const processor_set*>(may_run_on_))->apply());
#endif
  // Last: from here on a handler of the user's may run.
  pthread_sigmask(SIG_SETMASK, reinterpret_cast<const sigset_t*>(signals_), nullptr);
}

int thread::start(void (*body)(void*) noexcept, void* argument, std::size_t stack_size,
                  const thread_settings* settings) noexcept {
  static_assert(sizeof(pthread_t) <= sizeof handle_);
  if (test_denies_thread()) {
    return EAGAIN;
  }
  body_ = body;
  argument_ = argument;
  settings_ = settings;
  pthread_attr_t attributes;
  if (const int error = pthread_attr_init(&attributes)) {
    return error;
  }
  int error = stack_size == 0 ? 0 : pthread_attr_setstacksize(&attributes, stack_size);
  pthread_t made{};
  if (error == 0) {
    const auto run = [](void* self) -> void* {
      auto* const me = static_cast<thread*>(self);
      if (me->settings_ != nullptr) {
        me->settings_->apply();
      }
      me->body_(me->argument_);
      return nullptr;
    };
    sigset_t all, callers;
    if (settings != nullptr) {
      sigfillset(&all);
      pthread_sigmask(SIG_SETMASK, &all, &callers);  // no signal in the thread before it has its own mask
    }
    error = pthread_create(&made, &attributes, run, this);
    if (settings != nullptr) {
      pthread_sigmask(SIG_SETMASK, &callers, nullptr);
    }
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

void nap() noexcept {
  const timespec moment{0, 50'000};
  nanosleep(&moment, nullptr);
}

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
