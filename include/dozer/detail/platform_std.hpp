// The native and the tsan platform (platform.hpp says what a platform is).
#pragma once

#include <array>
#include <atomic>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>

namespace dozer::inline DOZER_PLATFORM::detail {

using order = std::memory_order;
inline constexpr order relaxed = std::memory_order_relaxed;
inline constexpr order acquire = std::memory_order_acquire;
inline constexpr order release = std::memory_order_release;
inline constexpr order acq_rel = std::memory_order_acq_rel;
inline constexpr order seq_cst = std::memory_order_seq_cst;

/// An atomic that never chooses an order by itself: no default, no operators, no conversion.
template <class T>
class atomic {
 public:
  constexpr atomic() noexcept = default;
  constexpr explicit atomic(T value) noexcept : value_(value) {}
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  [[nodiscard]] T load(order o) const noexcept { return value_.load(o); }
  void store(T value, order o) noexcept { value_.store(value, o); }
  T exchange(T value, order o) noexcept { return value_.exchange(value, o); }
  [[nodiscard]] bool compare_exchange(T& expected, T desired, order success, order failure) noexcept {
    return value_.compare_exchange_strong(expected, desired, success, failure);
  }
  [[nodiscard]] bool compare_exchange_weak(T& expected, T desired, order success, order failure) noexcept {
    return value_.compare_exchange_weak(expected, desired, success, failure);
  }
  T fetch_add(T value, order o) noexcept requires std::integral<T> { return value_.fetch_add(value, o); }
  T fetch_sub(T value, order o) noexcept requires std::integral<T> { return value_.fetch_sub(value, o); }
  T fetch_or(T value, order o) noexcept requires std::integral<T> { return value_.fetch_or(value, o); }
  T fetch_and(T value, order o) noexcept requires std::integral<T> { return value_.fetch_and(value, o); }

 private:
  std::atomic<T> value_{};
};

/// A value for reports: written by one thread at a time, read at any time by anyone, and nothing rests on it.
template <class T>
class reported {
 public:
  constexpr explicit reported(T value = T()) noexcept : value_(value) {}
  [[nodiscard]] T get() const noexcept { return value_.load(relaxed); }  // relaxed: a snapshot
  void set(T value) noexcept { value_.store(value, relaxed); }           // relaxed: nothing rests on it
  void bump() noexcept { set(get() + 1); }
  /// For several writers at a time.
  void bump_shared() noexcept { value_.fetch_add(1, relaxed); }  // relaxed: nothing rests on it

 private:
  atomic<T> value_;
};

// ---- fences -------------------------------------------------------------------------------------

/// Keeps the compiler, and nobody else, from moving memory accesses across: half of a pair whose other half is
/// fence_process.
inline void fence_light() noexcept { std::atomic_signal_fence(std::memory_order_seq_cst); }

#if defined(DOZER_PLATFORM_TSAN)
inline std::atomic<std::uint32_t> fence_dummy{0};
inline void fence_seq_cst() noexcept { fence_dummy.fetch_add(0, std::memory_order_seq_cst); }
#elif defined(__x86_64__)
// A locked RMW on the stack orders as mfence does and takes an eighth of its time.
inline void fence_seq_cst() noexcept { __asm__ __volatile__("lock orq $0, (%%rsp)" ::: "memory", "cc"); }
#else
inline void fence_seq_cst() noexcept { std::atomic_thread_fence(std::memory_order_seq_cst); }
#endif

/// True if the kernel can make every running thread of the process execute a full fence. Asks, and registers, once.
[[nodiscard]] bool fence_process_available() noexcept;
/// That fence. Only where fence_process_available().
void fence_process() noexcept;

// ---- parking ------------------------------------------------------------------------------------

/// Two may wait on one word, each on its own channel, so that neither swallows the other's wake-up.
enum class channel : std::uint32_t { first = 1, second = 2 };

inline constexpr std::uint64_t no_deadline = std::numeric_limits<std::uint64_t>::max();

/// Sleeps while `word` holds `expected`, until woken or until the clock passes `deadline`. May return for no reason.
DOZER_WAKE_PATH void park(const atomic<std::uint32_t>& word, std::uint32_t expected, channel on,
                          std::uint64_t deadline = no_deadline) noexcept;
/// Wakes one who parked there. Uses the address only: what lived at it may be gone already.
DOZER_WAKE_PATH void unpark_one(const atomic<std::uint32_t>* word, channel on) noexcept;
void unpark_all(const atomic<std::uint32_t>* word, channel on) noexcept;

// ---- waiting a little, time, chance -------------------------------------------------------------

inline void cpu_relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("isb" ::: "memory");
#endif
}
/// For threads of the same priority: under a real-time policy those of lower priority do not come to run. So nothing
/// may wait for another thread by yields without an end.
void yield_thread() noexcept;
/// Sleeps for a moment, so that threads of any priority come to run.
void nap() noexcept;

