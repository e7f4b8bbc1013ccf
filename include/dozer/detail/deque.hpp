// The deque of a seat: private until somebody is hungry. The owner pushes and takes at the head; what stands below the
// split is public, and thieves steal it at the top. It grows; old buffers are kept to the end, since a slow thief may
// still read them (src/deque/README.md).
#pragma once

#include <dozer/detail/isolation.hpp>
#include <dozer/detail/job.hpp>
#include <dozer/detail/platform.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace dozer::inline DOZER_PLATFORM::detail {

/// Where public jobs end; or the mark of the thief that is about to move that place up. A mark is larger than every
/// position.
class split {
 public:
  constexpr explicit split(std::uint64_t bits) noexcept : bits_(bits) {}
  /// `exposer` is the index of a seat.
  static constexpr split marked(std::uint32_t exposer) noexcept { return split(mark | exposer); }

  [[nodiscard]] constexpr std::uint64_t bits() const noexcept { return bits_; }
  /// If it is not marked.
  [[nodiscard]] constexpr std::uint64_t index() const noexcept { return bits_; }
  [[nodiscard]] constexpr bool is_marked() const noexcept { return bits_ >= mark; }

 private:
  static constexpr std::uint64_t mark = std::uint64_t{1} << 63;

  std::uint64_t bits_;
};

/// What stands in a slot: a job, whether a join will come back for it, and in which isolation it was forked. All of it
/// is in the word, since a job must not be read before it is won.
class entry {
 public:
  constexpr entry() noexcept = default;  // none
  constexpr explicit entry(std::uintptr_t bits) noexcept : bits_(bits) {}
  static entry of_a_join(job& j) noexcept { return entry(reinterpret_cast<std::uintptr_t>(&j)); }
  static entry posted(job& j, isolation in = isolation()) noexcept {
    return entry(reinterpret_cast<std::uintptr_t>(&j) | posted_bit | in.bits());
  }

  [[nodiscard]] explicit operator bool() const noexcept { return bits_ != 0; }
  [[nodiscard]] std::uintptr_t bits() const noexcept { return bits_; }
  [[nodiscard]] bool is_posted() const noexcept { return (bits_ & posted_bit) != 0; }
  [[nodiscard]] isolation forked_in() const noexcept { return isolation(bits_ & isolation::mask); }
  [[nodiscard]] job* what() const noexcept { return reinterpret_cast<job*>(bits_ & ~(posted_bit | isolation::mask)); }

 private:
  static constexpr std::uintptr_t posted_bit = 1;
  static_assert(alignof(job) > posted_bit);

  std::uintptr_t bits_ = 0;
};

/// The state that owner and thieves share. It has no operations: use deque_owner or deque_thief.
class deque {
 public:
  /// `start` is the position of the first job.
  explicit deque(std::size_t capacity = deque_start_capacity, std::uint64_t start = usual_start());
  ~deque();
  deque(const deque&) = delete;
  deque& operator=(const deque&) = delete;

  /// The deque of whoever sits in no seat: it has no room, and nothing in it is private. Only a child of
  /// fork() writes to it, with joins of its parent to finish, and nobody reads that.
  struct of_nobody {};
  constexpr explicit deque(of_nobody) noexcept : split_(~std::uint64_t{0}) {}

 private:
  friend class deque_owner;
  friend class deque_thief;

  using slot = atomic<std::uintptr_t>;  // an entry

  /// Where the slot of index 0 would be: that of index i is i slots further. An integer, since it lies outside the
  /// buffer. It wraps, and so does the way from there to the slot: positions have more bits than addresses of slots.
  class origin {
   public:
    constexpr explicit origin(std::uintptr_t address) noexcept : address_(address) {}
    origin(slot* first_slot, std::uint64_t first) noexcept
        : address_(reinterpret_cast<std::uintptr_t>(first_slot) - first * sizeof(slot)) {}
    [[nodiscard]] std::uintptr_t address() const noexcept { return address_; }
    [[nodiscard]] slot& operator[](std::uint64_t index) const noexcept {
      return *reinterpret_cast<slot*>(address_ + index * sizeof(slot));
    }

