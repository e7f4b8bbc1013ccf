// worker_local: a value for each member of a pool.
#pragma once

#include <dozer/detail/pool_core.hpp>
#include <dozer/thread_pool.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

namespace dozer::inline DOZER_PLATFORM {

/// Each member's T is made when it first asks for it, and lies on a cache line of its own. Reading all of them, with
/// for_each or combine, is for when the members have finished using theirs.
template <class T>
class worker_local {
 public:
  /// For the pool of the calling thread, else for the global pool; each T made by `init`.
  explicit worker_local(std::function<T()> init = [] { return T(); })
      : worker_local(detail::current_core(), std::move(init)) {}
  explicit worker_local(
      thread_pool& pool, std::function<T()> init = [] { return T(); })
      : worker_local(detail::core_of(pool), std::move(init)) {}
  worker_local(const worker_local&) = delete;
  worker_local& operator=(const worker_local&) = delete;
  ~worker_local() { core_.let_go_of_memory(); }

  /// The calling member's. Throws std::logic_error if the calling thread is not in the pool.
  ///
  /// Do not keep the reference across a wait (join, scope, future::get, parallel_for): the wait may run another job in
  /// the same member, which gets the same T and changes it in the middle of your work. Ask again after the wait, or put
  /// all of it inside isolate: then the wait runs only jobs that were forked there.
  [[nodiscard]] T& local() {
    detail::seat* const me = detail::current_seat();
    if (me == nullptr || me->pool != &core_) {
      core_.check_usable();
      throw std::logic_error("dozer: worker_local::local() from a thread that is not in its pool");
    }
    std::optional<T>& mine = slots_[me->index].value;
    if (!mine) {
      mine.emplace(init_());
    }
    return *mine;
  }

  /// Calls f(T&) for every value that was asked for, in the order of their members.
  template <class F>
  void for_each(F&& f) {
    for (unsigned i = 0; i < core_.seats.capacity(); ++i) {
      if (slots_[i].value) {
        f(*slots_[i].value);
      }
    }
  }

  /// All values folded with op, or a fresh one if there are none. Copies the first.
  template <class Op>
  [[nodiscard]] T combine(Op&& op) {
    std::optional<T> sum;
    for_each([&](const T& value) {
      if (sum) {
        sum.emplace(op(std::move(*sum), value));
      } else {
        sum.emplace(value);
      }
    });
    return sum ? std::move(*sum) : init_();
  }

 private:
  struct alignas(detail::cache_line) slot {
    std::optional<T> value;
  };

  worker_local(detail::pool_core& core, std::function<T()> init)
      : core_(core), init_(std::move(init)), slots_(new slot[core.seats.capacity()]) {
    core_.keep_in_memory();  // so that no other pool can take its address and be mistaken for it
  }

  detail::pool_core& core_;
  std::function<T()> init_;
  std::unique_ptr<slot[]> slots_;
};

}  // namespace dozer::inline DOZER_PLATFORM
