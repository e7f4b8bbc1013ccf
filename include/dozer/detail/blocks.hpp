// What algorithms are made of: loops over blocks of numbers from 0 on. A part of a loop has blocks that follow each
// other, so what it gathers from them stands for one stretch of the range.
#pragma once

#include <dozer/detail/loop.hpp>
#include <dozer/detail/short_lock.hpp>
#include <dozer/loop_options.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace dozer::inline DOZER_PLATFORM::detail {

/// f(first, last) for blocks that together make up the numbers below `count`. If there are so many, it begins alone.
template <std::uint64_t many = loop_many, class F>
void for_blocks(std::uint64_t count, const F& f, const loop_options& options, const char* name = nullptr) {
  if (count != 0) {
    detail::run_loop(by_blocks<F, many>, std::addressof(f), count, options, name);
  }
}

/// So many cheap elements take about 2 us: less than it takes until another thread is of help.
inline constexpr std::uint64_t few_cheap_elements = 4096;

/// True if a loop over cheap elements runs in the calling thread, whether or not that is in a pool.
[[nodiscard]] inline bool runs_at_once(std::uint64_t count, const loop_options& options) noexcept {
  return count <= few_cheap_elements && options.grain == 0;
}

/// f(first, last) for stretches that together make up the numbers below `count`. Cheap: f calls no code of the user's,
/// and an element takes some nanoseconds at most. Otherwise what is left of a long block can be stolen.
template <bool cheap, class F>
void for_spans(std::uint64_t count, const F& f, const loop_options& options, const char* name = nullptr) {
  if (count == 0) {
    return;
  }
  if constexpr (cheap) {
    if (runs_at_once(count, options)) {
      if (!options.stop.stop_requested()) {
        f(0, count);
      }
      return;
    }
  }
  detail::run_loop(cheap ? by_blocks<F> : by_pieces<F>, std::addressof(f), count, options, name);
}

/// What the parts of a loop have gathered. The first one to be kept needs no memory: most small loops have one part.
template <class T>
class gathered {
 public:
  void keep(std::uint64_t first, T&& what) {
    if (!has_one_.exchange(true, relaxed)) {  // relaxed: only who is first; the latches order what is kept
      one_.emplace(first, std::move(what));
      return;
    }
    auto made = std::make_unique<linked>(linked{{first, std::move(what)}, nullptr});
    const std::lock_guard hold(lock_);
    made->next = std::move(others_);
    others_ = std::move(made);
  }
  /// If there is one stretch only. Otherwise null. When the loop is over, as the next.
  [[nodiscard]] const T* only() const noexcept { return !others_ && one_ ? &one_->what : nullptr; }
  /// f(what) for each stretch, in the order of the range.
  template <class F>
  void take_in_order(F&& f) {
    if (!others_) {
      if (one_) {
        f(std::move(one_->what));
      }
      return;
    }
    std::vector<stretch*> all{std::addressof(*one_)};
    for (linked* s = others_.get(); s != nullptr; s = s->next.get()) {
      all.push_back(s);
    }
    std::sort(all.begin(), all.end(), [](const stretch* a, const stretch* b) { return a->first < b->first; });
    for (stretch* const s : all) {
      f(std::move(s->what));
    }
  }

 private:
  struct stretch {
    stretch(std::uint64_t from, T&& gathered) : first(from), what(std::move(gathered)) {}
    std::uint64_t first;
    T what;
  };
  struct linked : stretch {
    std::unique_ptr<linked> next;
  };

  atomic<bool> has_one_{false};
  std::optional<stretch> one_;
  short_lock lock_;
  std::unique_ptr<linked> others_;
};

template <class T, class Begin, class Add>
struct gather_body {
  const Begin& begin;
  const Add& add;
  gathered<T>& into;

  static void run(loop_part& part, std::uint64_t first, std::uint64_t last) {
    const auto& body = *static_cast<const gather_body*>(part.closure());
    T what = body.begin(first, last);
    for (block b = part.next(last); b.first != b.last; b = part.next(b.last)) {
      body.add(what, b.first, b.last);
    }
    body.into.keep(first, std::move(what));
  }
};

/// begin(first, last) makes something of the first block of a stretch, and add(it, first, last) adds the next one to
/// it. If the loop is stopped, what comes out does not stand for all of the range.
template <class T, class Begin, class Add>
void gather(std::uint64_t count, const Begin& begin, const Add& add, gathered<T>& into, const loop_options& options,
            const char* name = nullptr) {
  if (count != 0) {
    using body = gather_body<T, Begin, Add>;
    const body each{begin, add, into};
    static constexpr loop_kind kind{&body::run, false};
    detail::run_loop(kind, std::addressof(each), count, options, name);
  }
}

enum class hit { first, any };

template <hit which, class Find>
struct hit_body {
  const Find& find;
  atomic<std::uint64_t>& best;

  static void run(loop_part& part, std::uint64_t from, std::uint64_t to) {
    const auto& body = *static_cast<const hit_body*>(part.closure());
    walk(part, from, to, [&](std::uint64_t first, std::uint64_t last) {
      if (first >= body.best.load(relaxed)) {  // relaxed: too old it costs a block
        return false;                          // what is left of the part comes later still, and is dropped
      }
      const std::uint64_t found = body.find(first, last);
      if (found == last) {
        return true;
      }
      body.lower_to(which == hit::first ? found : 0);
      return false;
    });
  }
  void lower_to(std::uint64_t found) const noexcept {
    std::uint64_t seen = best.load(relaxed);  // relaxed: the exchange looks again
    while (found < seen && !best.compare_exchange_weak(seen, found, relaxed, relaxed)) {  // relaxed: only the number
    }
  }
};

/// The first number below `count` that find(first, last) finds: it returns the first hit of a stretch, or `last`.
/// Without any, or if the loop was stopped before: `count`. With hit::any some number below `count` stands for a hit,
/// and all parts end at once. Cheap: as for_spans means it. `many`: as for_blocks means it.
template <bool cheap = false, hit which = hit::first, std::uint64_t many = loop_many, class Find>
[[nodiscard]] std::uint64_t first_hit(std::uint64_t count, const Find& find, const loop_options& options,
                                      const char* name = nullptr) {
  if constexpr (cheap) {
    if (runs_at_once(count, options)) {
      return options.stop.stop_requested() ? count : find(std::uint64_t{0}, count);
    }
  }
  atomic<std::uint64_t> best(count);
  if (count != 0) {
    using body = hit_body<which, Find>;
    const body each{find, best};
    static constexpr loop_kind kind{.run = &body::run, .may_be_cut = !cheap, .many = many, .searches = true};
    detail::run_loop(kind, std::addressof(each), count, options, name);
  }
  return best.load(relaxed);  // relaxed: all parts have ended
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
