// The model platform: the same seam as platform_std.hpp, on the checker's machine. All threads are fibers on one thread
// of the system, time is a number that each thread counts up, and chance does not happen.
#pragma once

#include "../engine/machine.hpp"

#include <array>
#include <cerrno>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

namespace dozer::inline DOZER_PLATFORM::detail {

using order = verify::order;
inline constexpr order relaxed = order::relaxed;
inline constexpr order acquire = order::acquire;
inline constexpr order release = order::release;
inline constexpr order acq_rel = order::acq_rel;
inline constexpr order seq_cst = order::seq_cst;

using verify::site;

[[nodiscard]] inline verify::machine& on() noexcept {
  extern verify::machine& model_machine;
  return model_machine;
}

/// One that is made outside a run, such as a static, is no part of the model: it is a plain value.
template <class T>
class atomic {
 public:
  constexpr atomic() noexcept : atomic(T()) {}
  constexpr explicit atomic(T value) noexcept : value_(value) {
    if (!std::is_constant_evaluated() && on().in_program()) {
      location_ = on().new_location(this, to_bits(value));
    }
  }
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;
  ~atomic() {
    if (location_ != 0) {
      on().end_location(location_, this);
    }
  }

  [[nodiscard]] T load(order o, site at = site::current()) const noexcept {
    if (is_plain(at)) {
      return value_;
    }
    const verify::seam_call call;
    return from_bits(on().load(location_, this, o, at));
  }
  void store(T value, order o, site at = site::current()) noexcept {
    if (is_plain(at)) {
      value_ = value;
    } else {
      const verify::seam_call call;
      on().store(location_, this, to_bits(value), o, at);
    }
  }
  T exchange(T value, order o, site at = site::current()) noexcept {
    return change(o, at, [&](T) { return value; });
  }
  [[nodiscard]] bool compare_exchange(T& expected, T desired, order success, order failure,
                                      site at = site::current()) noexcept {
    return compare_exchange(expected, desired, success, failure, false, at);
  }
  [[nodiscard]] bool compare_exchange_weak(T& expected, T desired, order success, order failure,
                                           site at = site::current()) noexcept {
    return compare_exchange(expected, desired, success, failure, true, at);
  }
  T fetch_add(T value, order o, site at = site::current()) noexcept requires std::integral<T> {
    return change(o, at, [&](T old) { return static_cast<T>(old + value); });
  }
  T fetch_sub(T value, order o, site at = site::current()) noexcept requires std::integral<T> {
    return change(o, at, [&](T old) { return static_cast<T>(old - value); });
  }
  T fetch_or(T value, order o, site at = site::current()) noexcept requires std::integral<T> {
    return change(o, at, [&](T old) { return static_cast<T>(old | value); });
  }
  T fetch_and(T value, order o, site at = site::current()) noexcept requires std::integral<T> {
    return change(o, at, [&](T old) { return static_cast<T>(old & value); });
  }

  [[nodiscard]] std::uint32_t location() const noexcept { return location_; }

