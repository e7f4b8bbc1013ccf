// How a scan goes through a range: once with the sum of what comes before, or first for the sum of a chunk.
#pragma once

#include <dozer/detail/blocks.hpp>
#include <dozer/detail/elements.hpp>
#include <dozer/detail/in_order.hpp>
#include <dozer/detail/kept_closure.hpp>
#include <dozer/detail/requirements.hpp>
#include <dozer/loop_options.hpp>
#include <dozer/named.hpp>

#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>

namespace dozer::inline DOZER_PLATFORM::detail {

enum class scan_kind : bool { exclusive, inclusive };

/// A tile is scanned in so many stretches at a time, whose sums are known: operations of one need not wait for those of
/// another.
inline constexpr std::uint64_t scan_lanes = 4;

template <scan_kind kind, class T, class I, class Out, class Op, class Un>
class scan_work {
 public:
  /// The sum of a chunk; after its turn, the sum of all before it. By lanes if the values are cheap to copy.
  static constexpr bool has_lanes = std::is_trivially_copyable_v<T> && sizeof(T) <= 2 * sizeof(void*);
  struct found {
    std::optional<T> sums[has_lanes ? scan_lanes : 1];
  };
  static constexpr bool finishes = true;

  scan_work(const I& in, const Out& out, Op& op, Un& un) : in_(in), out_(out), op_(op), un_(un) {}
  void begin_with(T&& init) { carry_.emplace(std::move(init)); }

  void run(chunk c) { scan(c, carry_); }
  /// All of it, in one go.
  template <class... Init>
  void run_alone(std::uint64_t count, Init&&... init) {
    if constexpr (sizeof...(Init) != 0) {
      static_cast<void>(scan(0, count, std::move(init)...));
    } else if (count != 0) {
      static_cast<void>(scan(1, count, put_first(0)));
    }
  }
  void prepare(chunk c, found& f) {
    in_block<Op> op = op_;
    in_block<Un> un = un_;
    if constexpr (has_lanes) {
      if (const std::uint64_t n = c.size() / scan_lanes; n != 0) {
        sum_lanes(after(in_, c.first), n, c.size(), f, op, un);
        return;
      }
    }
    f.sums[0].emplace(sum(after(in_, c.first), c.size(), op, un));
  }
  void take_turn(chunk c, found& f) {
    if (c.size() == 1) {
      put_only(c.first, std::move(*f.sums[0]));
      return;
    }
    for (std::optional<T>& s : f.sums) {
      if (!s) {
        break;
      }
      T next = static_cast<T>(std::invoke(op_, *carry_, std::move(*s)));
      *s = std::move(*carry_);
      *carry_ = std::move(next);
    }
  }
  void finish(chunk c, found& f) {
    if (c.size() == 1) {
      return;
    }
    if constexpr (has_lanes) {
      if (const std::uint64_t n = c.size() / scan_lanes; n != 0) {
        scan_in_lanes(c.first, n, c.last, f);
        return;
      }
    }
    scan(c, f.sums[0]);
  }
  void abandon(chunk, found&) noexcept {}

 private:
  template <class F, class G>
  static T sum(I at, std::uint64_t n, F& op, G& un) {
    T all(std::invoke(un, *at));
    while (--n != 0) {
      ++at;
      all = static_cast<T>(std::invoke(op, std::move(all), std::invoke(un, *at)));
    }
    return all;
  }
  /// The last lane is the longest.
  template <class F, class G>
  static void sum_lanes(const I& at, std::uint64_t n, std::uint64_t count, found& f, F& op, G& un) {
    const auto add = [&](T& to, std::uint64_t k) {
      to = static_cast<T>(std::invoke(op, to, std::invoke(un, *after(at, k))));
    };
    T a(std::invoke(un, *at)), b(std::invoke(un, *after(at, n)));
    T c(std::invoke(un, *after(at, 2 * n))), d(std::invoke(un, *after(at, 3 * n)));
    for (std::uint64_t k = 1; k != n; ++k) {
      add(a, k), add(b, n + k), add(c, 2 * n + k), add(d, 3 * n + k);
    }
    for (std::uint64_t k = 4 * n; k != count; ++k) {
      add(d, k);
    }
    f.sums[0] = a, f.sums[1] = b, f.sums[2] = c, f.sums[3] = d;
  }

