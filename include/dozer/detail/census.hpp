// The census: how many can act, how many wait for them, and who else may come, in one word for all pools of a domain
// (src/deadlock/README.md).
#pragma once

#include <dozer/detail/platform.hpp>

#include <cstdint>
#include <string>

namespace dozer::inline DOZER_PLATFORM::detail {

/// A value of the word. Low to high: able, waiting, tokens, releases.
class census {
 public:
  static constexpr std::uint64_t one_able = 1;
  static constexpr std::uint64_t one_waiting = std::uint64_t{1} << 18;
  static constexpr std::uint64_t one_token = std::uint64_t{1} << 36;
  static constexpr std::uint64_t one_release = std::uint64_t{1} << 50;

  constexpr explicit census(std::uint64_t bits) noexcept : bits_(bits) {}

  [[nodiscard]] constexpr std::uint64_t bits() const noexcept { return bits_; }
  [[nodiscard]] constexpr std::uint32_t able() const noexcept { return field(one_able, one_waiting); }
  [[nodiscard]] constexpr std::uint32_t waiting() const noexcept { return field(one_waiting, one_token); }
  [[nodiscard]] constexpr std::uint32_t tokens() const noexcept { return field(one_token, one_release); }
  /// The count of releases, as it stands in the word.
  [[nodiscard]] constexpr std::uint64_t releases() const noexcept { return bits_ / one_release; }
  /// What tells one standstill from the next: who waits, but for so many, and how often somebody was released. Not who
  /// can act: a sleeper may be up for a moment, and change nothing.
  [[nodiscard]] constexpr census standstill_without(std::uint32_t waiting) const noexcept {
    constexpr std::uint64_t others = (one_waiting - one_able) | (one_release - one_token);
    return census((bits_ & ~others) - waiting * one_waiting);
  }
  /// Nobody can act, and somebody waits for it.
  [[nodiscard]] constexpr bool stuck() const noexcept { return able() == 0 && tokens() == 0 && waiting() != 0; }

  friend constexpr bool operator==(census, census) noexcept = default;

 private:
  [[nodiscard]] constexpr std::uint32_t field(std::uint64_t one, std::uint64_t next) const noexcept {
    return static_cast<std::uint32_t>((bits_ & (next - 1)) / one);
  }

  std::uint64_t bits_;
};

[[nodiscard]] std::string to_string(census value);

/// Whether a member that rests is in the middle of something that only the pools can end.
enum class resting : bool { without_a_job, waiting };

/// The word itself. Each transition returns the word that results.
class alignas(cache_line) census_word {
 public:
  [[nodiscard]] census now() const noexcept {
    return census(bits_.load(acquire));  // pairs: census.steps (everybody)
  }

  /// The same, after a sequentially consistent operation of the caller's.
  [[nodiscard]] census in_order() const noexcept {
    return census(bits_.load(seq_cst));  // pairs: census.post (confirm)
  }

  /// As it is once the caller has seen what it has looked at so far: a load could come first.
  [[nodiscard]] census after_all_that() noexcept { return add(0); }

  void enter() noexcept { add(census::one_able); }
  census leave() noexcept { return stop(std::uint64_t{0} - census::one_able); }

  census rest(resting how) noexcept {
    return stop(how == resting::waiting ? census::one_waiting - census::one_able : std::uint64_t{0} - census::one_able);
  }
  /// By whoever releases it.
  void rise(resting how) noexcept {
    add(how == resting::waiting ? census::one_release - census::one_waiting + census::one_able : census::one_able);
  }

  census take_token() noexcept { return add(census::one_token); }
  census drop_token() noexcept { return add(std::uint64_t{0} - census::one_token); }

  /// How often anybody has ceased to be able. Who comes, or is woken, and ceases again may leave the word as it was.
  [[nodiscard]] std::uint64_t rests() const noexcept {
    return rests_.load(acquire);  // pairs: census.rests (stop)
  }

 private:
  census stop(std::uint64_t what) noexcept {
    rests_.fetch_add(1, release);  // first: whoever sees the step sees that  pairs: census.rests (confirm)
    return add(what);
  }
  census add(std::uint64_t what) noexcept {
    return census(bits_.fetch_add(what, acq_rel) + what);  // pairs: census.steps (everybody)
  }

  atomic<std::uint64_t> bits_{0};
  atomic<std::uint64_t> rests_{0};  // beside it: whoever counts here changes the word next
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