 private:
  /// It is no part of the model.
  [[nodiscard]] bool is_plain(const site& at) const noexcept {
    if (location_ != 0) {
      return false;
    }
    on().no_location(this);
    on().reach(at);
    return true;
  }
  static std::uint64_t to_bits(T value) noexcept {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
  }
  static T from_bits(std::uint64_t bits) noexcept {
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  template <class F>
  T change(order o, const site& at, F&& next) noexcept {
    if (is_plain(at)) {
      const T old = value_;
      if (!on().in_program()) {
        value_ = next(old);  // in a run it would carry over to the next one
      }
      return old;
    }
    if (verify::is_split(o)) [[unlikely]] {
      const T old = load(verify::of_the_load(verify::without_marks(o)), at);
      store(next(old), verify::of_the_store(verify::without_marks(o)), at);
      return old;
    }
    const verify::seam_call call;
    const T old = from_bits(on().rmw_read(location_, this, o, at));
    on().rmw_write(location_, to_bits(next(old)), o, at);
    return old;
  }
  bool compare_exchange(T& expected, T desired, order success, order failure, bool weak, const site& at) noexcept {
    if (is_plain(at)) {
      if (value_ != expected) {
        expected = value_;
        return false;
      }
      if (!on().exploring()) {
        value_ = desired;  // in a run it would carry over to the next one
      }
      return true;
    }
    if (success > seq_cst) [[unlikely]] {
      return compare_exchange_mutated(expected, desired, success, failure, weak, at);
    }
    const verify::seam_call call;
    std::uint64_t seen = to_bits(expected);
    const bool won = on().compare_exchange(location_, this, seen, to_bits(desired), success, failure, weak, at);
    if (!won) {
      expected = from_bits(seen);
    }
    return won;
  }

  bool compare_exchange_mutated(T& expected, T desired, order success, order failure, bool weak,
                                const site& at) noexcept {
    const order how = verify::without_marks(success);
    if (verify::ignores_failure(success)) {
      T ignored = expected;
      static_cast<void>(compare_exchange(ignored, desired, how, failure, weak, at));
      return true;
    }
    const T seen = load(verify::of_the_load(how), at);
    if (seen != expected) {
      expected = seen;
      return false;
    }
    store(desired, verify::of_the_store(how), at);
    return true;
  }

  volatile std::uint32_t location_ = 0;  // volatile: so that no access to it is taken for the program's
  T value_;
};

template <class T>
class reported {
 public:
  constexpr explicit reported(T value = T()) noexcept : value_(value) {}
  [[nodiscard]] T get() const noexcept { return value_.here; }
  void set(T value) noexcept {
    value_.here = value;
    if constexpr (std::is_enum_v<T>) {
      on().reported(this, static_cast<std::uint64_t>(value));
    }
  }
  void bump() noexcept { set(get() + 1); }
  void bump_shared() noexcept { bump(); }

 private:
  // Not checked for races: it stands for an atomic that nothing rests on.
  struct unchecked {
    constexpr explicit unchecked(T v) noexcept : here(v) {}
    volatile T here;
  } value_;
};

inline void fence_light(site at = site::current()) noexcept { on().reach(at); }
inline void fence_seq_cst(site at = site::current()) noexcept {
  const verify::seam_call call;
  on().fence_seq_cst(at);
}
[[nodiscard]] bool fence_process_available() noexcept;
inline void fence_process(site at = site::current()) noexcept {
  if (!fence_process_available()) {
    on().fail("no process fence", "a process fence, where the system has none");
  }
  const verify::seam_call call;
  on().fence_process(at);
}

enum class channel : std::uint32_t { first = 1, second = 2 };
inline constexpr std::uint64_t no_deadline = std::numeric_limits<std::uint64_t>::max();

inline void park(const atomic<std::uint32_t>& word, std::uint32_t expected, channel where,
                 std::uint64_t deadline = no_deadline, site at = site::current()) noexcept {
  on().park(word.location(), &word, expected, static_cast<std::uint32_t>(where), deadline, at);
}
inline void unpark_one(const atomic<std::uint32_t>* word, channel where, site at = site::current()) noexcept {
  const verify::seam_call call;
  on().unpark(word, static_cast<std::uint32_t>(where), false, at);
}
inline void unpark_all(const atomic<std::uint32_t>* word, channel where, site at = site::current()) noexcept {
  const verify::seam_call call;
  on().unpark(word, static_cast<std::uint32_t>(where), true, at);
}

inline void cpu_relax() noexcept {}
inline void prefetch(const void*) noexcept {}
inline void yield_thread() noexcept {}
inline void nap(site at = site::current()) noexcept {
  const verify::seam_call call;
  on().nap(at);
}
[[nodiscard]] inline std::uint64_t now_ns() noexcept { return on().now(); }
inline constexpr std::uint64_t ticks_per_us = 1;
/// Far from the look before, so that no loop seems short: what is known of loops outlives a run (`short_loops`).
[[nodiscard]] inline std::uint64_t ticks() noexcept { return 10 * on().now(); }
[[nodiscard]] inline std::uint64_t deadline_after(double) noexcept { return 1'000'000; }

class random {
 public:
  explicit random(std::uint64_t) noexcept {}
  [[nodiscard]] std::uint32_t below(std::uint32_t) noexcept { return 0; }
};

inline constexpr int no_processor = -1;
[[nodiscard]] inline int current_processor() noexcept { return no_processor; }
[[nodiscard]] inline bool pin_thread(int) noexcept { return false; }
struct kept_off {
  kept_off(int, std::uint32_t) noexcept {}
};

struct thread_settings {};
/// As the hooks say.
[[nodiscard]] bool system_refuses_thread(const site& started_at) noexcept;

class thread {
 public:
  [[nodiscard]] int start(void (*body)(void*) noexcept, void* argument, std::size_t, const thread_settings* = nullptr,
                          site at = site::current()) noexcept {
    if (system_refuses_thread(at)) {
      return EAGAIN;
    }
    id_ = on().start_thread(body, argument);
    return 0;
  }
  void join(site at = site::current()) noexcept { on().join_thread(id_, at); }
  void detach() noexcept {}

