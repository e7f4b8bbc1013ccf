// A function of elements, read by number.
#pragma once

#include <dozer/detail/kept_closure.hpp>
#include <dozer/detail/platform.hpp>
#include <dozer/detail/requirements.hpp>

#include <cstdint>
#include <functional>
#include <iterator>
#include <tuple>
#include <type_traits>

namespace dozer::inline DOZER_PLATFORM::detail {

/// The function of each element of a range, or of each two of two ranges.
template <class F, class... Is>
class mapped {
  static constexpr bool are_stored = (std::is_reference_v<std::iter_reference_t<Is>> && ...);
  using made = std::invoke_result_t<F&, std::iter_reference_t<Is>...>;

 public:
  /// True if any element is reached as fast as the next one. An iterator that takes so much room has to look up where
  /// it stands, as that of a deque does.
  static constexpr bool is_random = ((sizeof(Is) <= 2 * sizeof(void*)) && ...);
  /// A function that returns a part of its argument returns a copy if the argument is not stored anywhere.
  using value = std::conditional_t<are_stored, made, std::remove_cvref_t<made>>;

  mapped(F& f, const Is&... firsts) : f_(f), firsts_(firsts...) {}

  /// For the time of a block, with a copy of a small closure.
  class block_view {
   public:
    block_view(F& f, const Is&... firsts) : f_(f), firsts_(firsts...) {}
    [[nodiscard]] DOZER_HOT value operator[](std::uint64_t k) {
      return std::apply(
          [&](auto&... at) -> value {
            return std::invoke(f_, at[static_cast<std::iter_difference_t<std::remove_cvref_t<decltype(at)>>>(k)]...);
          },
          firsts_);
    }
    [[nodiscard]] DOZER_HOT value front() {
      return std::apply([&](auto&... at) -> value { return std::invoke(f_, *at...); }, firsts_);
    }
    /// The first element is the one after it from now on.
    DOZER_HOT void step() {
      std::apply([](auto&... at) { static_cast<void>((++at, ...)); }, firsts_);
    }

   private:
    in_block<F> f_;
    std::tuple<Is...> firsts_;
  };
  [[nodiscard]] DOZER_HOT block_view from(std::uint64_t n) const {
    return std::apply([&](const auto&... at) { return block_view(f_, after(at, n)...); }, firsts_);
  }

 private:
  F& f_;
  std::tuple<Is...> firsts_;
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
