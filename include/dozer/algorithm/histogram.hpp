// How many elements fall into each bin.
#pragma once

#include <dozer/detail/blocks.hpp>
#include <dozer/detail/counts.hpp>
#include <dozer/detail/elements.hpp>
#include <dozer/detail/kept_closure.hpp>
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
#include <ranges>
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

template <class I, class F>
bin_counts histogram_in_sets(const I& in, std::uint64_t count, std::uint64_t bins, F& bin_of,
                             const loop_options& options) {
  count_sets sets(bins);
  const auto add = [&](std::uint64_t from, std::uint64_t to) {
    const count_sets::loan mine(sets);
    detail::put_into_bins(in, from, to, bins, bin_of,
                          [values = mine.data()](std::uint64_t, std::uint64_t bin) { ++values[bin]; });
  };
  for_blocks(count, add, options, detail::name_of(bin_of));
  return sets.sum();
}

/// For many bins: the bins of some elements at a time, and then one thread counts them.
template <class I, class F>
bin_counts histogram_by_numbers(const I& in, std::uint64_t count, std::uint64_t bins, F& bin_of,
                                const loop_options& options) {
  bin_counts result(bins);
  const std::uint64_t most = std::min(count, numbers_at_a_time);
  const auto numbers = std::make_unique_for_overwrite<std::uint64_t[]>(most);
  for (std::uint64_t done = 0; done != count && !options.stop.stop_requested();) {
    const std::uint64_t n = std::min(most, count - done);
    if (options.stop.stop_possible()) {
      std::fill_n(numbers.get(), n, bins);
    }
    const auto number = [&](std::uint64_t from, std::uint64_t to) {
      detail::put_into_bins(in, done + from, done + to, bins, bin_of,
                            [done, at = numbers.get()](std::uint64_t k, std::uint64_t bin) { at[k - done] = bin; });
    };
    for_blocks(n, number, options, detail::name_of(bin_of));
    for (std::uint64_t k = 0; k != n; ++k) {
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
/// for few elements (more than one for four), a word for each element instead.
template <class I, class S, class F>
requires detail::iterator_pair<I, S>
[[nodiscard]] std::vector<std::uint64_t> histogram(I first, S last, std::size_t bins, F bin_of,
                                                   const loop_options& options = {}) {
  static_assert(detail::needs_random_access<I, S>());
  static_assert(detail::needs_bins<F, I>());
  const std::uint64_t count = detail::count_of(first, last);
  const auto in = detail::plain(first);
  return bins <= count / detail::elements_for_a_bin ? detail::histogram_in_sets(in, count, bins, bin_of, options)
                                                    : detail::histogram_by_numbers(in, count, bins, bin_of, options);
}
template <std::ranges::range R, class F>
[[nodiscard]] std::vector<std::uint64_t> histogram(R&& range, std::size_t bins, F bin_of,
                                                   const loop_options& options = {}) {
  return dozer::histogram(std::ranges::begin(range), std::ranges::end(range), bins, std::move(bin_of), options);
}

}  // namespace dozer::inline DOZER_PLATFORM
