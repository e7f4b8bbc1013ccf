// What became of a call: nothing yet, a result, or an exception.
#pragma once

#include <dozer/detail/platform.hpp>

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <variant>

namespace dozer::inline DOZER_PLATFORM::detail {

/// R, with std::monostate in the place of void.
template <class R>
using unit_for_void = std::conditional_t<std::is_void_v<R>, std::monostate, R>;

/// Calls f; a void result becomes std::monostate. Without arguments f is no pointer to a member, and std::invoke would
/// be five more functions to compile for each closure.
template <class F>
DOZER_HOT unit_for_void<std::invoke_result_t<F>> call(F&& f) {
  if constexpr (std::is_void_v<std::invoke_result_t<F>>) {
    std::forward<F>(f)();
    return {};
  } else {
    return std::forward<F>(f)();
  }
}
template <class F, class... Args>
DOZER_HOT unit_for_void<std::invoke_result_t<F, Args...>> call(F&& f, Args&&... args) {
  if constexpr (std::is_void_v<std::invoke_result_t<F, Args...>>) {
    std::invoke(std::forward<F>(f), std::forward<Args>(args)...);
    return {};
  } else {
    return std::invoke(std::forward<F>(f), std::forward<Args>(args)...);
  }
}

template <class R>
class outcome {
  using value_type = unit_for_void<R>;  // may be a reference
  using stored = std::conditional_t<std::is_reference_v<R>, std::remove_reference_t<R>*, std::remove_cv_t<value_type>>;

 public:
  outcome() noexcept {}
  outcome(const outcome&) = delete;
  outcome& operator=(const outcome&) = delete;
  ~outcome() {
    if (state_ == state::value) {
      std::destroy_at(&value_);
    } else if (state_ == state::error) {
      std::destroy_at(&error_);
    }
  }

  template <class F, class... Args>
  void run(F&& f, Args&&... args) noexcept {
    try {
      if constexpr (std::is_reference_v<R>) {
        R&& result = std::invoke(std::forward<F>(f), std::forward<Args>(args)...);
        new (&value_) stored(std::addressof(result));
      } else {
        new (&value_) stored(call(std::forward<F>(f), std::forward<Args>(args)...));
      }
      state_ = state::value;
    } catch (...) {
      fail(std::current_exception());
    }
  }
  void fail(std::exception_ptr error) noexcept {
    new (&error_) std::exception_ptr(std::move(error));
    state_ = state::error;
  }

  [[nodiscard]] bool failed() const noexcept { return state_ == state::error; }
  /// The exception of a call that failed, once. No reference to it stays here: the thread that takes it may be the only
  /// one that drops it (src/pool/README.md, "Exceptions").
  [[nodiscard]] std::exception_ptr take_error() noexcept { return std::move(error_); }

  /// The result, once; or throws the exception, once.
  value_type take() {
    if (state_ == state::error) {
      std::rethrow_exception(take_error());
    }
    if constexpr (std::is_reference_v<R>) {
      return static_cast<R>(*value_);
    } else {
      return std::move(value_);
    }
  }

 private:
  enum class state : std::uint8_t { nothing, value, error };
  union {
    stored value_;
    std::exception_ptr error_;
  };
  state state_ = state::nothing;
};

/// The result of an outcome as a function of type R() would return it.
template <class R>
R take_result(outcome<R>& from) {
  if constexpr (std::is_void_v<R>) {
    from.take();
  } else {
    return from.take();
  }
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
