// Folds: a loop makes one value of each stretch of numbers, and one value of two stretches that meet. They are merged
// as soon as both are there, by the thread that comes last, so a dear operation runs in parallel to the end.
#pragma once

#include <dozer/detail/blocks.hpp>
#include <dozer/detail/loop.hpp>
#include <dozer/detail/short_lock.hpp>
#include <dozer/loop_options.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace dozer::inline DOZER_PLATFORM::detail {

/// What was made of the numbers from first to before last.
template <class T>
struct stretch {
  std::uint64_t first, last;
  T what;
  std::unique_ptr<stretch> next = nullptr;
};

/// Stretches that wait for a neighbour, by their numbers.
template <class T>
class stretches {
 public:
  using pointer = std::unique_ptr<stretch<T>>;

  /// Merges it with its neighbours while there are some, and keeps what comes out.
  template <class Merge>
  void keep(pointer made, const Merge& merge) {
    while (pointer other = take_neighbour_or_keep(made)) {
      if (other->first > made->first) {
        std::swap(other, made);
      }
      other->what = merge(std::move(other->what), std::move(made->what));
      other->last = made->last;
      made = std::move(other);
    }
  }
  /// When the loop is over: what was made of all numbers. If the loop was stopped, of some; of none, nothing.
  template <class Merge>
  [[nodiscard]] std::optional<T> take(const Merge& merge) {
    std::optional<T> all;
    while (kept_) {
      const pointer s = std::exchange(kept_, std::move(kept_->next));
      if (all) {
        *all = merge(std::move(*all), std::move(s->what));
      } else {
        all.emplace(std::move(s->what));
      }
    }
    return all;
  }

 private:
  /// Of two neighbours one. Without any, `made` is kept and there is none.
  [[nodiscard]] pointer take_neighbour_or_keep(pointer& made) noexcept {
    const std::lock_guard hold(lock_);
    pointer* at = &kept_;
    while (*at && (*at)->last < made->first) {
      at = &(*at)->next;
    }
    if (*at && ((*at)->last == made->first || (*at)->first == made->last)) {
      pointer found = std::move(*at);
      *at = std::move(found->next);
      return found;
    }
    made->next = std::move(*at);
    *at = std::move(made);
    return nullptr;
  }

  short_lock lock_;
  pointer kept_;
};

template <class T, class Fold>
class fold_body {
 public:
  fold_body(const Fold& fold, std::uint64_t count) noexcept : fold_(fold), count_(count) {}

  static void run(loop_part& part, std::uint64_t begun, std::uint64_t done) {
    auto& body = *static_cast<const fold_body*>(part.closure());
    T what = body.fold_.begin(begun, done);
    for (block b = part.next(done); b.first != b.last; b = part.next(done)) {
      if (b.first == done) {
        body.fold_.add(what, b.first, b.last);
      } else {  // what comes between was shared with others
        body.keep(begun, done, std::move(what));
        what = body.fold_.begin(b.first, b.last);
        begun = b.first;
      }
      done = b.last;
    }
    body.keep(begun, done, std::move(what));
  }
  [[nodiscard]] std::optional<T> take() {
    return whole_ ? std::move(whole_)
                  : others_.take([&](T&& a, T&& b) { return fold_.merge(std::move(a), std::move(b)); });
  }

 private:
  void keep(std::uint64_t first, std::uint64_t last, T&& what) const {
    if (last - first == count_) {
      whole_.emplace(std::move(what));
      return;
    }
    others_.keep(std::unique_ptr<stretch<T>>(new stretch<T>{first, last, std::move(what)}),
                 [&](T&& a, T&& b) { return fold_.merge(std::move(a), std::move(b)); });
  }

  const Fold& fold_;
  const std::uint64_t count_;
  mutable std::optional<T> whole_;  // if one part ran all of it, as in most small loops
  mutable stretches<T> others_;
};

/// What `how` makes of the numbers below `count`, which is not 0. how.begin(first, last) makes a T of a stretch,
/// how.add(it, first, last) adds the next stretch to it, and how.merge(a, b) makes one of two that meet. If the loop is
/// stopped: of some of the numbers, or nothing. Cheap: as for_spans means it. The numbers stand for so many elements:
/// of many elements the loop begins alone.
template <class T, bool cheap, class Fold>
[[nodiscard]] std::optional<T> fold(std::uint64_t count, const Fold& how, const loop_options& options, const char* name,
                                    std::uint64_t elements) {
  if constexpr (cheap) {
    if (runs_at_once(count, options)) {
      return options.stop.stop_requested() ? std::nullopt : std::optional<T>(how.begin(std::uint64_t{0}, count));
    }
  }
  using body = fold_body<T, Fold>;
  body each(how, count);
  static constexpr loop_kind alone{&body::run, !cheap, 2}, together{&body::run, !cheap, ~std::uint64_t{0}};
  detail::run_loop(elements >= loop_many ? alone : together, std::addressof(each), count, options, name);
  return each.take();
}
template <class T, bool cheap, class Fold>
[[nodiscard]] std::optional<T> fold(std::uint64_t count, const Fold& how, const loop_options& options,
                                    const char* name = nullptr) {
  return detail::fold<T, cheap>(count, how, options, name, count);
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