   private:
    std::uintptr_t address_;
  };

  struct buffer {
    explicit buffer(std::size_t n) : size(n), slots(new slot[n]) {}
    [[nodiscard]] bool has_spare() const noexcept { return older != nullptr && older->size == size; }

    std::size_t size;
    std::uint64_t first = 0;  // the index of its first slot
    std::unique_ptr<slot[]> slots;
    std::unique_ptr<buffer> older;
  };

  /// 1, or what a test has asked for; in debug builds near the place where addresses of slots wrap.
  [[nodiscard]] static std::uint64_t usual_start() noexcept;

  /// From now on the slots of the newest buffer hold the indices from `first` on.
  void use_buffer_from(std::uint64_t first) noexcept {
    buffers_->first = first;
    slots_ = origin(buffers_->slots.get(), first);
    note_room();
  }
  [[nodiscard]] std::uint64_t end() const noexcept { return buffers_->first + buffers_->size; }
  void note_room() noexcept { room_until_ = isolation_.any() ? 0 : end(); }

  // The owner's line.
  alignas(cache_line) atomic<std::uint64_t> head_{1};  // only the owner writes it
  std::uint64_t room_until_ = 0;                       // owner: where the buffer ends; in an isolation 0
  origin slots_{0};                                    // owner: of the buffer
  std::uint64_t posted_until_ = 0;                     // owner: jobs that no join comes back for stand below it
  isolation isolation_;                                // owner: of the jobs that are pushed now
  std::uint64_t base_ = 0;                             // owner: what stands below it was pushed before the isolation
  std::unique_ptr<buffer> buffers_;                    // owner: the one in use first

  // Everybody's line.
  alignas(cache_line) atomic<std::uint64_t> top_{1};  // thieves advance it, and the owner with the last job; never back
  atomic<std::uint64_t> split_{1};                    // a split
  atomic<std::uintptr_t> origin_{0};                  // slots_ for the thieves; only the owner writes it
};

/// Push, post and take, for the thread that sits in the seat.
class deque_owner {
 public:
  explicit deque_owner(deque& d) noexcept : d_(d) {}

  /// Of the next job: the head.
  [[nodiscard]] DOZER_HOT std::uint64_t position() const noexcept {
    return d_.head_.load(relaxed);  // relaxed: only the owner writes
  }
  /// For a fork that need not tell in which isolation it is. Nobody's deque never has, and nobody has in an isolation:
  /// so a fork outside, which is the usual one, asks only once.
  [[nodiscard]] DOZER_HOT bool has_room_at(std::uint64_t head) const noexcept { return head < d_.room_until_; }
  [[nodiscard]] DOZER_HOT bool has_room_for(std::uint64_t jobs) const noexcept {
    return has_room_at(position() + (jobs - 1));
  }
  /// Puts a job there, on top, private, that its join will come back for.
  DOZER_HOT void push_at(std::uint64_t head, job& j) noexcept { put(head, entry::of_a_join(j).bits()); }

  /// Makes room, so that so many jobs can be put without an exception.
  DOZER_HOT void reserve(std::size_t jobs = 1) {
    if (!has_room_for(jobs)) [[unlikely]] {
      make_room(jobs);
    }
  }
  /// The same. False: there is no memory for it.
  [[nodiscard]] DOZER_HOT bool try_reserve(std::size_t jobs = 1) noexcept {
    return has_room_for(jobs) || try_make_room(jobs);
  }
  /// Like push_at, in an isolation or not. There must be room.
  DOZER_HOT void push_isolated_at(std::uint64_t head, job& j) noexcept { put_isolated(head, entry::of_a_join(j)); }
  /// The same, but the next push above it publishes it.
  DOZER_HOT void place(std::uint64_t head, job& j) noexcept {
    d_.slots_[head].store(entry::of_a_join(j).bits() | d_.isolation_.bits(), relaxed);  // relaxed: as in put
  }
  /// One job as often as that, one above the other. There must be room.
  DOZER_HOT void push_often(std::uint64_t head, job& j, std::uint64_t times) noexcept {
    const std::uintptr_t bits = entry::of_a_join(j).bits() | d_.isolation_.bits();
    const deque::origin slots = d_.slots_;
    for (std::uint64_t at = head; at != head + times; ++at) {
      slots[at].store(bits, relaxed);  // relaxed: the store to head publishes the slots
    }
    d_.head_.store(head + times, release);  // pairs: deque.head (exposer)
  }
  /// Like push_isolated_at, and makes room. Returns its position.
  std::uint64_t push(job& j) {
    reserve();
    const std::uint64_t h = position();
    push_isolated_at(h, j);
    return h;
  }
  /// A job that nobody comes back for, after reserve. It is public at once, so that a join below it finds out.
  void post(job& j) noexcept {
    const std::uint64_t h = position();
    put_isolated(h, entry::posted(j));
    d_.posted_until_ = h + 1;
    publish();
  }

