// Switches for small bugs: in the copy of the sources that generated/ makes, each of them stands behind one of these.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace verify {

enum class order : std::uint8_t { relaxed, acquire, release, acq_rel, seq_cst };

/// The one that is on; 0: none.
inline int active_mutant = 0;
/// If not null: which switches were asked for.
inline std::vector<bool>* mutants_met = nullptr;

[[nodiscard]] inline bool mutant(int number) noexcept {
  if (mutants_met != nullptr) [[unlikely]] {
    (*mutants_met)[static_cast<std::size_t>(number)] = true;
  }
  return number == active_mutant;
}

[[nodiscard]] inline order mutated(int number, order to, order from) noexcept { return mutant(number) ? to : from; }
[[nodiscard]] inline bool always(int number, bool condition) noexcept { return mutant(number) || condition; }
[[nodiscard]] inline bool never(int number, bool condition) noexcept { return !mutant(number) && condition; }

/// The value of an expression that comes later, if the mutant is on.
template <class F>
[[nodiscard]] auto early(int number, F&& value) -> std::optional<decltype(value())> {
  if (mutant(number)) {
    return value();
  }
  return std::nullopt;
}

/// A lock that is not taken by its guard if one of its mutants is on.
template <class Lock>
class switched_lock {
 public:
  explicit switched_lock(Lock& of) noexcept : lock_(of) {}
  void open_for(int number) noexcept { open_ |= mutant(number); }
  /// From here on it is held all the same.
  void close_for(int number) noexcept {
    if (mutant(number)) {
      open_ = false;
      lock();
    }
  }
  void lock() noexcept {
    if (!open_) {
      lock_.lock();
      held_ = true;
    }
  }
  void unlock() noexcept {
    if (held_) {
      lock_.unlock();
    }
  }

 private:
  Lock& lock_;
  bool open_ = false, held_ = false;
};
template <class Lock, class Other>
[[nodiscard]] Other& second(Lock&, Other& other) noexcept {
  return other;
}

// An order may carry what becomes of its operation.
inline constexpr std::uint8_t split_mark = 8, failure_mark = 16;
[[nodiscard]] constexpr order marked(order o, std::uint8_t mark) noexcept {
  return static_cast<order>(static_cast<std::uint8_t>(o) | mark);
}
/// An RMW as a load and a store.
[[nodiscard]] constexpr order in_two(order o) noexcept { return marked(o, split_mark); }
/// A compare-exchange that counts as won when it has lost.
[[nodiscard]] constexpr order ignoring_failure(order o) noexcept { return marked(o, failure_mark); }
[[nodiscard]] constexpr bool is_split(order o) noexcept { return (static_cast<std::uint8_t>(o) & split_mark) != 0; }
[[nodiscard]] constexpr bool ignores_failure(order o) noexcept {
  return (static_cast<std::uint8_t>(o) & failure_mark) != 0;
}
[[nodiscard]] constexpr order without_marks(order o) noexcept {
  return static_cast<order>(static_cast<std::uint8_t>(o) & (split_mark - 1));
}
[[nodiscard]] constexpr order of_the_load(order o) noexcept {
  return o == order::acq_rel ? order::acquire : o == order::release ? order::relaxed : o;
}
[[nodiscard]] constexpr order of_the_store(order o) noexcept {
  return o == order::acq_rel ? order::release : o == order::acquire ? order::relaxed : o;
}

}  // namespace verify
