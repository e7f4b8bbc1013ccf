// Parking: a futex where there is one, a table of condition variables elsewhere.
#include <dozer/detail/platform.hpp>

#if defined(__linux__) && !defined(DOZER_NO_FUTEX)

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace dozer::inline DOZER_PLATFORM::detail {

namespace {

long futex(const void* address, int operation, std::uint32_t value, const timespec* timeout, channel on) noexcept {
  return syscall(SYS_futex, address, operation, value, timeout, nullptr, static_cast<std::uint32_t>(on));
}

}  // namespace

void park(const atomic<std::uint32_t>& word, std::uint32_t expected, channel on, std::uint64_t deadline) noexcept {
  static_assert(sizeof word == sizeof(std::uint32_t), "the futex is the atomic's own four bytes");
  constexpr std::uint64_t second = 1'000'000'000;
  timespec until{};
  until.tv_sec = static_cast<time_t>(deadline / second);
  until.tv_nsec = static_cast<long>(deadline % second);
  futex(&word, FUTEX_WAIT_BITSET_PRIVATE, expected, deadline == no_deadline ? nullptr : &until, on);
}

void unpark_one(const atomic<std::uint32_t>* word, channel on) noexcept {
  futex(word, FUTEX_WAKE_BITSET_PRIVATE, 1, nullptr, on);
}

void unpark_all(const atomic<std::uint32_t>* word, channel on) noexcept {
  futex(word, FUTEX_WAKE_BITSET_PRIVATE, std::numeric_limits<std::int32_t>::max(), nullptr, on);
}

}  // namespace dozer::inline DOZER_PLATFORM::detail

#else

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <new>

namespace dozer::inline DOZER_PLATFORM::detail {

namespace {

// Waiters are found by address. Whoever changes a word does so before it takes the bucket's mutex in unpark, and a
// sleeper compares under that mutex: a change is either seen or followed by a notification.
struct bucket {
  std::mutex mutex;
  std::condition_variable woken;
};

constexpr std::size_t bucket_count = 256;

struct table {
  bucket buckets[bucket_count];
};

// Made on first use: a pool may be made before the statics of this file. Never destroyed: threads may still park while
// the process exits. In the child of a fork() made anew: there the mutexes may be held by threads that do not exist.
table& all_buckets() noexcept {
  alignas(table) static std::byte room[sizeof(table)];
  [[maybe_unused]] static const bool made = [] {
    new (room) table;
    at_fork_in_child([] { new (room) table; });
    return true;
  }();
  return *std::launder(reinterpret_cast<table*>(room));
}

bucket& bucket_of(const void* address) noexcept {
  return all_buckets().buckets[(reinterpret_cast<std::uintptr_t>(address) >> 4) % bucket_count];
}

}  // namespace

void park(const atomic<std::uint32_t>& word, std::uint32_t expected, channel, std::uint64_t deadline) noexcept {
  bucket& here = bucket_of(&word);
  std::unique_lock hold(here.mutex);
  if (word.load(acquire) != expected) {  // pairs: platform.condvar (whoever changed the word, before unpark)
    return;
  }
  if (deadline == no_deadline) {
    here.woken.wait(hold);
  } else {
    const std::uint64_t now = now_ns();
    if (now < deadline) {
      here.woken.wait_for(hold, std::chrono::nanoseconds(deadline - now));
    }
  }
}

void unpark_all(const atomic<std::uint32_t>* word, channel) noexcept {
  bucket& there = bucket_of(word);
  { const std::lock_guard hold(there.mutex); }  // pairs: platform.condvar (a sleeper that has compared is waiting now)
  there.woken.notify_all();
}

// Others may share the bucket, so waking one could wake the wrong one.
void unpark_one(const atomic<std::uint32_t>* word, channel on) noexcept { unpark_all(word, on); }

}  // namespace dozer::inline DOZER_PLATFORM::detail

#endif
