// How many elements fall into each bin.
#pragma once

#include <dozer/detail/blocks.hpp>
#include <dozer/detail/counts.hpp>
#include <dozer/detail/elements.hpp>
#include <dozer/detail/kept_closure.hpp>
#include <dozer/detail/range_access.hpp>
#include <dozer/detail/requirements.hpp>
#include <dozer/loop_options.hpp>
#include <dozer/named.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace dozer::inline DOZER_PLATFORM {

namespace detail {

template <class F, class I>
consteval bool needs_bins() {
  static_assert(needs_function<F, std::iter_reference_t<I>>());
  static_assert(std::integral<std::remove_cvref_t<std::invoke_result_t<F&, std::iter_reference_t<I>>>>,
                "dozer: bin_of must return an integer, the number of a bin");
  return true;
}

/// put(k, bin) for the elements from first to before last.
template <class I, class F, class Put>
DOZER_HOT void put_into_bins(const I& in, std::uint64_t first, std::uint64_t last, std::uint64_t bins, F& bin_of,
                             const Put& put) {
  in_block<F> f = bin_of;
  I at = after(in, first);
  for (; first != last; ++first, ++at) {
    put(first, checked_bin(std::invoke(f, *at), bins));
  }
}

/// Counts some elements.
template <class I, class F>
struct count_in_set {
  const I& in;
  std::uint64_t bins;
  F& bin_of;
  count_sets& sets;

  static void run(loop_part& part, std::uint64_t from, std::uint64_t to) {
    const auto& body = *static_cast<const count_in_set*>(part.closure());
    const count_set* usual = nullptr;
    walk(part, from, to, [&](std::uint64_t first, std::uint64_t last) {
      const count_sets::loan mine(body.sets, usual);  // not during the waits between blocks, which run other parts
      detail::put_into_bins(body.in, first, last, body.bins, body.bin_of,
                            [counts = mine.data()](std::uint64_t, std::uint64_t bin) { ++counts[bin]; });
    });
  }
  static constexpr loop_kind kind{&count_in_set::run, false};
};

template <class I, class F>
bin_counts histogram_in_sets(const I& in, std::uint64_t count, std::uint64_t bins, F& bin_of,
                             const loop_options& options) {
  count_sets sets(bins);
  if (count != 0) {
    const count_in_set<I, F> each{in, bins, bin_of, sets};
    detail::run_loop(each.kind, std::addressof(each), count, options, detail::name_of(bin_of));
  }
  return sets.sum();
}

/// Numbers the bins of some elements. What the loop has run alone is counted at once.
template <class I, class F>
struct number_bins {
  const I& in;
  std::uint64_t bins;
  F& bin_of;
  bin_counts& result;
  std::uint64_t* numbers;
  std::uint64_t& counted;  // so many elements, the first ones

  static void run(loop_part& part, std::uint64_t from, std::uint64_t to) {
    const auto& body = *static_cast<const number_bins*>(part.closure());
    walk(part, from, to, [&](std::uint64_t first, std::uint64_t last) {
      if (part.is_alone()) {
        detail::put_into_bins(body.in, first, last, body.bins, body.bin_of,
                              [counts = body.result.data()](std::uint64_t, std::uint64_t bin) { ++counts[bin]; });
        body.counted = last;
      } else {
        detail::put_into_bins(body.in, first, last, body.bins, body.bin_of,
                              [to_each = body.numbers](std::uint64_t k, std::uint64_t bin) { to_each[k] = bin; });
      }
    });
  }
  static constexpr loop_kind kind{&number_bins::run, false};
};

/// For many bins: the bins of some elements at a time, and then one thread counts them.
template <class I, class F>
bin_counts histogram_by_numbers(const I& in, std::uint64_t count, std::uint64_t bins, F& bin_of,
                                const loop_options& options) {
  bin_counts result(bins);
  const std::uint64_t most = std::min(count, numbers_at_a_time);
  std::uint64_t few[256];
  const auto many = most > std::size(few) ? std::make_unique_for_overwrite<std::uint64_t[]>(most) : nullptr;
  std::uint64_t* const numbers = many ? many.get() : few;
  for (std::uint64_t done = 0; done != count && !options.stop.stop_requested();) {
    const std::uint64_t n = std::min(most, count - done);
    if (options.stop.stop_possible()) {
      std::fill_n(numbers, n, bins);
    }
    std::uint64_t counted = 0;
    const I at = after(in, done);
    const number_bins<I, F> each{at, bins, bin_of, result, numbers, counted};
    detail::run_loop(each.kind, std::addressof(each), n, options, detail::name_of(bin_of));
    for (std::uint64_t k = counted; k != n; ++k) {
      if (const std::uint64_t bin = numbers[k]; bin != bins) {
        ++result[bin];
      }
    }
    done += n;
  }
  return result;
}

}  // namespace detail

/// Counts for each bin the elements x with bin_of(x) == bin. Throws std::out_of_range if bin_of returns a number that
/// is negative or not below `bins`. Calls bin_of once for each element. If a stop is requested, elements that were not
/// looked at are not counted. Extra memory: the counts again for each thread that takes part; if there are many bins
/// for few elements (more than one for eight), a word for each element instead, 2^18 words at the most.
template <class I, class S, class F>
requires detail::iterator_pair<I, S>
[[nodiscard]] std::vector<std::uint64_t> histogram(I first, S last, std::size_t bins, F bin_of,
                                                   const loop_options& options = default_options) {
  static_assert(detail::needs_random_access<I, S>());
  static_assert(detail::needs_bins<F, I>());
  const std::uint64_t count = detail::count_of(first, last);
  const auto in = detail::plain(first);
  return bins <= count / detail::elements_for_a_bin ? detail::histogram_in_sets(in, count, bins, bin_of, options)
                                                    : detail::histogram_by_numbers(in, count, bins, bin_of, options);
}
template <std::ranges::range R, class F>
[[nodiscard]] std::vector<std::uint64_t> histogram(R&& range, std::size_t bins, F bin_of,
                                                   const loop_options& options = default_options) {
  return dozer::histogram(std::ranges::begin(range), std::ranges::end(range), bins, std::move(bin_of), options);
}

}  // namespace dozer::inline DOZER_PLATFORM
