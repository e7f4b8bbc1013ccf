// The counters word: how many members are asleep, how many look hungry to a fork, how many of those are quiet guests,
// and the jobs event counter, packed in one word so that each transition of the sleep protocol is one atomic step
// (src/sleep/README.md).
#pragma once

#include <dozer/detail/platform.hpp>

#include <cstdint>
#include <string>

namespace dozer::inline DOZER_PLATFORM::detail {

/// A value of the word. Low to high: hungry (inactive members and quiet guests), asleep, quiet, jobs event counter
/// (JEC). A guest that is quiet no longer may still be counted as quiet when it counts as inactive already. So hungry
/// and quiet have one bit more than there are members.
class counters {
 public:
  static constexpr std::uint64_t one_hungry = 1;
  static constexpr std::uint64_t one_asleep = std::uint64_t{1} << (thread_field_bits + 1);
  static constexpr std::uint64_t one_quiet = std::uint64_t{1} << (2 * thread_field_bits + 1);
  static constexpr std::uint32_t max_members = (std::uint32_t{1} << thread_field_bits) - 1;

  constexpr explicit counters(std::uint64_t bits) noexcept : bits_(bits) {}
  static constexpr counters starting_at(std::uint32_t jec) noexcept { return counters((jec & jec_mask) << jec_shift); }

  [[nodiscard]] constexpr std::uint64_t bits() const noexcept { return bits_; }
  [[nodiscard]] constexpr std::uint32_t asleep() const noexcept { return field(one_asleep, max_members); }
  /// What a fork looks at: not zero means that the fork must tell others of its job.
  [[nodiscard]] constexpr std::uint32_t hungry() const noexcept { return field(one_hungry, 2 * max_members + 1); }
  /// Guests that have neither forked nor waited since they sat down.
  [[nodiscard]] constexpr std::uint32_t quiet() const noexcept { return field(one_quiet, 2 * max_members + 1); }
  [[nodiscard]] constexpr std::uint32_t inactive() const noexcept { return hungry() - quiet(); }
  /// Idle and sleepy members: those that will still look at every queue before they sleep.
  [[nodiscard]] constexpr std::uint32_t searchers() const noexcept { return inactive() - asleep(); }
  [[nodiscard]] constexpr std::uint32_t jec() const noexcept {
    return static_cast<std::uint32_t>((bits_ >> jec_shift) & jec_mask);
  }
  /// Odd: work was announced since the last member got sleepy.
  [[nodiscard]] constexpr bool work_announced() const noexcept { return (jec() & 1) != 0; }

  [[nodiscard]] constexpr counters with_next_jec() const noexcept {
    const std::uint64_t next = (std::uint64_t{jec()} + 1) & jec_mask;
    return counters((bits_ & ((std::uint64_t{1} << jec_shift) - 1)) | (next << jec_shift));
  }

  friend constexpr bool operator==(counters, counters) noexcept = default;

 private:
  [[nodiscard]] constexpr std::uint32_t field(std::uint64_t one, std::uint32_t most) const noexcept {
    return static_cast<std::uint32_t>(bits_ / one & most);
  }

  static constexpr unsigned jec_shift = 3 * thread_field_bits + 2;
  static constexpr std::uint64_t jec_mask = (std::uint64_t{1} << jobs_event_bits) - 1;
  static_assert(jec_shift + jobs_event_bits <= 64);

  std::uint64_t bits_;
};

[[nodiscard]] std::string to_string(counters value);

/// The word itself, on a cache line of its own. Each transition returns the word it replaced, unless it says otherwise.
class alignas(cache_line) counters_word {
 public:
  explicit counters_word(std::uint32_t jec_start) noexcept : bits_(counters::starting_at(jec_start).bits()) {}

  [[nodiscard]] counters load(order o) const noexcept { return counters(bits_.load(o)); }

  counters add_inactive() noexcept {
    // pairs: sleep.counts (posters, sleepers, leavers)
    return counters(bits_.fetch_add(counters::one_hungry, seq_cst));
  }
  counters sub_inactive() noexcept {
    // pairs: sleep.counts (posters, sleepers, leavers)
    return counters(bits_.fetch_sub(counters::one_hungry, seq_cst));
  }
  counters sub_asleep() noexcept {
    // pairs: sleep.counts (posters, sleepers, leavers)
    return counters(bits_.fetch_sub(counters::one_asleep, seq_cst));
  }
  /// A guest sits down in, or gets up from, a sleeper's seat. Each is one step: between two steps a poster would rely
  /// on a searcher that does not exist.
  counters sit_down_quietly() noexcept {
    // pairs: sleep.counts (posters, sleepers, leavers)
    return counters(bits_.fetch_add(counters::one_quiet - counters::one_asleep, seq_cst));
  }
  counters get_up_quietly() noexcept {
    // pairs: sleep.counts (posters, sleepers, leavers)
    return counters(bits_.fetch_sub(counters::one_quiet - counters::one_asleep, seq_cst));
  }
  counters add_asleep_and_inactive() noexcept {
    // pairs: sleep.counts (posters, sleepers, leavers)
    return counters(bits_.fetch_add(counters::one_asleep + counters::one_hungry, seq_cst));
  }
  /// So many guests are quiet no longer, and do not look hungry.
  void sub_quiet(std::uint32_t guests) noexcept {
    // pairs: sleep.counts (posters, sleepers, leavers)
    bits_.fetch_sub(guests * (counters::one_hungry + counters::one_quiet), seq_cst);
  }

  /// Makes an odd JEC even. Returns the word that results.
  counters announce_sleepy() noexcept { return advance_jec_if(true); }
  /// Makes an even JEC odd. Returns the word that results.
  counters announce_work() noexcept { return advance_jec_if(false); }

  /// asleep + 1, provided that the JEC still is `jec`. `before` gets the word as it was.
  [[nodiscard]] bool try_add_asleep(std::uint32_t jec, counters& before) noexcept {
    std::uint64_t seen = bits_.load(relaxed);  // relaxed: the exchange below checks it
    while (counters(seen).jec() == jec) {
      // pairs: sleep.counts (posters, leavers)
      if (bits_.compare_exchange_weak(seen, seen + counters::one_asleep, seq_cst, relaxed)) {
        before = counters(seen);
        return true;
      }
    }
    return false;
  }

 private:
  counters advance_jec_if(bool odd) noexcept {
    std::uint64_t seen = bits_.load(seq_cst);  // pairs: sleep.counts (the other announcer)
    while (counters(seen).work_announced() == odd) {
      const counters next = counters(seen).with_next_jec();
      // pairs: sleep.counts (the other announcer)
      if (bits_.compare_exchange_weak(seen, next.bits(), seq_cst, seq_cst)) {
        return next;
      }
    }
    return counters(seen);
  }

  atomic<std::uint64_t> bits_;
};

static_assert(sizeof(counters_word) == cache_line && alignof(counters_word) == cache_line);

}  // namespace dozer::inline DOZER_PLATFORM::detail
