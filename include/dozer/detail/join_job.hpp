// The job that join puts on the caller's stack, and the join itself. This decides what a fork costs: while nobody
// steals, each line below that is not DOZER_COLD runs at every fork (src/pool/README.md).
#pragma once

#include <dozer/detail/latch.hpp>
#include <dozer/detail/outcome.hpp>
#include <dozer/detail/pool_core.hpp>
#include <dozer/detail/wait.hpp>
#include <dozer/named.hpp>

#include <cstddef>
#include <memory>
#include <new>
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

/// For the owner of a forked job that is not simply on top of its deque and private. True: it is the caller's to run.
/// False: it has run.
DOZER_COLD bool take_back_or_wait(job& forked, core_latch& done, std::uint64_t position) noexcept;

/// B is a type of closure, or a reference to one. Without a destructor: where nobody steals there is nothing to clean
/// up. What is seldom called gets another address than the job's, which the compiler would keep in a register for it.
template <class How, class B>
class join_job : public job, private core_latch {
  using result_type = decltype(How::call(std::declval<B>(), false));
  using result = outcome<result_type>;

 public:
  DOZER_HOT explicit join_job(B& b) noexcept : job(kind_of<join_job>), b_(static_cast<handed_on<B>&&>(b)) {}

  /// After the fork to `position`. True: nobody has stolen the job, it is the caller's to run. False: it has run.
  [[nodiscard]] DOZER_HOT bool take_back(std::uint64_t position) noexcept {
    seat* const me = current_seat();  // none in a child of fork(), which take_back_or_wait sees to
    // It has run, and another may stand in its place, if the first closure has waited for something.
    if (me != nullptr && me->own().take_private(position, bits())) [[likely]] {
      return true;
    }
    return take_back_slowly(*this, position);
  }
  /// Here and now; after take_back.
  DOZER_HOT decltype(auto) call() { return How::call(static_cast<B&&>(b_), false); }

  /// What came of it where it has run.
  result_type take() { return take_from(room_); }
  /// The first closure has thrown: this one still must finish, but nobody will ask what came of it.
  void abandon(std::uint64_t position) noexcept { abandon(*this, position); }

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
  DOZER_COLD static bool take_back_slowly(core_latch& done, std::uint64_t position) noexcept {
    return take_back_or_wait(static_cast<join_job&>(done), done, position);
  }
  DOZER_COLD static result_type take_from(std::byte* room) {
    struct destroyer {
      result& had;
      ~destroyer() { std::destroy_at(&had); }
    } const at_end{*std::launder(reinterpret_cast<result*>(room))};
    return take_result(at_end.had);
  }
  DOZER_COLD static void abandon(core_latch& done, std::uint64_t position) noexcept {
    auto& me = static_cast<join_job&>(done);
    if (me.take_back(position)) {
      result ignored;
      ignored.run([&]() -> result_type { return me.call(); });
    } else {
      std::destroy_at(std::launder(reinterpret_cast<result*>(me.room_)));
    }
  }

  handed_on<B> b_;
  alignas(result) std::byte room_[sizeof(result)];
};

/// Calls the first closure. If it throws, the forked one finishes all the same.
template <class How, class A, class Forked>
DOZER_HOT decltype(auto) call_first(A&& a, Forked& forked, std::uint64_t position) {
  try {
    return How::call(std::forward<A>(a), false);
  } catch (...) {
    forked.abandon(position);
    throw;
  }
}

/// a and b, the results in a pair. Both have finished when an exception leaves, and a's goes first.
template <class How, class A, class B>
DOZER_HOT auto join_pair(seat& me, A&& a, B&& b) {
  join_job<How, B> forked(b);
  const std::uint64_t position = opaque(fork_job(me, forked));
  using RA = decltype(call_first<How>(std::forward<A>(a), forked, position));
  using RB = decltype(forked.call());
  RA of_a = call_first<How>(std::forward<A>(a), forked, position);
  if (forked.take_back(position)) [[likely]] {
    return std::pair<RA, RB>(std::forward<RA>(of_a), forked.call());
  }
  return std::pair<RA, RB>(std::forward<RA>(of_a), forked.take());
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
