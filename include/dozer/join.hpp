// join: two or more closures, possibly in parallel.
#pragma once

#include <dozer/detail/join_job.hpp>
#include <dozer/thread_pool.hpp>

#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace dozer::inline DOZER_PLATFORM {

/// What join_context tells its closures.
class fork_context {
 public:
  explicit fork_context(bool migrated) noexcept : migrated_(migrated) {}
  /// True if another thread runs this closure than the one that called join_context.
  [[nodiscard]] bool migrated() const noexcept { return migrated_; }

 private:
  bool migrated_;
};

namespace detail {

/// join_pair in the pool of the caller, else in the global pool; returns nothing if both return nothing.
template <class A, class B>
auto join_two(A& a, B& b, const char* b_name) {
  const auto fork = [&](seat& me) {
    if constexpr (std::is_void_v<std::invoke_result_t<A&>> && std::is_void_v<std::invoke_result_t<B&, bool>>) {
      join_pair(me, a, b, b_name);
    } else {
      return join_pair(me, a, b, b_name);
    }
  };
  seat* const me = current_seat();
  if (me != nullptr) [[likely]] {
    return fork(*me);
  }
  return global_pool().install([&] { return fork(*current_seat()); });
}

/// Two halves at a time, so that n closures can spread in log n steps. Returns a tuple in their order.
template <class F>
auto join_all(F&& f) {
  return std::tuple<unit_for_void<std::invoke_result_t<F>>>(call(std::forward<F>(f)));
}
template <class A, class B, class... Fs>
auto join_all(A&& a, B&& b, Fs&&... fs) {
  auto all = std::forward_as_tuple(std::forward<A>(a), std::forward<B>(b), std::forward<Fs>(fs)...);
  constexpr std::size_t count = 2 + sizeof...(Fs);
  constexpr std::size_t half = count / 2;
  const auto part = [&]<std::size_t... I>(auto first, std::index_sequence<I...>) {
    return join_all(std::get<first + I>(std::move(all))...);
  };
  auto lower = [&] { return part(std::integral_constant<std::size_t, 0>{}, std::make_index_sequence<half>{}); };
  auto upper = [&](bool) {
    return part(std::integral_constant<std::size_t, half>{}, std::make_index_sequence<count - half>{});
  };
  auto both = join_pair(*current_seat(), lower, upper, nullptr);
  return std::tuple_cat(std::move(both.first), std::move(both.second));
}

}  // namespace detail

/// Calls a and b, possibly at the same time, and returns both results: nothing if both are void, else a pair
/// (std::monostate for a void side). Both always finish; of two exceptions a's leaves.
template <std::invocable A, std::invocable B>
auto join(A&& a, B&& b) {
  auto run_a = [&]() -> std::invoke_result_t<A> { return std::forward<A>(a)(); };
  auto run_b = [&](bool) -> std::invoke_result_t<B> { return std::forward<B>(b)(); };
  return detail::join_two(run_a, run_b, detail::name_of(b));
}

/// The same for closures that take a fork_context.
template <std::invocable<fork_context> A, std::invocable<fork_context> B>
auto join_context(A&& a, B&& b) {
  auto run_a = [&]() -> std::invoke_result_t<A, fork_context> { return std::forward<A>(a)(fork_context(false)); };
  auto run_b = [&](bool migrated) -> std::invoke_result_t<B, fork_context> {
    return std::forward<B>(b)(fork_context(migrated));
  };
  return detail::join_two(run_a, run_b, detail::name_of(b));
}

/// Any number of closures; results in a tuple (std::monostate for void ones), nothing if all are void. All finish; of
/// several exceptions that of the first closure in order leaves.
template <std::invocable A, std::invocable B, std::invocable C, std::invocable... Fs>
auto join(A&& a, B&& b, C&& c, Fs&&... fs) {
  return detail::in_a_pool([&] {
    auto results =
        detail::join_all(std::forward<A>(a), std::forward<B>(b), std::forward<C>(c), std::forward<Fs>(fs)...);
    if constexpr (!(std::is_void_v<std::invoke_result_t<A>> && std::is_void_v<std::invoke_result_t<B>> &&
                    std::is_void_v<std::invoke_result_t<C>> && (std::is_void_v<std::invoke_result_t<Fs>> && ...))) {
      return results;
    }
  });
}

}  // namespace dozer::inline DOZER_PLATFORM
