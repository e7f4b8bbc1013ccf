// The injector: jobs from outside, first in first out, many producers and many consumers (src/deque/README.md).
#pragma once

#include <dozer/detail/job.hpp>
#include <dozer/detail/platform.hpp>
#include <dozer/detail/short_lock.hpp>

#include <cstdint>
#include <utility>

namespace dozer::inline DOZER_PLATFORM::detail {

/// Jobs on top of each other, and how many there are. A word, so that one exchange changes both.
class pile {
 public:
  constexpr explicit pile(std::uintptr_t bits = 0) noexcept : bits_(bits) {}

  [[nodiscard]] constexpr std::uintptr_t bits() const noexcept { return bits_; }
  [[nodiscard]] posted_job* newest() const noexcept { return reinterpret_cast<posted_job*>(bits_ & (one - 1)); }
  [[nodiscard]] constexpr std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(bits_ / one); }
  [[nodiscard]] constexpr bool is_full() const noexcept { return count() == injector_batch; }
  /// With that one on top. It is linked to the others already.
  [[nodiscard]] pile with(posted_job& j) const noexcept {
    return pile(reinterpret_cast<std::uintptr_t>(&j) + (std::uintptr_t{count()} + 1) * one);
  }

 private:
  static constexpr std::uintptr_t one = std::uintptr_t{1} << 48;  // above every address, as isolations in a deque are

  std::uintptr_t bits_;
};

/// A job goes from the inbox, a pile, to the list, and from there to the counter, where consumers take it.
class injector {
 public:
  /// One job. Returns true if jobs stood there already.
  DOZER_WAKE_PATH bool push(posted_job& j) noexcept;

  /// The oldest job, or null.
  [[nodiscard]] DOZER_WAKE_PATH posted_job* pop() noexcept;

  /// How many stand there; a guess while things move. Waits for nobody.
  [[nodiscard]] std::uint64_t count() const noexcept;

  /// False from the moment a push has taken effect until its job is popped. As fresh as the caller's fences make it.
  [[nodiscard]] bool empty() const noexcept {
    // The order matters: it is that in which a job moves on.
    return inbox_.load(acquire) == 0 &&   // pairs: injector.inbox (producers, whoever empties it)
           listed_.load(acquire) == 0 &&  // pairs: injector.list (consumer)
           nothing_on_the_counter();
  }

 private:
  [[nodiscard]] bool nothing_on_the_counter() const noexcept {
    const std::uint64_t put = put_.load(relaxed);  // relaxed: ordered by the load before it
    return taken_.load(relaxed) >= put;            // relaxed: one that is too old makes it look less empty
  }
  [[nodiscard]] DOZER_WAKE_PATH posted_job* take_from_the_counter() noexcept;
  DOZER_COLD void make_room() noexcept;
  // Under the lock.
  DOZER_WAKE_PATH void empty_the_inbox() noexcept;
  [[nodiscard]] posted_job* take_from_the_list() noexcept { return std::exchange(oldest_, oldest_->next); }
  DOZER_WAKE_PATH void fill_the_counter() noexcept;

  // Producers pile jobs up here, so many and no more.
  alignas(cache_line) atomic<std::uintptr_t> inbox_{0};  // a pile
  // For leak checkers at the end of a program, which do not recognise the pointer in a pile. It may be gone.
  reported<const posted_job*> last_pushed_{nullptr};

  // The list. It shares its line with the counter: a lone job passes through both.
  alignas(cache_line) short_lock moving_;
  atomic<std::uint64_t> listed_{0};  // how many are in it, or on the way into it; written under the lock
  posted_job* oldest_ = nullptr;     // under the lock
  posted_job* newest_ = nullptr;     // under the lock; means nothing if there is no oldest

  // The counter: place p is slot p modulo their number. Neither number goes back.
  atomic<std::uint64_t> taken_{0};  // consumers advance it
  atomic<std::uint64_t> put_{0};    // written under the lock
  alignas(cache_line) atomic<posted_job*> slots_[injector_batch];
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
