// What is said of a standstill when there is no memory to say more. It is made with the first pool, and kept for ever.
#pragma once

#include <dozer/deadlock.hpp>

#include <new>

namespace dozer::inline DOZER_PLATFORM::detail {

class words_without_memory {
 public:
  words_without_memory();

  [[nodiscard]] const deadlock_report& of(deadlock_report::trouble what) const noexcept;
  /// For a wait that the handler wants to end. Its copies need no memory.
  [[nodiscard]] const deadlock_error& thrown_out() const noexcept { return thrown_out_; }

 private:
  deadlock_report deadlock_, starved_, stalled_;
  deadlock_error thrown_out_;
};

/// Throws std::bad_alloc if there is no memory, but not once it has returned.
[[nodiscard]] const words_without_memory& without_memory();

/// Throws a deadlock_error with that text; without memory for it, one that says less.
template <class Text>
[[noreturn]] void throw_deadlock_error(Text&& text) {
  try {
    throw deadlock_error(text());
  } catch (const std::bad_alloc&) {
    throw without_memory().thrown_out();
  }
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
