// join: two or more closures, possibly in parallel.
#pragma once

#include <dozer/detail/join_job.hpp>
#include <dozer/thread_pool.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

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

/// Returns nothing if both return nothing.
template <class How, class A, class B>
DOZER_HOT auto join_both(A&& a, B&& b) {
  if constexpr (std::is_same_v<both_results<How, A, B>, std::pair<std::monostate, std::monostate>>) {
    join_two<How, A, B>(static_cast<handed_on<A>&&>(a), static_cast<handed_on<B>&&>(b));
  } else {
    return join_two<How, A, B>(static_cast<handed_on<A>&&>(a), static_cast<handed_on<B>&&>(b));
  }
}

/// The closures of a join after the first one, on the caller's stack and in its deque, the second one on top.
template <class... Bs>
class forks {
 public:
  /// For a caller in a seat.
  DOZER_HOT explicit forks(Bs&... bs) : jobs_(bs...) {
    seat& me = own_seat();
    me.own().reserve(sizeof...(Bs));
    first_position_ = me.own().position();
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (me.own().push_isolated_at(first_position_ + I, std::get<sizeof...(Bs) - 1 - I>(jobs_)), ...);
    }
    (std::index_sequence_for<Bs...>{});
    if (somebody_is_hungry(me)) [[unlikely]] {
      me.sleep->jobs_forked(me, sizeof...(Bs));
    }
  }

  /// The result of the closure of that index.
  template <std::size_t I>
  DOZER_HOT decltype(auto) result() {
    auto& forked = std::get<I>(jobs_);
    return take_back(position(I)) ? forked.call() : forked.finish(forked, position(I));
  }
  /// Those from that index on still must finish, but nobody will ask what came of them.
  template <std::size_t From>
  DOZER_COLD void abandon() noexcept {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (std::get<From + I>(jobs_).abandon(std::get<From + I>(jobs_), position(From + I)), ...);
    }
    (std::make_index_sequence<sizeof...(Bs) - From>{});
  }

 private:
  [[nodiscard]] DOZER_HOT std::uint64_t position(std::size_t i) const noexcept {
    return first_position_ + (sizeof...(Bs) - 1 - i);
  }

  std::tuple<join_job<plain_call, Bs>...> jobs_;
  std::uint64_t first_position_;
};

/// Calls f; if it throws, the forks from that index on finish all the same.
template <std::size_t From, class Forks, class F>
DOZER_HOT decltype(auto) call_before(Forks& rest, F&& f) {
  try {
    return call(std::forward<F>(f));
  } catch (...) {
    rest.template abandon<From>();
    throw;
  }
}

/// The results in a tuple, for a caller in a seat.
template <class A, class... Bs>
DOZER_HOT auto join_many(A&& a, Bs&&... bs) {
  forks<Bs...> forked(bs...);
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    // In braces, so from left to right.
    return std::tuple<unit_for_void<std::invoke_result_t<A>>, unit_for_void<std::invoke_result_t<Bs>>...>{
        call_before<0>(forked, std::forward<A>(a)),
        call_before<I + 1>(forked, [&]() -> decltype(auto) { return forked.template result<I>(); })...};
  }
  (std::index_sequence_for<Bs...>{});
}
template <class... Fs>
DOZER_COLD auto join_many_from_outside(Fs&&... fs) {
  return global_pool().install([&] { return join_many(std::forward<Fs>(fs)...); });
}

}  // namespace detail

/// Calls a and b, possibly at the same time, and returns both results: nothing if both are void, else a pair
/// (std::monostate for a void side). Both always finish; of two exceptions a's leaves.
template <std::invocable A, std::invocable B>
DOZER_HOT auto join(A&& a, B&& b) {
  return detail::join_both<detail::plain_call>(std::forward<A>(a), std::forward<B>(b));
}

/// The same for closures that take a fork_context.
template <std::invocable<fork_context> A, std::invocable<fork_context> B>
auto join_context(A&& a, B&& b) {
  return detail::join_both<detail::call_with_context>(std::forward<A>(a), std::forward<B>(b));
}

/// Any number of closures; results in a tuple (std::monostate for void ones), nothing if all are void. All finish; of
/// several exceptions that of the first closure in order leaves.
template <std::invocable A, std::invocable B, std::invocable C, std::invocable... Fs>
DOZER_HOT auto join(A&& a, B&& b, C&& c, Fs&&... fs) {
  auto results =
      detail::current_seat() != nullptr
          ? detail::join_many(std::forward<A>(a), std::forward<B>(b), std::forward<C>(c), std::forward<Fs>(fs)...)
          : detail::join_many_from_outside(std::forward<A>(a), std::forward<B>(b), std::forward<C>(c),
                                           std::forward<Fs>(fs)...);
  if constexpr (!(std::is_void_v<std::invoke_result_t<A>> && std::is_void_v<std::invoke_result_t<B>> &&
                  std::is_void_v<std::invoke_result_t<C>> && (std::is_void_v<std::invoke_result_t<Fs>> && ...))) {
    return results;
  }
}

}  // namespace dozer::inline DOZER_PLATFORM
