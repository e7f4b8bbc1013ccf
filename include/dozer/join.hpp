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

/// How a join calls closures that want to know where they run.
struct call_with_context {
  template <class F>
  static decltype(auto) call(F&& f, bool migrated) {
    return detail::call(std::forward<F>(f), fork_context(migrated));
  }
};

/// join_pair; returns nothing if both return nothing.
template <class How, class A, class B>
DOZER_HOT auto join_here(seat& me, A&& a, B&& b) {
  using both = decltype(join_pair<How>(me, std::forward<A>(a), std::forward<B>(b)));
  if constexpr (std::is_same_v<both, std::pair<std::monostate, std::monostate>>) {
    join_pair<How>(me, std::forward<A>(a), std::forward<B>(b));
  } else {
    return join_pair<How>(me, std::forward<A>(a), std::forward<B>(b));
  }
}

/// For a caller in no pool: in the global one. Not inlined, for it would spoil the code of the others.
template <class How, class A, class B>
DOZER_COLD auto join_from_outside(handed_on<A> a, handed_on<B> b) {
  return global_pool().install(
      [&] { return join_here<How>(*current_seat(), static_cast<A&&>(a), static_cast<B&&>(b)); });
}

template <class How, class A, class B>
DOZER_HOT auto join_two(A&& a, B&& b) {
  seat* const me = current_seat();
  if (me == nullptr) [[unlikely]] {
    return join_from_outside<How, A, B>(static_cast<handed_on<A>&&>(a), static_cast<handed_on<B>&&>(b));
  }
  return join_here<How>(*me, std::forward<A>(a), std::forward<B>(b));
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
  const auto lower = [&] { return part(std::integral_constant<std::size_t, 0>{}, std::make_index_sequence<half>{}); };
  const auto upper = [&] {
    return part(std::integral_constant<std::size_t, half>{}, std::make_index_sequence<count - half>{});
  };
  auto both = join_pair<plain_call>(*current_seat(), lower, upper);
  return std::tuple_cat(std::move(both.first), std::move(both.second));
}

}  // namespace detail

/// Calls a and b, possibly at the same time, and returns both results: nothing if both are void, else a pair
/// (std::monostate for a void side). Both always finish; of two exceptions a's leaves.
template <std::invocable A, std::invocable B>
DOZER_HOT auto join(A&& a, B&& b) {
  return detail::join_two<detail::plain_call>(std::forward<A>(a), std::forward<B>(b));
}

/// The same for closures that take a fork_context.
template <std::invocable<fork_context> A, std::invocable<fork_context> B>
auto join_context(A&& a, B&& b) {
  return detail::join_two<detail::call_with_context>(std::forward<A>(a), std::forward<B>(b));
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
