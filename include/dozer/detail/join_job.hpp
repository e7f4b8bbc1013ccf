// The job that join puts on the caller's stack, and the join itself. This decides what a fork costs: while nobody
// steals, each line of join_two runs at every fork, and everything else is kept out of its way (src/pool/README.md).
#pragma once

#include <dozer/detail/latch.hpp>
#include <dozer/detail/outcome.hpp>
#include <dozer/detail/pool_core.hpp>
#include <dozer/detail/wait.hpp>
#include <dozer/named.hpp>
#include <dozer/thread_pool.hpp>

#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

namespace dozer::inline DOZER_PLATFORM::detail {

/// How a join calls its closures: as they are.
struct plain_call {
  template <class F>
  DOZER_HOT static decltype(auto) call(F&& f, bool /*migrated*/) {
    return detail::call(std::forward<F>(f));
  }
};

/// A closure of type F, or a reference to one, as it is handed on where its address must not be taken: small ones by
/// value, so that the compiler may keep them in registers.
template <class F>
[[nodiscard]] consteval bool is_handed_on_by_value() {
  if constexpr (std::is_reference_v<F>) {
    return false;  // of a function, too, which has no size
  } else {
    return std::is_nothrow_move_constructible_v<F> && sizeof(F) <= 4 * sizeof(void*);
  }
}
template <class F>
using handed_on = std::conditional_t<is_handed_on_by_value<F>(), F, F&>;

/// How::call from cold code, which a compiler would not care to make fast: the closure's own code is not cold.
template <class How, class F>
[[gnu::noinline]] decltype(auto) call_apart(std::remove_reference_t<F>& f, bool migrated) {
  return How::call(static_cast<F&&>(f), migrated);
}

/// For a join that comes back for the job it has forked to `position`. True: it is there, and nobody can have it.
[[nodiscard]] DOZER_HOT bool take_back(std::uint64_t position) noexcept {
  return deque_owner(*current_jobs).take_private(position);  // in a child of fork() it is nobody's: never
}
/// If not. True: it is the caller's to run after all. False: others run it, or have; `done` may say so sooner.
DOZER_COLD bool get_back(core_latch& done, std::uint64_t position) noexcept;
/// The same, and waits until it has run.
DOZER_COLD bool take_back_or_wait(const job& forked, core_latch& done, std::uint64_t position) noexcept;

/// Calls f(of) in the global pool, for a thread of no pool. Throws what f throws.
DOZER_COLD void call_in_global_pool(void (*f)(void* of), void* of);
/// The same for f() and its result. It does little, since it is compiled again for each join.
template <class F>
DOZER_COLD std::invoke_result_t<F&> from_outside(F& f) {
  struct frame {
    F& f;
    std::optional<std::invoke_result_t<F&>> result;
  } of{f, std::nullopt};
  call_in_global_pool([](void* call) { static_cast<frame*>(call)->result.emplace(static_cast<frame*>(call)->f()); },
                      &of);
  return std::move(*of.result);
}

/// B is a type of closure, or a reference to one. Without a destructor: where nobody steals there is nothing to clean
/// up. What is seldom called is called for the latch, whose address is another than the job's: the compiler would keep
/// that in a register for it.
template <class How, class B>
class join_job : public job, public core_latch {
  using result_type = decltype(How::call(std::declval<B>(), false));
  using result = outcome<result_type>;

 public:
  DOZER_HOT explicit join_job(B& b) noexcept : job(kind_of<join_job>), b_(static_cast<handed_on<B>&&>(b)) {}

  /// The closure, here and now; after take_back.
  DOZER_HOT decltype(auto) call() { return How::call(static_cast<B&&>(b_), false); }

  /// Takes it back and runs it, or waits until it has run. Returns its result.
  DOZER_COLD static result_type finish(core_latch& of, std::uint64_t position) {
    auto& forked = static_cast<join_job&>(of);
    if (take_back(position) || take_back_or_wait(forked, of, position)) {
      return call_apart<How, B>(forked.b_, false);
    }
    struct destroyer {
      result& had;
      ~destroyer() { std::destroy_at(&had); }
    } const at_end{*std::launder(reinterpret_cast<result*>(forked.room_))};
    return take_result(at_end.had);
  }
  /// The first closure has thrown: this one still must finish, but nobody will ask what came of it.
  DOZER_COLD static void abandon(core_latch& of, std::uint64_t position) noexcept {
    result ignored;
    ignored.run([&]() -> result_type { return finish(of, position); });
  }

