// The deque of a seat: private until somebody is hungry. The owner pushes and takes at the head; what stands below the
// split is public, and thieves steal it at the top. It grows; old buffers are kept to the end, since a slow thief may
// still read them (src/deque/README.md).
#pragma once

#include <dozer/detail/job.hpp>
#include <dozer/detail/platform.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace dozer::inline DOZER_PLATFORM::detail {

/// Where public jobs end, and the thief, if any, that is about to move that place up.
class split {
 public:
  constexpr explicit split(std::uint64_t bits) noexcept : bits_(bits) {}
  /// `exposer` is the index of a seat.
  static constexpr split marked(std::uint64_t index, std::uint32_t exposer) noexcept {
    return split(index | (std::uint64_t{exposer} + 1) << index_bits);
  }

  [[nodiscard]] constexpr std::uint64_t bits() const noexcept { return bits_; }
  [[nodiscard]] constexpr std::uint64_t index() const noexcept { return bits_ & (marks - 1); }
  [[nodiscard]] constexpr bool is_marked() const noexcept { return bits_ >= marks; }

 private:
  static constexpr unsigned index_bits = 46;
  static constexpr std::uint64_t marks = std::uint64_t{1} << index_bits;

  std::uint64_t bits_;
};

/// The state that owner and thieves share. It has no operations: use deque_owner or deque_thief.
class deque {
 public:
  explicit deque(std::size_t capacity = deque_start_capacity);
  ~deque();
  deque(const deque&) = delete;
  deque& operator=(const deque&) = delete;

 private:
  friend class deque_owner;
  friend class deque_thief;

  struct buffer {
    explicit buffer(std::size_t size) : mask(size - 1), slots(new atomic<job*>[size]) {}

    std::uint64_t mask;
    std::unique_ptr<atomic<job*>[]> slots;
    std::unique_ptr<buffer> older;
  };

  // The owner's line.
  alignas(cache_line) atomic<std::uint64_t> head_{1};  // only the owner writes it
  std::uint64_t room_until_;                           // owner: indices below need no look at top
  std::uint64_t mask_;                                 // owner: of the buffer
  atomic<job*>* slots_;                                // owner: of the buffer

  // Everybody's line.
  alignas(cache_line) atomic<std::uint64_t> top_{1};  // thieves advance it, and the owner with the last job; never back
  atomic<std::uint64_t> split_{1};                    // a split
  atomic<buffer*> buffer_;                            // only the owner writes it
};

/// Push and take, for the thread that sits in the seat.
class deque_owner {
 public:
  explicit deque_owner(deque& d) noexcept : d_(d) {}

  /// Makes room, so that the next push does not throw.
  void reserve_one() {
    if (d_.head_.load(relaxed) >= d_.room_until_) [[unlikely]] {  // relaxed: only the owner writes
      make_room(d_);
    }
  }

  /// Puts a job on top, private. Returns its position.
  DOZER_HOT std::uint64_t push(job& j) {
    const std::uint64_t h = d_.head_.load(relaxed);  // relaxed: only the owner writes
    if (h >= d_.room_until_) [[unlikely]] {
      make_room(d_);
    }
    slot(h).store(&j, relaxed);      // relaxed: the store to head publishes the slot
    d_.head_.store(h + 1, release);  // pairs: deque.head (exposer)
    return h;
  }

  /// Makes all jobs public. Returns true if there is more than one.
  bool publish() noexcept {
    const std::uint64_t h = d_.head_.load(relaxed);  // relaxed: only the owner writes
    d_.split_.store(h, release);                     // pairs: deque.split (thief, exposer)
    return d_.top_.load(relaxed) + 1 < h;            // relaxed: a hint for the wake rule
  }

  /// The job at that position, if it is on top and private, and `not_if` is 0. If it fails only because the job is not
  /// private, the head stands at the position already.
  [[nodiscard]] DOZER_HOT bool take_private(std::uint64_t position, std::uint64_t not_if = 0) noexcept {
    // One branch for both.
    if (((d_.head_.load(relaxed) ^ (position + 1)) | not_if) != 0) [[unlikely]] {  // relaxed: only the owner writes
      return false;
    }
    // Release: an exposer that reads this value instead of the push's must still see the older slots.
    d_.head_.store(position, release);  // pairs: deque.head (exposer)
    fence_light();                      // pairs: deque.expose (exposer)
    // A mark makes the split larger than every position.
    return position >= d_.split_.load(relaxed);  // relaxed: the fence orders it
  }
  /// The job at that position, when the head has come down to it. False: it was stolen.
  [[nodiscard]] bool take_public(std::uint64_t position) noexcept;
  [[nodiscard]] bool head_is(std::uint64_t position) const noexcept {
    return d_.head_.load(relaxed) == position;  // relaxed: only the owner writes
  }
  /// The newest job, or null.
  [[nodiscard]] job* take() noexcept {
    const std::uint64_t h = d_.head_.load(relaxed);  // relaxed: only the owner writes
    if (d_.top_.load(relaxed) >= h) {                // relaxed: it never goes back
      return nullptr;
    }
    const bool ours = take_private(h - 1) || take_public(h - 1);
    return ours ? slot(h - 1).load(relaxed) : nullptr;  // relaxed: the owner wrote it
  }

 private:
  [[nodiscard]] atomic<job*>& slot(std::uint64_t index) const noexcept { return d_.slots_[index & d_.mask_]; }

  DOZER_COLD static void make_room(deque& d);  // not of this object, which need have no address then

  deque& d_;
};

/// Steal, expose and look, for everybody else.
class deque_thief {
 public:
  explicit deque_thief(deque& d) noexcept : d_(d) {}

  struct loot {
    job* stolen;
    bool lost;  // somebody else was faster: there may be more
  };

  /// The oldest job, if it is public.
  [[nodiscard]] loot steal() noexcept;

  /// Whether there are private jobs, and nobody is about to expose them.
  [[nodiscard]] bool has_private() const noexcept {
    const split s(d_.split_.load(relaxed));                       // relaxed: expose looks again
    return !s.is_marked() && s.index() < d_.head_.load(relaxed);  // relaxed: expose looks again
  }
  /// Makes the jobs of an owner public that does not do so by itself, because it is deep in a long job. `me` is the
  /// seat of the caller; `fence_heavy` reaches the owner.
  template <class Fence>
  void expose(std::uint32_t me, Fence&& fence_heavy) noexcept {
    std::uint64_t seen = d_.split_.load(acquire);         // pairs: deque.split (owner)
    const std::uint64_t before = d_.head_.load(relaxed);  // relaxed: it is read again
    const std::uint64_t base = split(seen).index();
    if (split(seen).is_marked() || before <= base) {
      return;
    }
    std::uint64_t mine = split::marked(before, me).bits();
    if (!d_.split_.compare_exchange(seen, mine, acq_rel, relaxed)) {  // pairs: deque.expose (owner)
      return;
    }
    fence_heavy();                                       // pairs: deque.expose (owner)
    const std::uint64_t after = d_.head_.load(acquire);  // pairs: deque.head (owner)
    const std::uint64_t reached = before < after ? before : after;
    // Not below what was public already. Lost: the owner has acted meanwhile.
    // pairs: deque.split (thief)
    static_cast<void>(d_.split_.compare_exchange(mine, base < reached ? reached : base, acq_rel, relaxed));
  }

  /// From top to head, public or not. As fresh as the caller's fences make it.
  [[nodiscard]] bool in_sight() const noexcept {
    // relaxed: the fences of the sleep protocol order these
    return d_.top_.load(relaxed) < d_.head_.load(relaxed);
  }

 private:
  deque& d_;
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