  /// The result of a chunk with one element, whose value is known: no function is called twice for it, so two dear
  /// elements take as long as one.
  void put_only(std::uint64_t n, T&& value) {
    T next = static_cast<T>(std::invoke(op_, *carry_, std::move(value)));
    if constexpr (kind == scan_kind::inclusive) {
      *after(out_, n) = next;
    } else {
      *after(out_, n) = std::move(*carry_);
    }
    *carry_ = std::move(next);
  }
  /// `carry`: the sum of what comes before, if anything does; then the sum up to the end.
  void scan(chunk c, std::optional<T>& carry) {
    if (carry) {
      *carry = scan(c.first, c.last, std::move(*carry));
    } else {
      carry.emplace(scan(c.first + 1, c.last, put_first(c.first)));
    }
  }
  T put_first(std::uint64_t n) {
    T first(std::invoke(un_, *after(in_, n)));
    *after(out_, n) = first;
    return first;
  }
  T scan(std::uint64_t first, std::uint64_t last, T all) {
    in_block<Op> op = op_;
    in_block<Un> un = un_;
    I at = after(in_, first);
    Out to = after(out_, first);
    for (; first != last; ++first, ++at, ++to) {
      step(all, at, to, op, un);
    }
    return all;
  }
  void scan_in_lanes(std::uint64_t first, std::uint64_t n, std::uint64_t last, found& f) {
    in_block<Op> op = op_;
    in_block<Un> un = un_;
    I at = after(in_, first);
    Out to = after(out_, first);
    T a = *f.sums[0], b = *f.sums[1], c = *f.sums[2], d = *f.sums[3];
    for (std::uint64_t k = 0; k != n; ++k, ++at, ++to) {
      step(a, at, to, op, un);
      step(b, after(at, n), after(to, n), op, un);
      step(c, after(at, 2 * n), after(to, 2 * n), op, un);
      step(d, after(at, 3 * n), after(to, 3 * n), op, un);
    }
    for (std::uint64_t k = first + 4 * n; k != last; ++k) {
      step(d, after(in_, k), after(out_, k), op, un);
    }
  }
  /// The element may stand where the result goes.
  template <class F, class G>
  DOZER_HOT static void step(T& all, const I& at, const Out& to, F& op, G& un) {
    if constexpr (kind == scan_kind::inclusive) {
      all = static_cast<T>(std::invoke(op, std::move(all), std::invoke(un, *at)));
      *to = all;
    } else {
      T next = static_cast<T>(std::invoke(op, all, std::invoke(un, *at)));
      *to = std::move(all);
      all = std::move(next);
    }
  }

  I in_;
  Out out_;
  Op& op_;
  Un& un_;
  std::optional<T> carry_;  // the sum of all before the chunk that has the turn
};

/// Returns where the results end. `init`: one value of type T, or none.
template <scan_kind kind, class T, class I, class S, class Out, class Op, class Un, class... Init>
Out scan(const I& first, const S& last, const Out& out, Op& op, Un& un, const loop_options& options, Init&&... init) {
  static_assert(needs_random_access<I, S>());
  static_assert(needs_function<Un, std::iter_reference_t<I>>());
  using value = std::invoke_result_t<Un&, std::iter_reference_t<I>>;
  static_assert(needs_operation<Op, T, value>());
  static_assert(needs_operation<Op, T, T>());
  static_assert(needs_conversion<value, T>());
  static_assert(needs_output<Out, std::conditional_t<kind == scan_kind::inclusive, T&, T>>());
  const std::uint64_t count = count_of(first, last);
  using work = scan_work<kind, T, plain_t<I>, plain_t<Out>, Op, Un>;
  work scanned(detail::plain(first), detail::plain(out), op, un);
  if constexpr (is_cheap<plain_t<I>, Op, Un> && is_cheap<plain_t<Out>> && is_cheap_value<T>) {
    if (runs_at_once(count, options)) {
      if (options.stop.stop_requested()) {
        return out;
      }
      scanned.run_alone(count, std::move(init)...);
      return after(out, count);
    }
  }
  (scanned.begin_with(std::move(init)), ...);
  return after(out, detail::run_in_order(scanned, count, cached_elements<T>, options, detail::name_of(op)));
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
