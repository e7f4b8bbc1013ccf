// parallel_for: a loop whose iterations may run in parallel.
#pragma once

#include <dozer/detail/loop.hpp>
#include <dozer/join.hpp>

#include <concepts>
#include <cstdint>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

namespace dozer::inline DOZER_PLATFORM {

/// f(i) for each i from first to before last, in any order and possibly in parallel; i has the type that both have in
/// common, and if first >= last there is nothing to do. Iterations must not wait for each other. If calls throw, one of
/// the exceptions leaves when all that was begun has ended; some iterations may then not have run.
template <std::integral A, std::integral B, std::invocable<std::common_type_t<A, B>> F>
void parallel_for(A first, B last, F&& f) {
  using index = std::common_type_t<A, B>;
  static_assert(sizeof(index) <= sizeof(std::uint64_t), "at most 64 bits");
  if (static_cast<index>(first) < static_cast<index>(last)) {
    // Unsigned: the difference of two signed numbers may need the sign bit.
    const auto from = static_cast<std::uint64_t>(static_cast<index>(first));
    const std::uint64_t count = static_cast<std::uint64_t>(static_cast<index>(last)) - from;
    detail::run_loop(count,
                     [&f, from](std::uint64_t i) { static_cast<void>(std::invoke(f, static_cast<index>(from + i))); });
  }
}

/// f(*i) for each i of a range.
template <std::random_access_iterator I, std::sized_sentinel_for<I> S, std::invocable<std::iter_reference_t<I>> F>
void parallel_for(I first, S last, F&& f) {
  const auto count = last - first;
  if (count > 0) {
    detail::run_loop(static_cast<std::uint64_t>(count), [&f, first](std::uint64_t i) {
      static_cast<void>(std::invoke(f, first[static_cast<std::iter_difference_t<I>>(i)]));
    });
  }
}
template <std::ranges::random_access_range R, std::invocable<std::ranges::range_reference_t<R>> F>
void parallel_for(R&& range, F&& f) {
  parallel_for(std::ranges::begin(range), std::ranges::end(range), std::forward<F>(f));
}

}  // namespace dozer::inline DOZER_PLATFORM
