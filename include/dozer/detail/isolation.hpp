// Isolations: inside one a waiting thread runs only jobs that were forked in it (src/pool/README.md, "Isolation").
#pragma once

#include <dozer/detail/platform.hpp>

#include <array>
#include <cstdint>

namespace dozer::inline DOZER_PLATFORM::detail {

/// Which one, as it stands in the upper bits of a deque's slots.
class isolation {
 public:
  static constexpr unsigned shift = 48;  // addresses end below it
  static constexpr std::uintptr_t mask = ~std::uintptr_t{0} << shift;

  constexpr isolation() noexcept = default;  // in none
  constexpr explicit isolation(std::uintptr_t bits) noexcept : bits_(bits) {}
  static constexpr isolation numbered(std::uint32_t number) noexcept {
    return isolation(std::uintptr_t{number} << shift);
  }
  /// One of those that found no number free: nobody else can tell which.
  static constexpr isolation nameless() noexcept { return isolation(mask); }

  [[nodiscard]] constexpr std::uintptr_t bits() const noexcept { return bits_; }
  [[nodiscard]] constexpr std::uint32_t number() const noexcept { return static_cast<std::uint32_t>(bits_ >> shift); }
  [[nodiscard]] constexpr bool any() const noexcept { return bits_ != 0; }
  friend constexpr bool operator==(isolation, isolation) noexcept = default;

 private:
  static_assert(sizeof(std::uintptr_t) == 8, "slots keep an isolation beside an address");
  std::uintptr_t bits_ = 0;
};

/// The numbers of a pool's isolations. One is in use as long as its isolate() runs, or a job of it that was posted, or
/// one inside it is.
class isolations {
 public:
  /// A number that nothing has, for one inside another, or in none; nameless if there is none. The search begins at the
  /// number of the caller's seat, so that threads do not try for the same one.
  [[nodiscard]] isolation begin(isolation around, std::uint32_t by_seat) noexcept;
  /// For a job that is posted in it.
  void add(isolation to) noexcept;
  void let_go(isolation of) noexcept;

  /// Whether what was forked in `one` was forked inside `other`. Both are in use. Nobody can tell of nameless ones.
  [[nodiscard]] bool is_inside(isolation one, isolation other) const noexcept;

 private:
  struct number {
    atomic<std::uint32_t> uses{0};
    atomic<std::uint32_t> around{0};  // the number of the one around it, which it uses; 0: none that has one
  };
  [[nodiscard]] number* known(isolation i) noexcept;

  std::array<number, max_isolations> numbers_;
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
