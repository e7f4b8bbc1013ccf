// Which seats may hold a sleeper: a bit for each. A set bit is a hint where to look; the seat's parker decides.
#pragma once

#include <dozer/detail/platform.hpp>

#include <bit>
#include <cstdint>
#include <memory>

namespace dozer::inline DOZER_PLATFORM::detail {

class sleeper_set {
 public:
  explicit sleeper_set(std::uint32_t seats) : words_((seats + 63) / 64), bits_(new atomic<std::uint64_t>[words_]) {}

  void insert(std::uint32_t seat) noexcept {
    bits_[seat / 64].fetch_or(bit(seat), release);  // pairs: sleep.bitmap (waker)
  }
  void erase(std::uint32_t seat) noexcept {
    bits_[seat / 64].fetch_and(~bit(seat), release);  // pairs: sleep.bitmap (waker)
  }

  void fetch_early() const noexcept { prefetch(bits_.get()); }

  /// Calls `visit(seat)` for every member of the set, from seat `near` on and around, until it returns true.
  template <class Visit>
  bool visit_from(std::uint32_t near, Visit&& visit) const {
    const std::uint32_t start = near / 64 % words_;
    const std::uint64_t at_or_after = ~std::uint64_t{0} << (near % 64);
    // The word of `near` comes twice: its upper part first, its lower part last.
    for (std::uint32_t step = 0; step <= words_; ++step) {
      const std::uint32_t index = (start + step) % words_;
      std::uint64_t rest = bits_[index].load(acquire);  // pairs: sleep.bitmap (sleeper)
      if (step == 0) {
        rest &= at_or_after;
      } else if (step == words_) {
        rest &= ~at_or_after;
      }
      while (rest != 0) {
        const auto lowest = static_cast<std::uint32_t>(std::countr_zero(rest));
        rest &= rest - 1;
        if (visit(index * 64 + lowest)) {
          return true;
        }
      }
    }
    return false;
  }

 private:
  static constexpr std::uint64_t bit(std::uint32_t seat) noexcept { return std::uint64_t{1} << (seat % 64); }

  std::uint32_t words_;
  std::unique_ptr<atomic<std::uint64_t>[]> bits_;
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