  static void run(job& self, seat& here) noexcept {
    auto& me = static_cast<join_job&>(self);
    seat& owner = *here.took_from;
    (new (me.room_) result)->run([&]() -> result_type { return How::call(static_cast<B&&>(me.b_), &here != &owner); });
    if (me.set()) {
      wake_latch_owner(owner, &here);
    }
  }
  static const char* name(const job& self) noexcept { return name_of(static_cast<const join_job&>(self).b_); }

 private:
  handed_on<B> b_;
  alignas(result) std::byte room_[sizeof(result)];
};

/// Calls the first closure. If it throws, the forked one finishes all the same.
template <class How, class A, class Forked>
DOZER_HOT decltype(auto) call_first(A&& a, Forked& forked, std::uint64_t position) {
  try {
    return How::call(std::forward<A>(a), false);
  } catch (...) {
    Forked::abandon(forked, position);
    throw;
  }
}

template <class How, class A, class B>
using both_results =
    std::pair<decltype(How::call(std::declval<A>(), false)), decltype(How::call(std::declval<B>(), false))>;

/// The rest of a join whose fork has seen that somebody is hungry, or was one in an isolation, where that is always so.
template <class How, class A, class B>
DOZER_COLD both_results<How, A, B> join_after_fork(handed_on<A> a, core_latch& of, std::uint64_t position) {
  auto& forked = static_cast<join_job<How, B>&>(of);
  seat& me = own_seat();
  me.sleep->jobs_forked(me);
  const auto apart = [&]() -> decltype(auto) { return call_apart<How, A>(a, false); };
  decltype(auto) of_a = call_first<plain_call>(apart, forked, position);
  return {std::forward<decltype(of_a)>(of_a), forked.finish(forked, position)};
}

/// The rest of a join whose job is not there, or not private, after the first closure.
template <class How, class A, class B>
DOZER_COLD both_results<How, A, B> finish_join(handed_on<typename both_results<How, A, B>::first_type> of_a,
                                               core_latch& of, std::uint64_t position) {
  return {static_cast<typename both_results<How, A, B>::first_type&&>(of_a), join_job<How, B>::finish(of, position)};
}

template <class How, class A, class B>
both_results<How, A, B> join_two(handed_on<A> a, handed_on<B> b);

template <class How, class A, class B>
both_results<How, A, B> join_isolated(seat& me, handed_on<A> a, handed_on<B> b) {
  join_job<How, B> forked(b);
  const std::uint64_t position = me.own().push(forked);
  return join_after_fork<How, A, B>(static_cast<handed_on<A>&&>(a), forked, position);
}

/// A join without room in the deque, or in an isolation, or in no seat: then in the global pool.
template <class How, class A, class B>
DOZER_COLD both_results<How, A, B> join_without_room(handed_on<A> a, handed_on<B> b) {
  const auto again = [&] {
    return join_two<How, A, B>(static_cast<handed_on<A>&&>(a), static_cast<handed_on<B>&&>(b));
  };
  if (seat* const me = current_seat()) {
    if (me->own().isolated_in().any()) {
      return join_isolated<How, A, B>(*me, static_cast<handed_on<A>&&>(a), static_cast<handed_on<B>&&>(b));
    }
    me->own().reserve();
    return again();
  }
  return from_outside(again);
}

/// a and b, the results in a pair. Both have finished when an exception leaves, and a's goes first. Not inlined: so a
/// small function that forks itself is inlined here, and saves the calls that end at once. What is seldom does the rest
/// of the join and does not come back, so that nothing has to be kept in registers for it.
template <class How, class A, class B>
[[gnu::noinline]] both_results<How, A, B> join_two(handed_on<A> a, handed_on<B> b) {
  deque& jobs = *current_jobs;
  deque_owner mine(jobs);
  const std::uint64_t position = mine.position();
  if (!mine.has_room_at(position)) [[unlikely]] {
    return join_without_room<How, A, B>(static_cast<handed_on<A>&&>(a), static_cast<handed_on<B>&&>(b));
  }
  join_job<How, B> forked(b);
  mine.push_at(position, forked);
  if (somebody_is_hungry(static_cast<seat&>(jobs))) [[unlikely]] {  // not nobody's, which has no room
    return join_after_fork<How, A, B>(static_cast<handed_on<A>&&>(a), forked, position);
  }
  decltype(auto) of_a = call_first<How>(static_cast<A&&>(a), forked, position);
  if (take_back(position)) [[likely]] {
    if constexpr (std::is_integral_v<decltype(of_a)>) {
      const auto kept = in_a_new_register(of_a);  // that of the position, which is of no more use
      return {kept, forked.call()};
    }
    return {std::forward<decltype(of_a)>(of_a), forked.call()};
  }
  using first = typename both_results<How, A, B>::first_type;
  return finish_join<How, A, B>(static_cast<handed_on<first>&&>(of_a), forked, position);
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