/// Says that this line will soon be written.
inline void prefetch(const void* line) noexcept { __builtin_prefetch(line, 1); }

/// Nanoseconds of a clock that never goes back.
[[nodiscard]] std::uint64_t now_ns() noexcept;

/// A counter that is quicker to read than the clock. Its unit is a matter of the processor: about so many in a
/// microsecond.
#if defined(__x86_64__)
inline constexpr std::uint64_t ticks_per_us = 2500;
[[nodiscard]] inline std::uint64_t ticks() noexcept { return __builtin_ia32_rdtsc(); }
#else
inline constexpr std::uint64_t ticks_per_us = 1000;
[[nodiscard]] inline std::uint64_t ticks() noexcept { return now_ns(); }
#endif

/// The reading of that clock after so many seconds; no_deadline if that is beyond it.
[[nodiscard]] std::uint64_t deadline_after(double seconds) noexcept;

/// Picks victims; not for secrets.
class random {
 public:
  explicit random(std::uint64_t seed) noexcept : state_(seed * 0x9E3779B97F4A7C15u + 0x1234567u) {}
  [[nodiscard]] std::uint32_t below(std::uint32_t bound) noexcept {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<std::uint32_t>(((state_ >> 32) * bound) >> 32);
  }

 private:
  std::uint64_t state_;
};

// ---- processors ---------------------------------------------------------------------------------

inline constexpr int no_processor = -1;
/// The one that the caller runs on, or none if that is not known.
[[nodiscard]] int current_processor() noexcept;

/// From now on the calling thread runs only there. False: the system refuses.
[[nodiscard]] bool pin_thread(int processor) noexcept;

/// While it lives, the calling thread does not run on that processor, if it may run on so many others. Afterwards it
/// may run where it could, as far as its cpuset goes by then; unless another thread has set its affinity meanwhile.
class kept_off {
 public:
  kept_off(int processor, std::uint32_t others) noexcept;
  ~kept_off();
  kept_off(const kept_off&) = delete;
  kept_off& operator=(const kept_off&) = delete;

 private:
  int processor_ = no_processor;
  alignas(8) std::byte before_[1040];  // where it might run: an own_affinity
};

// ---- threads ------------------------------------------------------------------------------------

/// What a thread hands on to those that it starts: signal mask, scheduling policy and priority, affinity.
class thread_settings {
 public:
  /// The calling thread's.
  thread_settings() noexcept;
  /// For the calling thread. What the system refuses stays as it is.
  void apply() const noexcept;

 private:
  alignas(8) std::byte signals_[128];  // a sigset_t
  alignas(8) std::byte may_run_on_[1024];
  int policy_ = 0, priority_ = 0, nice_ = 0;
};

class thread {
 public:
  thread() noexcept = default;
  thread(const thread&) = delete;
  thread& operator=(const thread&) = delete;

  /// Starts `body(argument)`. Returns 0, or the error the system gave. A stack_size of 0 is the system's default.
  /// Without settings, which must live as long as the thread, it has the caller's.
  [[nodiscard]] int start(void (*body)(void*) noexcept, void* argument, std::size_t stack_size,
                          const thread_settings* settings = nullptr) noexcept;
  void join() noexcept;
  void detach() noexcept;

