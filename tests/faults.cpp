#include "faults.hpp"

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <utility>

namespace {

// 0 or less: none fails any more.
std::atomic<std::int64_t> until_failure{0};
std::atomic<std::int64_t> live{0};

/// Null: it is to fail, or the system has no more.
void* allocate(std::size_t size, std::size_t alignment) noexcept {
  if (until_failure.load() > 0 && until_failure.fetch_sub(1) == 1) {
    return nullptr;
  }
  void* const p = alignment == 0 ? std::malloc(size == 0 ? 1 : size)
                                 : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  live += p != nullptr ? 1 : 0;
  return p;
}

void* allocate_or_throw(std::size_t size, std::size_t alignment = 0) {
  void* const p = allocate(size, alignment);
  if (p == nullptr) {
    throw std::bad_alloc();
  }
  return p;
}

void release(void* p) noexcept {
  live -= p != nullptr ? 1 : 0;
  std::free(p);
}

constexpr std::int64_t any_number = 1'000'000;

}  // namespace

void* operator new(std::size_t size) { return allocate_or_throw(size); }
void* operator new[](std::size_t size) { return allocate_or_throw(size); }
void* operator new(std::size_t size, std::align_val_t a) {
  return allocate_or_throw(size, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t size, std::align_val_t a) {
  return allocate_or_throw(size, static_cast<std::size_t>(a));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, 0); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, 0); }
void* operator new(std::size_t size, std::align_val_t a, const std::nothrow_t&) noexcept {
  return allocate(size, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t size, std::align_val_t a, const std::nothrow_t&) noexcept {
  return allocate(size, static_cast<std::size_t>(a));
}
void operator delete(void* p) noexcept { release(p); }
void operator delete[](void* p) noexcept { release(p); }
void operator delete(void* p, std::size_t) noexcept { release(p); }
void operator delete[](void* p, std::size_t) noexcept { release(p); }
void operator delete(void* p, std::align_val_t) noexcept { release(p); }
void operator delete[](void* p, std::align_val_t) noexcept { release(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { release(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { release(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { release(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { release(p); }
void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept { release(p); }
void operator delete[](void* p, std::align_val_t, const std::nothrow_t&) noexcept { release(p); }

namespace dozer_test {

using dozer::detail::hooks;
using dozer::detail::relaxed;

std::int64_t live_allocations() { return live; }

unsigned threads_of_the_process() {
  unsigned count = 0;
  for (const auto& each : std::filesystem::directory_iterator("/proc/self/task")) {
    static_cast<void>(each);
    ++count;
  }
  return count;
}

void start_the_reporter() {
  static bool started = false;
  if (std::exchange(started, true)) {
    return;
  }
  dozer::pool_options options;
  options.threads = 1;
  options.on_deadlock = [](const dozer::deadlock_report&) { return dozer::deadlock_action::throw_error; };
  dozer::thread_pool pool(std::move(options));
  EXPECT_THROW(pool.submit([] { dozer::event(dozer::wait_kind::pool).wait(); }).get(), dozer::deadlock_error);
}

void trial::arm() {
  if (k_ == 0) {
    return;
  }
  armed_ = true;
  if (what_ == fault::allocation) {
    until_failure = static_cast<std::int64_t>(k_);
  } else {
    hooks.thread_failures.store(what_ == fault::thread ? 1 : any_number, relaxed);
    hooks.threads_until_failure.store(static_cast<std::int64_t>(k_) - 1, relaxed);
  }
}

void trial::disarm() {
  if (!armed_) {
    return;
  }
  armed_ = false;
  if (what_ == fault::allocation) {
    failed_ = until_failure.exchange(0) <= 0;
  } else {
    hooks.threads_until_failure.store(-1, relaxed);
    failed_ = hooks.thread_failures.exchange(-1, relaxed) != (what_ == fault::thread ? 1 : any_number);
  }
}

}  // namespace dozer_test