  /// Makes all jobs public. Returns true if there were jobs before the newest `pushed` ones.
  bool publish(std::uint32_t pushed = 1) noexcept {
    const std::uint64_t h = d_.head_.load(relaxed);  // relaxed: only the owner writes
    d_.split_.store(h, release);                     // pairs: deque.split (thief, exposer)
    return d_.top_.load(relaxed) + pushed < h;       // relaxed: a hint for the wake rule
  }

  /// The job that a join has pushed to that position, when it comes back for it: true if it is there, private, and on
  /// top. If not, nothing_above comes next.
  [[nodiscard]] DOZER_HOT bool take_private(std::uint64_t position) noexcept {
    // Release: an exposer that reads this value instead of the push's must still see the older slots.
    d_.head_.store(position, release);  // pairs: deque.head (exposer)
    fence_light();                      // pairs: deque.expose (exposer)
    // A mark makes the split larger than every position.
    return position >= d_.split_.load(relaxed);  // relaxed: the fence orders it
  }
  /// After take_private, which has moved the head to the position. False: there were jobs above, and the head is back.
  [[nodiscard]] bool nothing_above(std::uint64_t position) noexcept;
  /// The job at that position, which is or was the newest. False: it was stolen.
  [[nodiscard]] bool take_public(std::uint64_t position) noexcept;

  /// A hint, for a fork that has not come back yet: nobody has stolen it.
  [[nodiscard]] bool holds(std::uint64_t position) const noexcept {
    return d_.top_.load(relaxed) <= position;  // relaxed: a hint
  }

  /// The newest job; or the oldest, if a join will come back for the newest; or none. A join knows its job by the
  /// position, so that must not be used again before; what top has passed never is. In an isolation only what was
  /// pushed in it.
  [[nodiscard]] entry take() noexcept;
  /// The oldest job, or none; in an isolation only if no older one than the base is left.
  [[nodiscard]] entry take_oldest() noexcept;

  // ---- isolation (src/pool/README.md, "Isolation") ----

  [[nodiscard]] isolation isolated_in() const noexcept { return d_.isolation_; }
  struct seclusion {
    isolation in;
    std::uint64_t base;
  };
  /// From now on what is pushed is `in` that isolation, and nothing older is taken. Returns what was so before.
  [[nodiscard]] seclusion enter(isolation in) noexcept { return seclude({in, position()}); }
  void leave_to(seclusion before) noexcept {
    const std::uint64_t h = position();  // what stood below the old base may have been taken
    static_cast<void>(seclude({before.in, before.base < h ? before.base : h}));
  }

 private:
  DOZER_HOT void put(std::uint64_t head, std::uintptr_t bits) noexcept {
    d_.slots_[head].store(bits, relaxed);  // relaxed: the store to head publishes the slot
    d_.head_.store(head + 1, release);     // pairs: deque.head (exposer)
  }
  DOZER_HOT void put_isolated(std::uint64_t head, entry e) noexcept { put(head, e.bits() | d_.isolation_.bits()); }
  seclusion seclude(seclusion now) noexcept {
    const seclusion before{d_.isolation_, d_.base_};
    d_.isolation_ = now.in;
    d_.base_ = now.base;
    d_.note_room();
    return before;
  }
  DOZER_COLD void make_room(std::size_t jobs);
  DOZER_COLD bool try_make_room(std::size_t jobs) noexcept;

