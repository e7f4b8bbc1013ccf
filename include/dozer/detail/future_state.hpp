// What a future and its job share (src/pool/README.md, "Futures").
#pragma once

#include <dozer/deadlock.hpp>
#include <dozer/detail/latch.hpp>
#include <dozer/detail/outcome.hpp>
#include <dozer/detail/pool_core.hpp>
#include <dozer/detail/short_lock.hpp>
#include <dozer/named.hpp>

#include <cstdint>
#include <exception>
#include <optional>
#include <source_location>
#include <type_traits>
#include <utility>

namespace dozer::inline DOZER_PLATFORM::detail {

/// Told once, when the result is there. May be gone when notify returns.
struct future_observer {
  void (*notify)(future_observer& self, seat* by) noexcept;
  future_observer* next = nullptr;
};

/// The part that does not depend on the result's type. The job and the future have a share each; the last one to let go
/// deletes it.
class future_state : public posted_job {
 public:
  future_state(const job_kind& k, pool_core& pool) noexcept : posted_job(k), pool_(pool) { pool_.keep_in_memory(); }
  virtual ~future_state() { pool_.let_go_of_memory(); }

  [[nodiscard]] pool_core& pool() noexcept { return pool_; }
  [[nodiscard]] bool ready() const noexcept {
    return ready_.load(acquire);  // pairs: future.ready (complete)
  }
  /// Helps or blocks until ready (true) or until the clock passes `deadline` (false). Throws deadlock_error if a
  /// handler wants that.
  bool wait(std::uint64_t deadline, const std::source_location& where = {});
  /// False: the result is there already, nobody will be told.
  [[nodiscard]] bool observe(future_observer& who) noexcept;

  /// The job has put its outcome here and is done.
  void complete(seat* by) noexcept;
  /// `error_seen`: somebody has got the exception, or nobody shall. Otherwise the last to let go reports it.
  void let_go(bool error_seen) noexcept;

 protected:
  /// The exception, if there is one and it was not taken before.
  [[nodiscard]] virtual std::exception_ptr take_error() noexcept = 0;

 private:
  /// False: it is being told already.
  [[nodiscard]] bool forget(future_observer& who) noexcept;

  pool_core& pool_;
  short_lock observing_;
  future_observer* observers_ = nullptr;  // under the lock
  atomic<bool> ready_{false};             // written under the lock
  atomic<std::uint32_t> shares_{2};
  atomic<bool> error_seen_{false};
};

template <class R>
class result_state : public future_state {
 public:
  using future_state::future_state;
  outcome<R> result;

 protected:
  [[nodiscard]] std::exception_ptr take_error() noexcept override {
    return result.failed() ? result.take_error() : nullptr;
  }
};

/// A job whose result goes into a future.
template <class F, class R>
class submitted_job final : public result_state<R> {
 public:
  template <class G>
  submitted_job(pool_core& pool, G&& f) : result_state<R>(kind_of<submitted_job>, pool), f_(std::forward<G>(f)) {}

  static void run(job& self, seat& here) noexcept {
    auto& me = static_cast<submitted_job&>(self);
    pool_core& pool = me.pool();
    me.result.run(*me.f_);
    me.f_.reset();  // what the closure holds dies before the future is ready
    me.complete(&here);
    me.let_go(false);
    pool.let_go_soon(here);
  }
  static const char* name(const job& self) noexcept {
    const auto& f = static_cast<const submitted_job&>(self).f_;
    return f ? name_of(*f) : nullptr;
  }

 private:
  std::optional<F> f_;
};

/// A job that waits in another future for its result: the T of result_state<T>.
template <class F, class T, class R>
class continued_job final : public result_state<R>, public future_observer {
 public:
  /// Takes over the future's share of `before`.
  template <class G>
  continued_job(result_state<T>& before, G&& f)
      : result_state<R>(kind_of<continued_job>, before.pool()),
        future_observer{&continued_job::came, nullptr},
        before_(before),
        f_(std::forward<G>(f)) {}

  static void came(future_observer& self, seat*) noexcept {
    auto& me = static_cast<continued_job&>(self);
    pool_core& pool = me.pool();
    pool.post_noted(me);
    pool.let_go();  // the hold that then() took
  }

  static void run(job& self, seat& here) noexcept {
    auto& me = static_cast<continued_job&>(self);
    pool_core& pool = me.pool();
    outcome<T>& before = me.before_.result;
    if (before.failed()) {
      me.result.fail(before.take_error());
    } else {
      me.result.run([&]() -> R {
        if constexpr (std::is_void_v<T>) {
          return std::move(*me.f_)();
        } else {
          return std::move(*me.f_)(before.take());
        }
      });
    }
    me.before_.let_go(true);
    me.f_.reset();
    me.complete(&here);
    me.let_go(false);
    pool.let_go_soon(here);
  }
  static const char* name(const job& self) noexcept {
    const auto& f = static_cast<const continued_job&>(self).f_;
    return f ? name_of(*f) : nullptr;
  }

 private:
  result_state<T>& before_;
  std::optional<F> f_;
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
