// Sifting a few elements: a loop judges them, and then one thread moves them. It needs neither turns nor memory.
#pragma once

#include <dozer/detail/blocks.hpp>
#include <dozer/detail/requirements.hpp>
#include <dozer/detail/sift.hpp>
#include <dozer/loop_options.hpp>
#include <dozer/named.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace dozer::inline DOZER_PLATFORM::detail {

/// A loop that may be stopped would leave gaps.
[[nodiscard]] inline bool are_few_to_sift(std::uint64_t count, const loop_options& options) noexcept {
  return count <= sift_step && options.grain == 0 && !options.stop.stop_possible();
}

/// The judgements on a few elements.
class few_judged {
 public:
  template <class I, class F, class Proj>
  few_judged(const I& first, std::uint64_t count, F& pred, Proj& proj, const loop_options& options) {
    const auto note = [&](std::uint64_t from, std::uint64_t to) {
      detail::note<true>(after(first, from), to - from, pred, proj, noted_ + from);
    };
    for_spans<false>(count, note, options, detail::name_of(pred));
  }
  [[nodiscard]] const bool* noted() const noexcept { return noted_; }

 private:
  bool noted_[sift_step] = {};
};

/// Moves those for which the predicate holds to the front, and keeps the order of either kind. Returns how many they
/// are. There is no branch that depends on an element.
template <class I>
std::uint64_t separate_few(const I& first, std::uint64_t count, const bool* noted) {
  using value = std::iter_value_t<I>;
  alignas(value) std::byte memory[sift_step * sizeof(value)];
  auto* const others = reinterpret_cast<value*>(memory);
  std::uint64_t held = 0;
  for (std::uint64_t k = 0; k != count; ++k) {
    value& other = others[k - held];
    other = *after(first, k);  // by assignment: not every such type has a copy constructor
    *after(first, held) = other;
    held += noted[k] ? 1 : 0;
  }
  std::copy_n(others, count - held, after(first, held));
  return held;
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