 private:
  void (*body_)(void*) noexcept = nullptr;
  void* argument_ = nullptr;
  const thread_settings* settings_ = nullptr;
  std::uintptr_t handle_ = 0;
};
void set_thread_name(const char* name) noexcept;
extern constinit thread_local std::uint64_t own_number;  // 0: not asked for yet
DOZER_COLD std::uint64_t ask_thread_number() noexcept;
/// The number of the calling thread. It is the system's, but the thread that comes out of fork() keeps the number it
/// had in the parent: it still holds what it held.
[[nodiscard]] inline std::uint64_t thread_number() noexcept {
  return own_number != 0 ? own_number : ask_thread_number();
}
/// In a child of fork(), by its only thread: the system has another number for it.
void thread_came_out_of_fork() noexcept;
/// What the system calls the thread of that number.
[[nodiscard]] std::uint64_t system_number_of(std::uint64_t thread) noexcept;
/// The system call that the thread waits in whose number in the system this is, by name or number; empty: it is in
/// none, or that is not known.
[[nodiscard]] std::string system_call_of(std::uint64_t system_number);

/// The first return addresses above a function, the nearest first; null: no more.
using call_chain = std::array<const void*, 4>;
/// From `first` on, which is the return address of a function that is running now.
[[nodiscard]] DOZER_COLD call_chain callers_from(const void* first) noexcept;

struct code_place {
  std::string module;        // the path of the program, or of the shared object
  std::uint64_t offset = 0;  // within it, of the call: what addr2line takes
  std::string symbol;        // if the dynamic symbol table has one
};
[[nodiscard]] code_place place_of(const void* return_address);

/// Whether less than `wanted` is left of the caller's stack, or less than half of it. False if that is not known.
[[nodiscard]] bool stack_has_less_than(std::size_t wanted) noexcept;

/// Runs `handler` in the child of every fork() from now on.
void at_fork_in_child(void (*handler)()) noexcept;

/// Keeps the shared object that holds this code in memory until the process ends: dlclose() must not take it away from
/// threads that run it.
void keep_code_loaded() noexcept;

/// What tests turn to reach what a healthy machine never shows.
struct test_hooks {
  atomic<std::int64_t> threads_until_failure{-1};     // that many starts succeed, then EAGAIN; -1: never
  atomic<std::int64_t> thread_failures{-1};           // that many, then starts succeed again; -1: all fail
  atomic<std::int64_t> jobs_event_counter_start{-1};  // where the next pool's counter starts; -1: where it always does
  atomic<std::uint64_t> deque_start{0};               // the first position in the deques that are made; 0: the usual
  atomic<bool> deny_process_fence{false};             // as if the kernel had no membarrier
  atomic<int> processor{no_processor};                // as if everybody ran there
  atomic<std::uint64_t> fences_by_visiting{0};        // read by tests: process fences for which membarrier was refused
};
extern test_hooks hooks;

// ---- sizes that a checker shrinks ---------------------------------------------------------------

inline constexpr unsigned thread_field_bits = 16;
inline constexpr unsigned jobs_event_bits = 14;
inline constexpr std::size_t deque_start_capacity = 64;
inline constexpr std::uint32_t usual_extra_guests = 64;
inline constexpr std::uint32_t injector_batch = 64;
inline constexpr std::uint32_t pool_doors = 16;
inline constexpr std::uint32_t situation_depth = 32;
inline constexpr std::uint32_t max_isolations = 1023;
inline constexpr int mutex_spins = 100;
inline constexpr std::uint32_t vain_rounds_before_naps = 16;
inline constexpr std::uint64_t loop_many = 100;
inline constexpr std::uint64_t loop_singles = 16;
inline constexpr std::uint64_t loop_growth = 2;
inline constexpr std::uint64_t loop_look = 16;
inline constexpr std::uint64_t loop_tail = 4;
inline constexpr std::uint32_t fixed_search_rounds = 32;
inline constexpr int standstill_looks = 1000;
inline constexpr int reporter_tries = 100;  // to start its thread, 10 ms apart

}  // namespace dozer::inline DOZER_PLATFORM::detail
