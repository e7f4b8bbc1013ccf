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

/// One of several forks. The number tells closures of one type apart.
template <std::size_t number, class B>
struct numbered_fork : join_job<plain_call, B> {
  DOZER_HOT explicit numbered_fork(B& b) noexcept : join_job<plain_call, B>(b) {}
};

/// The closures of a join after the first one, on the caller's stack and in its deque, the second one on top. Not in a
/// std::tuple, which is much to compile for each join.
template <class Numbers, class... Bs>
class forks;
template <std::size_t... I, class... Bs>
class forks<std::index_sequence<I...>, Bs...> : numbered_fork<I, Bs>... {
  static constexpr std::size_t count = sizeof...(Bs);

 public:
  /// For a caller in a seat.
  DOZER_HOT explicit forks(Bs&... bs) : numbered_fork<I, Bs>(bs)... {
    seat& me = own_seat();
    me.own().reserve(count);
    first_position_ = me.own().position();
    (me.own().push_isolated_at(first_position_ + I, fork<count - 1 - I>(*this)), ...);
    if (somebody_is_hungry(me)) [[unlikely]] {
      me.sleep->jobs_forked(me, count);
    }
  }

  /// The first closure's result.
  template <class A>
  DOZER_HOT decltype(auto) call_first(A&& a) {
    try {
      return call(std::forward<A>(a));
    } catch (...) {
      abandon(0);
      throw;
    }
  }
  /// The result of the closure of that index. If it throws, the next ones finish all the same.
  template <std::size_t i>
  DOZER_HOT decltype(auto) result() {
    auto& forked = fork<i>(*this);
    try {
      return take_back(position(i)) ? forked.call() : forked.finish(forked, position(i));
    } catch (...) {
      abandon(i + 1);
      throw;
    }
  }

 private:
  template <std::size_t number, class B>
  DOZER_HOT static numbered_fork<number, B>& fork(numbered_fork<number, B>& each) noexcept {
    return each;
  }
  /// Those from that index on still must finish, but nobody will ask what came of them.
  DOZER_COLD void abandon(std::size_t from) noexcept {
    (static_cast<void>(I < from || (fork<I>(*this).abandon(fork<I>(*this), position(I)), true)), ...);
  }
  [[nodiscard]] DOZER_HOT std::uint64_t position(std::size_t i) const noexcept {
    return first_position_ + (count - 1 - i);
  }

  std::uint64_t first_position_;
};

/// The results in a tuple, for a caller in a seat.
template <std::size_t... I, class A, class... Bs>
DOZER_HOT auto join_many(std::index_sequence<I...> /*of Bs*/, A&& a, Bs&&... bs) {
  forks<std::index_sequence<I...>, Bs...> forked(bs...);
  // In braces, so from left to right.
  return std::tuple<unit_for_void<std::invoke_result_t<A>>, unit_for_void<std::invoke_result_t<Bs>>...>{
      forked.call_first(std::forward<A>(a)), forked.template result<I>()...};
}
template <class Numbers, class... Fs>
DOZER_COLD auto join_many_from_outside(Numbers numbers, Fs&&... fs) {
  const auto join_inside = [&] { return join_many(numbers, std::forward<Fs>(fs)...); };
  return from_outside(join_inside);
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
  constexpr std::make_index_sequence<2 + sizeof...(Fs)> numbers;
  auto results = detail::current_seat() != nullptr
                     ? detail::join_many(numbers, std::forward<A>(a), std::forward<B>(b), std::forward<C>(c),
                                         std::forward<Fs>(fs)...)
                     : detail::join_many_from_outside(numbers, std::forward<A>(a), std::forward<B>(b),
                                                      std::forward<C>(c), std::forward<Fs>(fs)...);
  if constexpr (!(std::is_void_v<std::invoke_result_t<A>> && std::is_void_v<std::invoke_result_t<B>> &&
                  std::is_void_v<std::invoke_result_t<C>> && (std::is_void_v<std::invoke_result_t<Fs>> && ...))) {
    return results;
  }
}

}  // namespace dozer::inline DOZER_PLATFORM
