// parallel_for: a loop whose iterations may run in parallel.
#pragma once

#include <dozer/detail/loop.hpp>
#include <dozer/join.hpp>

#include <concepts>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

namespace dozer::inline DOZER_PLATFORM {

/// f(i) for each i from first to before last, in any order and possibly in parallel; first >= last: nothing. If calls
/// throw, one of the exceptions leaves when all that was begun has ended; some iterations may then not have run.
template <std::integral I, std::invocable<I> F>
void parallel_for(I first, std::type_identity_t<I> last, F&& f) {
  if (first < last) {
    // The difference of two signed numbers may need the sign bit.
    const auto count = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
    detail::run_loop(
        count, [&](std::uint64_t i) { static_cast<void>(f(static_cast<I>(static_cast<std::uint64_t>(first) + i))); });
  }
}

/// f(*i) for each i of a range.
template <std::random_access_iterator I, std::sized_sentinel_for<I> S, std::indirectly_unary_invocable<I> F>
void parallel_for(I first, S last, F&& f) {
  const auto count = last - first;
  if (count > 0) {
    detail::run_loop(static_cast<std::uint64_t>(count),
                     [&](std::uint64_t i) { static_cast<void>(f(first[static_cast<std::iter_difference_t<I>>(i)])); });
  }
}
template <std::ranges::random_access_range R, std::indirectly_unary_invocable<std::ranges::iterator_t<R>> F>
void parallel_for(R&& range, F&& f) {
  parallel_for(std::ranges::begin(range), std::ranges::end(range), std::forward<F>(f));
}

}  // namespace dozer::inline DOZER_PLATFORM
