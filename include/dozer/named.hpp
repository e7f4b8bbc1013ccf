// Names for jobs, for reports and traces.
#pragma once

#include <dozer/detail/platform.hpp>

#include <functional>
#include <type_traits>
#include <utility>

namespace dozer::inline DOZER_PLATFORM {

template <class F>
struct named_closure {
  const char* name;
  F call;

  template <class... Args>
  auto operator()(Args&&... args) & -> std::invoke_result_t<F&, Args...> {
    return std::invoke(call, std::forward<Args>(args)...);
  }
  template <class... Args>
  auto operator()(Args&&... args) const& -> std::invoke_result_t<const F&, Args...> {
    return std::invoke(call, std::forward<Args>(args)...);
  }
  template <class... Args>
  auto operator()(Args&&... args) && -> std::invoke_result_t<F, Args...> {
    return std::invoke(std::move(call), std::forward<Args>(args)...);
  }
};

/// A closure with a name: spawn(named("parse", f)). It shows where the closure goes through a queue as a job; what its
/// caller runs itself, such as a join's first closure, shows under the name of the caller's job. The name is not
/// copied; a string literal is what it is meant for.
template <class F>
[[nodiscard]] named_closure<std::decay_t<F>> named(const char* name, F&& f) {
  return {name, std::forward<F>(f)};
}

namespace detail {

template <class F>
const char* name_of(const F&) noexcept {
  return nullptr;
}
template <class F>
const char* name_of(const named_closure<F>& f) noexcept {
  return f.name;
}

}  // namespace detail
}  // namespace dozer::inline DOZER_PLATFORM
