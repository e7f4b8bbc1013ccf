// All pools of a process together: a deadlock may go through several (src/deadlock/README.md).
#pragma once

#include <dozer/detail/census.hpp>
#include <dozer/detail/outside_wait.hpp>
#include <dozer/detail/platform.hpp>
#include <dozer/detail/pool_registry.hpp>
#include <dozer/detail/summons.hpp>

#include <cstdint>

namespace dozer::inline DOZER_PLATFORM::detail {

/// What a standstill turns out to be. In this order: the worst of several pools counts.
enum class verdict : std::uint8_t {
  moving,        // it is none any more
  deadlock,      // nothing is left to run
  starved,       // jobs are left, and everybody who could run them waits
  lost_wake_up,  // jobs are left beside somebody who sleeps and could run them: a mistake of ours
};

class domain {
  census_word people_;  // first, where the checker finds it

 public:
  constexpr domain() noexcept = default;
  domain(const domain&) = delete;
  domain& operator=(const domain&) = delete;

  [[nodiscard]] census people() const noexcept { return people_.now(); }

  // ---- the steps: who takes which when is a table in the README ----

  void enter() noexcept { people_.enter(); }
  void leave() noexcept { look_at(people_.leave()); }
  /// As the last act before it sleeps or blocks.
  void rest(resting how) noexcept { look_at(people_.rest(how)); }
  /// By whoever releases it, before it does.
  void rise(resting how) noexcept { people_.rise(how); }
  void take_token() noexcept {
    if (people_.take_token().tokens() >= most_tokens) [[unlikely]] {
      too_many_tokens();
    }
  }
  void drop_token() noexcept { look_at(people_.drop_token()); }
  /// By an outsider that has left a pool by the door through which it came.
  void poster_left() noexcept { look_at(people_.in_order()); }

  /// Looks at all queues. Only a standstill stands still meanwhile: `at` is the word that says so.
  [[nodiscard]] verdict confirm(census& at) noexcept;
  /// A member waits for a mutex that a thread of no pool holds: a guest locked it, and has left. In a standstill.
  [[nodiscard]] bool guest_has_left_with_a_lock() const noexcept;

  pool_registry pools;
  outside_waits outsiders;

 private:
  static constexpr std::uint32_t most_tokens = 15'000;  // some room below the end of the field

  void look_at(census now) noexcept {
    if (now.stuck()) [[unlikely]] {
      suspect();
    }
  }
  /// The caller's step has led into a standstill.
  DOZER_COLD void suspect() noexcept;
  DOZER_COLD static void too_many_tokens() noexcept;

  // The reporter's.
  [[nodiscard]] bool start_reporter() noexcept;
  void report_for_ever() noexcept;
  void report_here() noexcept;
  void investigate() noexcept;
  [[nodiscard]] bool start_spares() noexcept;
  void report_once(verdict what, census confirmed) noexcept;
  [[nodiscard]] bool stands_still_since(census then) noexcept;

  summons for_the_reporter_;
  census reported_{0};  // by the thread on duty: the last standstill that was reported
};

/// That of the process; a child of fork() has another one than its parent.
[[nodiscard]] domain& current_domain() noexcept;
/// In such a child.
void set_current_domain(domain& d) noexcept;

/// A token for a thread that sits in no seat; nothing for a member, which is counted as it is.
class token_from_outside {
 public:
  explicit token_from_outside(domain& d) noexcept;
  ~token_from_outside();
  token_from_outside(const token_from_outside&) = delete;
  token_from_outside& operator=(const token_from_outside&) = delete;

 private:
  domain* held_;
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