 private:
  verify::thread_id id_ = 0;
};
inline void set_thread_name(const char* name) noexcept { on().name_thread(name); }
[[nodiscard]] inline std::uint64_t thread_number() noexcept { return std::uint64_t{on().self()} + 1; }
inline void thread_came_out_of_fork() noexcept {}
[[nodiscard]] inline std::uint64_t system_number_of(std::uint64_t thread) noexcept { return thread; }
[[nodiscard]] inline std::string system_call_of(std::uint64_t) { return {}; }
using call_chain = std::array<const void*, 4>;
[[nodiscard]] inline call_chain callers_from(const void*) noexcept { return {}; }
struct code_place {
  std::string module;
  std::uint64_t offset = 0;
  std::string symbol;
};
[[nodiscard]] inline code_place place_of(const void*) { return {}; }
/// As the hooks say.
[[nodiscard]] bool stack_has_less_than(std::size_t bytes) noexcept;
void at_fork_in_child(void (*handler)()) noexcept;
/// The calling thread goes on as the only one of a child of fork() would, and the others must not run any more. Before
/// go().
void come_out_of_fork();
inline void keep_code_loaded() noexcept {}

struct test_hooks {
  // Constant in a run: what changed in one would carry over to the next.
  atomic<const char*> refused_threads{nullptr};  // the system gives none that is started in this source file
  atomic<std::uint32_t> most_threads{0};         // nor more than so many, the first one included; 0: no limit
  atomic<std::int64_t> jobs_event_counter_start{-1};
  atomic<std::uint64_t> deque_start{0};
  atomic<bool> deny_process_fence{false};
  atomic<std::size_t> stack_left{~std::size_t{0}};  // for every thread
  atomic<void (*)()> aborted{nullptr};  // an abort is no failure but calls this, and its thread stays there for ever
};
extern test_hooks hooks;

inline constexpr unsigned thread_field_bits = 2;
inline constexpr unsigned jobs_event_bits = 3;
inline constexpr std::size_t deque_start_capacity = 2;
inline constexpr std::uint32_t usual_extra_guests = 2;
inline constexpr std::uint32_t injector_batch = 2;
inline constexpr std::uint32_t pool_doors = 1;
inline constexpr std::uint32_t situation_depth = 1;
inline constexpr std::uint32_t max_isolations = 2;
inline constexpr int mutex_spins = 1;
inline constexpr std::uint32_t vain_rounds_before_naps = 1;
inline constexpr std::uint64_t loop_many = 7;
inline constexpr std::uint64_t loop_singles = 3;
inline constexpr std::uint64_t loop_growth = 3;
inline constexpr std::uint64_t loop_look = 1;
inline constexpr std::uint64_t loop_tail = 1;
inline constexpr std::uint32_t fixed_search_rounds = 2;
inline constexpr int standstill_looks = 2;
inline constexpr int reporter_tries = 1;

}  // namespace dozer::inline DOZER_PLATFORM::detail