  deque& d_;
};

/// Steal, expose and look, for everybody else.
class deque_thief {
 public:
  explicit deque_thief(deque& d) noexcept : d_(d) {}

  struct loot {
    entry stolen;  // or none
    bool lost;     // somebody else was faster: there may be more
  };

  /// The oldest job, if it is public.
  [[nodiscard]] loot steal() noexcept {
    return steal_if([](entry) { return true; });
  }
  /// The same, if it is wanted, as far as its entry tells.
  template <class Wanted>
  [[nodiscard]] loot steal_if(Wanted&& wanted) noexcept;

  /// Whether the oldest job is public and wanted, as far as its entry tells. As fresh as the caller's fences make it,
  /// and a hint: the job may be another by now.
  template <class Wanted>
  [[nodiscard]] bool oldest_is(Wanted&& wanted) noexcept;

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
    std::uint64_t mine = split::marked(me).bits();
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

  /// Of the next job that the owner pushes; it may be another by now.
  [[nodiscard]] std::uint64_t position() const noexcept { return d_.head_.load(relaxed); }  // relaxed: for reports
  /// How many stand there; a guess while things move.
  [[nodiscard]] std::uint64_t count() const noexcept {
    const std::uint64_t t = d_.top_.load(relaxed);   // relaxed: for reports
    const std::uint64_t h = d_.head_.load(relaxed);  // relaxed: for reports
    return t < h ? h - t : 0;
  }

  /// From top to head, public or not, and to the split, which a join that comes back may leave above the head for a
  /// moment. True while a thief exposes. As fresh as the caller's fences make it.
  [[nodiscard]] bool in_sight() const noexcept {
    // relaxed: the fences of the sleep protocol order these
    const std::uint64_t t = d_.top_.load(relaxed);
    return t < d_.head_.load(relaxed) || t < d_.split_.load(relaxed);  // relaxed: as above; a mark is larger
  }

 private:
  deque& d_;
};

template <class Wanted>
bool deque_thief::oldest_is(Wanted&& wanted) noexcept {
  const std::uint64_t t = d_.top_.load(acquire);  // pairs: deque.top (other thieves, owner)
  const split s(d_.split_.load(acquire));         // pairs: deque.split (owner, exposer)
  if (s.is_marked() || t >= s.index()) {
    return false;
  }
  const deque::origin slots(d_.origin_.load(acquire));  // pairs: deque.buffer (owner)
  // As in steal_if: if the buffer was replaced just now, t may lie before it. Then there was a job, and there may be
  // one.
  if (d_.top_.load(relaxed) != t) {  // relaxed: not older than the top that the owner saw when it made the buffer
    return true;
  }
  return wanted(entry(slots[t].load(relaxed)));  // relaxed: a hint
}

template <class Wanted>
deque_thief::loot deque_thief::steal_if(Wanted&& wanted) noexcept {
  std::uint64_t t = d_.top_.load(acquire);  // pairs: deque.top (other thieves, owner)
  fence_seq_cst();                          // pairs: deque.dekker (owner)
  const split s(d_.split_.load(acquire));   // pairs: deque.split (owner, exposer)
  if (s.is_marked() || t >= s.index()) {
    return {entry(), false};
  }
  const deque::origin slots(d_.origin_.load(acquire));  // pairs: deque.buffer (owner)
  // A buffer begins at some top: if it was replaced just now, t may lie before it.
  if (d_.top_.load(relaxed) != t) {  // relaxed: not older than the top that the owner saw when it made the buffer
    return {entry(), true};
  }
  const entry oldest(slots[t].load(relaxed));  // relaxed: the exchange decides what it is worth
  if (!wanted(oldest)) {
    return {entry(), false};
  }
  if (!d_.top_.compare_exchange(t, t + 1, seq_cst, relaxed)) {  // pairs: deque.top (other thieves, owner)
    return {entry(), true};
  }
  return {oldest, false};
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
