// A loop over chunks in which each chunk needs what the chunks before it have come to: a sum, or a number of elements.
#pragma once

#include <dozer/detail/blocks.hpp>
#include <dozer/detail/chain.hpp>
#include <dozer/loop_options.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace dozer::inline DOZER_PLATFORM::detail {

/// A chunk that was begun before its turn, with what its thread has found out about it.
template <class Found>
struct early_chunk : chain_link {
  using chain_link::chain_link;
  Found found{};
};

/// Chunks that have had their turn and are not finished.
template <class Early>
class early_chunks {
 public:
  early_chunks() = default;
  early_chunks(const early_chunks&) = delete;
  ~early_chunks() {
    while (first_ != nullptr) {
      delete std::exchange(first_, static_cast<Early*>(first_->after));
    }
  }
  void push(Early& e) noexcept {
    e.after = std::exchange(first_, &e);
    ++count_;
  }
  /// f(chunk) for each, possibly in parallel. They do not stop: they have begun.
  template <class F>
  void for_each(const F& f) {
    if (count_ == 1) {
      f(*first_);
      return;
    }
    std::vector<Early*> all;
    all.reserve(count_);
    for (Early* e = first_; e != nullptr; e = static_cast<Early*>(e->after)) {
      all.push_back(e);
    }
    for_blocks(count_,
               [&](std::uint64_t from, std::uint64_t to) {
                 for (; from != to; ++from) {
                   f(*all[from]);
                 }
               },
               {.grain = 1});
  }

 private:
  Early* first_ = nullptr;
  std::uint64_t count_ = 0;
};

/// The loop counts tiles, but says only how many to take: a thread takes the next ones in the order of the range. So
/// what has begun is always the front of the range, whoever runs what part of the loop.
template <class Work>
struct in_order_body {
  using early = early_chunk<typename Work::found>;

  Work& work;
  chain& order;
  std::uint64_t tile, count;

  static void run(loop_part& part, std::uint64_t from, std::uint64_t to) {
    const auto& body = *static_cast<const in_order_body*>(part.closure());
    walk(part, from, to, [&](std::uint64_t first, std::uint64_t last) {
      const std::uint64_t size = (last - first) * body.tile;
      part.is_alone() ? body.run_alone(size) : body.run_next(size);
    });
  }

 private:
  void run_alone(std::uint64_t size) const {
    const chunk mine = order.take_alone(size, count);
    work.run(mine);
    order.pass_alone(mine.last);
  }
  void run_next(std::uint64_t size) const {
    const chain::taken mine = order.take(size, count);
    if (mine.has_turn) {
      work.run(mine);
      if (chain_link* const next = order.pass(mine.last); next != nullptr) [[unlikely]] {
        take_turns(*static_cast<early*>(next));
      }
      return;
    }
    auto ready = std::make_unique<early>(mine);
    work.prepare(*ready, ready->found);
    if (order.arrive(*ready)) {
      take_turns(*ready.release());
    } else {
      static_cast<void>(ready.release());  // the chain has it
    }
  }
  void take_turns(early& first) const {
    early_chunks<early> passed;
    for (early* e = &first; e != nullptr;) {
      passed.push(*e);
      try {
        work.take_turn(*e, e->found);
      } catch (...) {
        work.abandon(*e, e->found);
        throw;
      }
      e = static_cast<early*>(order.pass(e->last));
    }
    if constexpr (Work::finishes) {
      passed.for_each([&](early& e) { work.finish(e, e.found); });
    }
  }
};

/// Runs work over the numbers below `count`; returns how many were begun, from the front. All of them, unless the loop
/// was stopped. A chunk whose turn has come at once: run(chunk). Another one: prepare(chunk, found) at any time,
/// take_turn(chunk, found) when its turn has come, and if the work finishes: finish(chunk, found), while the turn has
/// gone on. If the loop fails: abandon(chunk, found) for those that are prepared and never have their turn, or throw
/// then. `largest`: how many numbers a tile has at most; its elements should fit into the cache of a core.
template <class Work>
std::uint64_t run_in_order(Work& work, std::uint64_t count, std::uint64_t largest, const loop_options& options,
                           const char* name) {
  using body = in_order_body<Work>;
  struct left_chunks {
    Work& work;
    chain order;
    ~left_chunks() {
      while (chain_link* const left = order.take_left()) {
        const std::unique_ptr<typename body::early> e(static_cast<typename body::early*>(left));
        work.abandon(*e, e->found);
      }
    }
  };
  if (count == 0) {
    return 0;
  }
  constexpr std::uint64_t tiles = 128;  // at least, so that threads find enough of them; and loops of many begin alone
  const std::uint64_t tile = options.grain != 0 ? std::min<std::uint64_t>(options.grain, count)
                                                : std::clamp<std::uint64_t>(count / tiles, 1, largest);
  left_chunks all{work, {}};
  const body each{work, all.order, tile, count};
  static constexpr loop_kind kind{&body::run, false};
  detail::run_loop(kind, std::addressof(each), (count + tile - 1) / tile,
                   {.grain = options.grain != 0 ? 1u : 0u, .stop = options.stop}, name);
  return all.order.passed();
}

/// Elements of which so many bytes are a tile: they stay in a core's own cache between two looks at them.
template <class T>
inline constexpr std::uint64_t cached_elements = std::max<std::uint64_t>((128 << 10) / sizeof(T), 1);

}  // namespace dozer::inline DOZER_PLATFORM::detail
