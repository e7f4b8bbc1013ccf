// Copying some elements of a range, in order.
#pragma once

#include <dozer/detail/elements.hpp>
#include <dozer/detail/in_order.hpp>
#include <dozer/detail/range_access.hpp>
#include <dozer/detail/requirements.hpp>
#include <dozer/detail/sift.hpp>
#include <dozer/detail/sift_few.hpp>
#include <dozer/loop_options.hpp>
#include <dozer/named.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>

namespace dozer::inline DOZER_PLATFORM {

namespace detail {

template <class I, class Out, class F, class Proj>
class copy_if_work {
 public:
  struct found {
    std::unique_ptr<bool[]> noted;
    std::uint64_t held = 0;
    std::uint64_t place = 0;  // where they go, after the turn
  };
  static constexpr bool finishes = true;

  copy_if_work(const I& in, const Out& out, F& pred, Proj& proj) : in_(in), out_(out), pred_(pred), proj_(proj) {}
  [[nodiscard]] std::uint64_t copied() const noexcept { return end_; }

  void run(chunk c) {
    bool noted[sift_step];
    for (std::uint64_t n; c.first != c.last; c.first += n) {
      n = std::min(sift_step, c.size());
      const std::uint64_t held = detail::judge<true>(after(in_, c.first), n, pred_, proj_, noted);
      copy(c.first, n, noted, held, end_);
      end_ += held;
    }
  }
  void run_few(std::uint64_t count, const loop_options& options) {
    const few_judged all(in_, count, pred_, proj_, options);
    end_ = count_noted(all.noted(), count);
    copy(0, count, all.noted(), end_, 0);
  }
  void prepare(chunk c, found& f) {
    f.noted = std::make_unique_for_overwrite<bool[]>(c.size());
    f.held = detail::judge<true>(after(in_, c.first), c.size(), pred_, proj_, f.noted.get());
  }
  void take_turn(chunk, found& f) noexcept {
    f.place = end_;
    end_ += f.held;
  }
  void finish(chunk c, found& f) { copy(c.first, c.size(), f.noted.get(), f.held, f.place); }
  void abandon(chunk, found&) noexcept {}

 private:
  void copy(std::uint64_t first, std::uint64_t n, const bool* noted, std::uint64_t held, std::uint64_t place) {
    const I from = after(in_, first);
    const Out to = after(out_, place);
    if (held == n) {
      std::copy_n(from, static_cast<std::iter_difference_t<I>>(n), to);
    } else {
      detail::pick<true>(from, noted, held, to, [](const Out& o, const I& i) { *o = *i; });
    }
  }

  I in_;
  Out out_;
  F& pred_;
  Proj& proj_;
  std::uint64_t end_ = 0;  // of what comes before the chunk that has the turn
};

}  // namespace detail

/// Copies the elements for which pred holds to out, in their order. Calls pred once for each element. Returns where the
/// copies end. If a stop is requested, a front part of the range has been looked at, and what is copied is complete for
/// that part. Extra memory: a byte for each element that is looked at while elements before it still are, and some
/// words for each such chunk (docs/algorithms.md, "Early chunks"); one that takes long may hold up all the rest.
template <class I, class S, class Out, class F, class Proj = std::identity>
requires detail::iterators_and_output<I, S, Out> Out copy_if(I first, S last, Out out, F pred, Proj proj = {},
                                                             const loop_options& options = default_options) {
  static_assert(detail::needs_random_access<I, S>());
  static_assert(detail::needs_output<Out, std::iter_reference_t<I>>());
  static_assert(detail::needs_projection<Proj, I>());
  static_assert(detail::needs_predicate<F, detail::projected_t<I, Proj>>());
  using from = detail::plain_t<I>;
  using to = detail::plain_t<Out>;
  const std::uint64_t count = detail::count_of(first, last);
  detail::copy_if_work<from, to, F, Proj> work(detail::plain(first), detail::plain(out), pred, proj);
  if (detail::may_copy_freely<from, to> && detail::are_few_to_sift(count, options)) {
    work.run_few(count, options);
  } else {
    detail::run_in_order(work, count, detail::cached_elements<std::iter_value_t<I>>, options, detail::name_of(pred));
  }
  return detail::after(out, work.copied());
}
template <class I, class S, class Out, class F>
requires detail::iterators_and_output<I, S, Out> Out copy_if(I first, S last, Out out, F pred,
                                                             const loop_options& options) {
  return dozer::copy_if(std::move(first), std::move(last), std::move(out), std::move(pred), {}, options);
}
template <std::ranges::range R, class Out, detail::function_argument F, class Proj = std::identity>
Out copy_if(R&& range, Out out, F pred, Proj proj = {}, const loop_options& options = default_options) {
  return dozer::copy_if(std::ranges::begin(range), std::ranges::end(range), std::move(out), std::move(pred),
                        std::move(proj), options);
}
template <std::ranges::range R, class Out, detail::function_argument F>
Out copy_if(R&& range, Out out, F pred, const loop_options& options) {
  return dozer::copy_if(std::ranges::begin(range), std::ranges::end(range), std::move(out), std::move(pred), {},
                        options);
}

}  // namespace dozer::inline DOZER_PLATFORM
